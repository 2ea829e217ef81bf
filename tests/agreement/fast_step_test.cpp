// Steps of the fast recursion against the plain ones: the same motion, the same reports, the same files.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/tree_stepper.hpp"

namespace tandem {
namespace {

Model articulated(const std::string& example) {
  Model model = example_model(example);
  model.setup.method = "articulated";
  model.setup.cut = "loops";
  return model;
}

// The plain step: a law without effect keeps the fast one away.
Model plain(const Model& model) {
  Model other = model;
  other.forces.push_back({.name = "nothing", .force = Damping{}, .points = {BodyFrame{0, {}}}, .coordinates = {}});
  return other;
}

double apart(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

class FastStep : public ::testing::TestWithParam<const char*> {};

TEST_P(FastStep, IsThePlainStep) {
  const Model model = articulated(GetParam()), other = plain(model);
  Simulation fast(model), slow(other);
  ASSERT_NE(TreeStepper::make(model, fast.setup(), fast.state()), nullptr);
  ASSERT_EQ(TreeStepper::make(other, slow.setup(), slow.state()), nullptr);
  for (int i = 0; i < 300; ++i) {
    const StepReport a = fast.step(0.001), b = slow.step(0.001);
    EXPECT_NEAR(a.before.position, b.before.position, 1e-14);
    EXPECT_NEAR(a.before.velocity, b.before.velocity, 1e-12);
    EXPECT_LT(a.after.position, 1e-13);
    EXPECT_LT(a.after.velocity, 1e-13);
  }
  EXPECT_LT(apart(fast.state().q, slow.state().q), 1e-11);
  EXPECT_LT(apart(fast.state().v, slow.state().v), 1e-11);
  EXPECT_LT(apart(fast.state().angles, slow.state().angles), 1e-11);
  EXPECT_LT(apart(fast.bodies().q, slow.bodies().q), 1e-11);
  EXPECT_NEAR(fast.energy().total(), slow.energy().total(), 1e-10);
  EXPECT_LT(apart(fast.solution().y, slow.solution().y), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Examples, FastStep, ::testing::Values("bicycle", "rolling-disc", "top"));

TEST(FastStep, LooksWithinAStep) {
  const Model model = articulated("bicycle"), other = plain(model);
  Simulation fast(model), slow(other);
  for (int i = 0; i < 10; ++i) {
    fast.step(0.01);
    slow.step(0.01);
  }
  EXPECT_LT(apart(fast.at(0.0975).q, slow.at(0.0975).q), 1e-12);
  fast.step(0.01);
  slow.step(0.01);
  EXPECT_LT(apart(fast.state().q, slow.state().q), 1e-11);
}

TEST(FastStep, GoesOnFromItsMemory) {
  const Model model = articulated("bicycle");
  Simulation one(model), two(model);
  for (int i = 0; i < 20; ++i) one.step(0.001);
  two.restore(one.memory());
  for (int i = 0; i < 20; ++i) {
    one.step(0.001);
    two.step(0.001);
  }
  EXPECT_EQ(one.state().q, two.state().q);
  EXPECT_EQ(one.state().v, two.state().v);
  EXPECT_EQ(one.bodies().q, two.bodies().q);
}

TEST(FastStep, TellsOfAStepTooLong) {
  const Model model = articulated("bicycle");
  Simulation simulation(model);
  const State before = simulation.state();
  EXPECT_THROW(simulation.step(0.5), NumericalError);
  EXPECT_EQ(simulation.state().q, before.q);
  EXPECT_NO_THROW(simulation.step(0.001));
}

Model model_of_text(const std::string& text) { return read_model("format = 1\n" + text, "test.toml"); }

// Two rods hinged in a row, the second of a given inertia.
std::string two_rods(const std::string& second) {
  return R"(
[simulation]
method = "articulated"
[[body]]
name = "upper"
mass = 1.0
inertia = [0.1, 0.1, 0.01]
position = [0, 0, -0.5]
[[body]]
name = "lower"
)" + second +
         R"(
position = [0.5, 0, -1]
[[joint]]
name = "top"
type = "revolute"
bodies = ["world", "upper"]
point = [0, 0, 0]
axis = [0, 1, 0]
)";
}

// A length that changes with time: what the constraint asks for at t = 0 is not what it asks for later.
TEST(FastStep, LengthsThatChangeWithTime) {
  const Model model = model_of_text(two_rods("mass = 1.0\ninertia = [0.1, 0.1, 0.1]") + R"toml(
[[constraint]]
name = "winch"
type = "distance"
bodies = ["upper", "lower"]
points = [[0, 0, -1], [0.5, 0, -1]]
length = "0.5 + 0.1*sin(3*t)"
)toml");
  const Model other = plain(model);
  Simulation fast(model), slow(other);
  for (int i = 0; i < 300; ++i) {
    fast.step(0.002);
    slow.step(0.002);
  }
  EXPECT_LT(apart(fast.state().q, slow.state().q), 1e-11);
  EXPECT_LT(apart(fast.state().v, slow.state().v), 1e-11);
}

// The plain step says of which joint; round-off in the inertia of a thin rod about itself is no inertia.
TEST(FastStep, TurningAThinRodAboutItselfIsRefused) {
  for (const char* joint : {"revolute", "spherical"}) {
    SCOPED_TRACE(joint);
    const Model model = model_of_text(two_rods("mass = 1.0\nshape = { type = \"rod\", length = 1, axis = [1, 1, 1] }") +
                                      "[[joint]]\nname = \"spindle\"\ntype = \"" + joint + R"("
bodies = ["upper", "lower"]
point = [0.5, 0, -1]
)" + (std::string(joint) == "revolute" ? "axis = [0.5773502691896258, 0.5773502691896258, 0.5773502691896258]\n" : ""));
    Simulation simulation(model);
    try {
      for (int i = 0; i < 10; ++i) simulation.step(0.001);
      ADD_FAILURE() << "a motion without inertia was followed";
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find("joint \"spindle\""), std::string::npos) << error.what();
    }
  }
}

// Free rotation of a body in three dimensions: order four of the whole step.
TEST(FastStep, IsOfOrderFour) {
  const Model model = articulated("rolling-disc");
  const auto end = [&](double h) {
    Simulation simulation(model);
    const int steps = static_cast<int>(std::lround(0.4 / h));
    for (int i = 0; i < steps; ++i) simulation.step(h);
    return simulation.state().q;
  };
  const Eigen::VectorXd fine = end(0.00125);
  const double coarse = (end(0.02) - fine).norm(), medium = (end(0.01) - fine).norm();
  EXPECT_NEAR(std::log2(coarse / medium), 4.0, 0.2);
}

// A hinge of a program's own, which happens to have the name of the library's: its angle counts double.
struct OwnRevolute : ScalarCoordinates {
  static constexpr std::string_view type = "revolute";
  static constexpr int nq = 1, nv = 1, position_rows = 3;
  static constexpr std::array coordinates{JointCoordinate{"angle", true}};
  static constexpr auto row_names = Revolute::row_names;
  static OwnRevolute read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const { return Revolute{}.pose<S>(2.0 * q); }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {
    S_F(2, 0) = S(2.0);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const { Revolute{}.forbid<S>(x, rows); }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {
    Revolute{}.measure<S>(x, q);
    q[0] = 0.5 * q[0];
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {
    Revolute{}.rates<S>(x, W, bias);
    W *= S(0.5);
    bias *= S(0.5);
  }
};

TEST(FastStep, IsNotForAnotherTypeOfTheSameName) {
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
  build.joint({.name = "hinge",
               .type = OwnRevolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  Model model = build.finish();
  model.setup.method = "articulated";
  Model other = model;
  other.setup.method = "lagrange";
  Simulation own(model), by_rows(other);
  for (int i = 0; i < 200; ++i) {
    own.step(0.002);
    by_rows.step(0.002);
  }
  EXPECT_LT(apart(own.bodies().q, by_rows.bodies().q), 1e-9);
  EXPECT_NEAR(own.coordinate("hinge"), by_rows.coordinate("hinge"), 1e-9);
}

}  // namespace
}  // namespace tandem
