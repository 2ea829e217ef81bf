// Stop conditions: what they may say, what they become, and how far a state is from one.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/run/stops.hpp"

namespace tandem {
namespace {

constexpr std::string_view pendulum = R"toml(
format = 1

[parameters]
limit = 0.4
start = 0.5

[[body]]
name = "rod"
mass = 2
inertia = [0.01, 0.2, 0.2]
position = ["0.5*sin(start)", 0, "-0.5*cos(start)"]
angles = [0, 0, "start"]

[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]

[[output]]
name = "height"
quantity = "position"
body = "rod"
component = "z"

[[output]]
name = "speed"
quantity = "rate"
joint = "hinge"

[[output]]
name = "hinge load"
quantity = "force"
joint = "hinge"
)toml";

Model with_stop(const std::string& when) {
  return read_model(std::string(pendulum) + "\n[[stop]]\nname = \"halt\"\nwhen = \"" + when + "\"\n", "pendulum.toml");
}

double margin(const std::string& when) {
  const Model model = with_stop(when);
  Simulation simulation(model);
  return stop_margin(model, model.stops.at(0), simulation);
}

TEST(Stops, MeasureOnlyWhatTheyName) {
  const Model model = with_stop("abs(speed) + t > limit - 2*abs(speed)");
  ASSERT_EQ(model.stops.size(), 1U);
  const ModelStop& stop = model.stops[0];
  EXPECT_EQ(stop.name, "halt");
  EXPECT_EQ(stop.when, "abs(speed) + t > limit - 2*abs(speed)");
  ASSERT_EQ(stop.quantities.size(), 2U);
  EXPECT_EQ(stop.quantities[0].name, "speed");
  EXPECT_EQ(stop.quantities[0].quantity, Quantity::rate);
  EXPECT_EQ(stop.quantities[1].quantity, Quantity::time);
  const double values[] = {-3.0, 0.25};
  EXPECT_DOUBLE_EQ(stop.left.evaluate<double>(values), 3.25);
  EXPECT_DOUBLE_EQ(stop.right.evaluate<double>(values), 0.4 - 6.0);
}

TEST(Stops, AllSignsMeanLeftAboveRight) {
  const double height = -0.5 * std::cos(0.5);
  EXPECT_NEAR(margin("height > limit"), height - 0.4, 1e-12);
  EXPECT_NEAR(margin("height>=limit"), height - 0.4, 1e-12);
  EXPECT_NEAR(margin("height < limit"), 0.4 - height, 1e-12);
  EXPECT_NEAR(margin("limit <= height"), height - 0.4, 1e-12);
}

TEST(Stops, BuiltInQuantitiesNeedNoOutput) {
  const double potential = -2.0 * 9.81 * 0.5 * std::cos(0.5);
  EXPECT_NEAR(margin("potential_energy > 0"), potential, 1e-11);
  EXPECT_NEAR(margin("energy > kinetic_energy + 1"), potential - 1.0, 1e-11);
  EXPECT_NEAR(margin("largest_speed > 3"), -3.0, 1e-12);
  EXPECT_NEAR(margin("t > 2"), -2.0, 0.0);
}

TEST(Stops, MarginFollowsTheRun) {
  const Model model = with_stop("abs(speed) > limit*t");
  Simulation simulation(model);
  for (int i = 0; i < 50; ++i) simulation.step(0.004);
  const double speed = std::abs(simulation.rate("hinge"));
  EXPECT_GT(speed, 0.5);
  EXPECT_NEAR(stop_margin(model, model.stops[0], simulation), speed - 0.4 * 0.2, 1e-12);
}

TEST(Stops, LowestLoadIsTheSmallestNormalForce) {
  const std::string text = example_model("bicycle").text + "\n[[stop]]\nname = \"lifts\"\nwhen = \"lowest_load < 1\"\n";
  const Model model = read_model(text, "bicycle.toml");
  Simulation simulation(model);
  double least = 1e9, most = 0.0;
  for (const Contact& contact : contacts(model)) {
    least = std::min(least, simulation.solution().lambda[contact.row]);
    most = std::max(most, simulation.solution().lambda[contact.row]);
  }
  EXPECT_GT(least, 100.0);
  EXPECT_GT(most, least + 100.0);  // the rider sits on the rear wheel
  EXPECT_DOUBLE_EQ(stop_margin(model, model.stops.at(0), simulation), 1.0 - least);
}

TEST(Stops, AMarginThatIsNotFiniteNamesTheStop) {
  try {
    margin("1/t > 3");
    FAIL() << "1/0 was taken for a number";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("stop \"halt\": \"1/t > 3\""), std::string::npos) << error.what();
  }
}

TEST(Stops, TheBuilderGetsTheSameChecks) {
  Builder build;
  build.body({.name = "ball", .mass = 1.0, .point_mass = true, .position = {0, 0, 2}});
  build.output({.name = "height", .quantity = "position", .body = "ball", .component = "z"});
  build.parameter("floor", 0.5).stop({.name = "landed", .when = "height < floor"});
  const Model model = build.finish();
  Simulation simulation(model);
  EXPECT_DOUBLE_EQ(stop_margin(model, model.stops.at(0), simulation), -1.5);
  build.stop({.name = "landed", .when = "heigth < 0"});
  try {
    build.finish();
    FAIL() << "a wrong stop was accepted";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("stop \"landed\": the name \"landed\" is taken by another stop"), std::string::npos) << text;
    EXPECT_NE(text.find("unknown name \"heigth\"; did you mean \"height\"?"), std::string::npos) << text;
  }
}

TEST(Stops, NamesMayBeginAndEndWithABar) {
  const Model model = read_model(std::string(pendulum) +
                                     "\n[[output]]\nname = \"_yaw_\"\nquantity = \"yaw\"\nbody = \"rod\"\n"
                                     "[[stop]]\nname = \"halt\"\nwhen = \"_yaw_ > 1\"\n",
                                 "pendulum.toml");
  EXPECT_EQ(model.stops.at(0).quantities.at(0).name, "_yaw_");
}

TEST(Stops, AnOutputHidesABuiltInQuantityOfItsName) {
  const Model model = read_model(std::string(pendulum) +
                                     "\n[[output]]\nname = \"energy\"\nquantity = \"yaw\"\nbody = \"rod\"\n"
                                     "[[stop]]\nname = \"halt\"\nwhen = \"energy > 1\"\n",
                                 "pendulum.toml");
  EXPECT_EQ(model.stops.at(0).quantities.at(0).quantity, Quantity::yaw);
}

}  // namespace
}  // namespace tandem
