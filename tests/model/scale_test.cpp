// The length, mass and time scale of a machine, and the sizes of its rows.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/units.hpp"

namespace tandem {
namespace {

const std::string scaled_pendulum = R"(
format = 1
gravity = [0, 0, -10]

[[body]]
name = "rod"
mass = 3
shape = { type = "rod", length = 1 }
position = [0.5, 0, 0]

[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "rod"]
point = [0, 0, 0]
axis = [0, 1, 0]
)";

Model scale_model(const std::string& text) { return read_model(text, "scale.toml"); }

TEST(Scale, OfAPendulum) {
  const Model model = scale_model(scaled_pendulum);
  // The middle lies halfway between hinge and mass centre; around that one is the radius of gyration 1/√12.
  const double length = 0.25 + std::sqrt(1.0 / 12.0);
  EXPECT_NEAR(model.scale.length, length, 1e-15);
  EXPECT_DOUBLE_EQ(model.scale.mass, 3.0);
  EXPECT_NEAR(model.scale.time, std::sqrt(length / 10.0), 1e-15);
  ASSERT_EQ(model.scale.of_body.size(), 1U);
  EXPECT_EQ(model.scale.of_body[0], model.scale.length);
}

TEST(Scale, RowsOfPositionsHaveTheLengthAndThoseOfAnglesOne) {
  const Model model = scale_model(scaled_pendulum);
  ASSERT_EQ(model.blocks.size(), 1U);
  const double length = model.scale.length;
  EXPECT_EQ(model.blocks[0].length, length);
  ASSERT_EQ(model.blocks[0].sizes.size(), 5U);
  for (int row = 0; row < 3; ++row) EXPECT_DOUBLE_EQ(model.row_size(row), length) << row;
  for (int row = 3; row < 5; ++row) EXPECT_DOUBLE_EQ(model.row_size(row), 1.0) << row;
}

TEST(Scale, SpeedsAtTheStartAndOfDrivesMakeTheTimeShorter) {
  std::string text = scaled_pendulum;
  text.replace(text.find("position"), 8, "angular_velocity = [0, 50, 0]\nposition");
  EXPECT_DOUBLE_EQ(scale_model(text).scale.time, 1.0 / 50.0);
  EXPECT_DOUBLE_EQ(
      scale_model(scaled_pendulum + "[[drive]]\njoint = \"hinge\"\ntype = \"constant_speed\"\nspeed = 80\n").scale.time,
      1.0 / 80.0);
}

TEST(Scale, WithoutGravityAndAtRestTheTimeIsTheDuration) {
  std::string text = scaled_pendulum + "[simulation]\nduration = 4\n";
  text.replace(text.find("-10"), 3, "0");
  EXPECT_DOUBLE_EQ(scale_model(text).scale.time, 4.0);
}

TEST(Scale, EachIslandHasItsOwnLength) {
  const Model model = scale_model(scaled_pendulum + R"(
[[body]]
name = "small"
mass = 1e-6
shape = { type = "rod", length = 1e-3 }
position = [100.0005, 0, 0]

[[joint]]
name = "small_hinge"
type = "revolute"
bodies = ["world", "small"]
point = [100, 0, 0]
axis = [0, 1, 0]
)");
  const double length = 0.25 + std::sqrt(1.0 / 12.0), ulp_of_100 = 1.5e-14;  // of 100.0005 - 100
  EXPECT_NEAR(model.scale.length, length, 1e-15);
  EXPECT_NEAR(model.scale.of_body[1], 1e-3 * length, ulp_of_100);
  EXPECT_NEAR(model.blocks[1].sizes[0], 1e-3 * length, ulp_of_100);
  EXPECT_DOUBLE_EQ(model.blocks[1].sizes[3], 1.0);
  EXPECT_DOUBLE_EQ(model.scale.mass, 3.0);
}

// The ground counts where it lies below the wheel, however far away its origin is.
TEST(Scale, OfAWheelFarFromTheOriginOfThePlane) {
  const Model model = scale_model(R"(
format = 1
[[body]]
name = "wheel"
mass = 2
shape = { type = "disc", radius = 0.5 }
position = [1000, 0, 0.5]

[[constraint]]
name = "contact"
type = "wheel"
bodies = ["world", "wheel"]
radius = 0.5
)");
  EXPECT_NEAR(model.scale.length, 0.25 + 0.5 * std::sqrt(0.5), 1e-12);  // gyration: √(r²/2)
  for (int row = 0; row < 3; ++row)
    EXPECT_DOUBLE_EQ(model.row_size(row), std::max(model.scale.length, 0.5)) << "the contact turns on an arm of 0.5 m";
}

TEST(Scale, ALoneMassPointHasWhatItTravels) {
  const Model model = scale_model(R"(
format = 1
gravity = [0, 0, 0]
[[body]]
name = "point"
mass = 2
point_mass = true
velocity = [3, 0, 0]
[simulation]
duration = 7
)");
  EXPECT_DOUBLE_EQ(model.scale.length, 21.0);
  EXPECT_DOUBLE_EQ(model.scale.time, 7.0);
}

// A rack in metres and one in radians: the size of the row follows its factors.
TEST(Scale, OfACouplerFollowsItsCoefficients) {
  const auto with = [](const std::string& coefficients) {
    return scale_model(scaled_pendulum + R"(
[[body]]
name = "rack"
mass = 1
shape = { type = "rod", length = 1 }
position = [0.5, 0, -0.1]

[[joint]]
name = "slide"
type = "prismatic"
bodies = ["world", "rack"]
axis = [1, 0, 0]

[[constraint]]
name = "gear"
type = "coupler"
joints = ["hinge", "slide"]
coefficients = )" + coefficients);
  };
  const Model metres = with("[0.1, -1]\n"), radians = with("[1, -10]\n");
  const double length = metres.scale.length;
  EXPECT_DOUBLE_EQ(metres.blocks.back().sizes[0], length);
  EXPECT_DOUBLE_EQ(radians.blocks.back().sizes[0], 10.0 * length);
}

TEST(Scale, ChangesWithTheUnitsAndWithNothingElse) {
  const test::Units units{std::pow(4.0, -10), std::pow(4.0, 7), std::pow(4.0, 5)};  // exact
  for (const EmbeddedExample& example : embedded_examples()) {
    SCOPED_TRACE(example.name);
    const Model model = example_model(std::string(example.name));
    const Model plain = read_model(test::in_units(model, {}), "plain.json");
    const Model other = read_model(test::in_units(model, units), "other.json");
    EXPECT_DOUBLE_EQ(plain.scale.length, model.scale.length);
    EXPECT_DOUBLE_EQ(other.scale.length, units.length * model.scale.length);
    EXPECT_DOUBLE_EQ(other.scale.mass, units.mass * model.scale.mass);
    EXPECT_DOUBLE_EQ(other.scale.time, units.time * model.scale.time);
    for (std::size_t i = 0; i < model.blocks.size(); ++i)
      for (std::size_t k = 0; k < model.blocks[i].sizes.size(); ++k) {
        const double now = other.blocks[i].sizes[k], was = model.blocks[i].sizes[k];
        EXPECT_TRUE(std::abs(now / was - 1.0) < 1e-12 || std::abs(now / was / units.length - 1.0) < 1e-12)
            << model.block_name(model.blocks[i]) << " row " << k << ": " << was << " became " << now;
      }
  }
}

// What a machine of this kind is: between a tenth and ten times what one would say by hand.
TEST(Scale, OfTheExamplesIsSensible) {
  for (const EmbeddedExample& example : embedded_examples()) {
    SCOPED_TRACE(example.name);
    const Model model = example_model(std::string(example.name));
    double farthest = 0.0, heaviest = 0.0;
    for (const Body& body : model.bodies) {
      heaviest = std::max(heaviest, body.mass);
      for (const Body& beside : model.bodies) farthest = std::max(farthest, (body.X_WC.p - beside.X_WC.p).norm());
    }
    EXPECT_GE(model.scale.length, 0.4 * farthest);
    EXPECT_LE(model.scale.length, 5.0 * farthest + 5.0 * (model.bodies.size() == 1 ? 1.0 : 0.0));
    EXPECT_EQ(model.scale.mass, heaviest);
    EXPECT_GT(model.scale.time, 1e-3);
    EXPECT_LE(model.scale.time, model.setup.duration);
  }
}

}  // namespace
}  // namespace tandem
