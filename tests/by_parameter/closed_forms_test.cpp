// Columns of B and D by parameters against closed forms.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/linear_state.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

double entry_B(const Linearization& linear, const std::string& state, const std::string& input) {
  return linear.B(index_of(linear.states, state), index_of(linear.inputs, input));
}
double entry_D(const Linearization& linear, const std::string& output, const std::string& input) {
  return linear.D(index_of(linear.outputs, output), index_of(linear.inputs, input));
}

// A pendulum with a spring in its hinge, about the vertical.
const char* const pendulum = R"toml(
format = 1
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
l = 1.3
m = 2.0
J = 0.4
k = 5.0
c = 0.7
start = 0.6
nothing = 1.0
[[body]]
name = "rod"
mass = "m"
inertia = ["J", "J", "J"]
position = ["l*sin(start)", 0, "-l*cos(start)"]
angles = [0, 0, "-start"]
angular_velocity = [0, -0.3, 0]
velocity = ["0.3*l*cos(start)", 0, "0.3*l*sin(start)"]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["world", "rod"]
point = [0, 0, 0]
axis = [0, -1, 0]
[[force]]
type = "joint"
joint = "hinge"
stiffness = "k"
damping = "c"
rest = "-start"
[[output]]
name = "height"
quantity = "position"
body = "rod"
component = "z"
[[output]]
name = "energy"
quantity = "energy"
[[output]]
name = "pull"
quantity = "force"
joint = "hinge"
component = "x"
[simulation]
method = "lagrange"
)toml";

class Pendulum : public ::testing::TestWithParam<const char*> {};

TEST_P(Pendulum, AnswersToEachOfItsParameters) {
  Model model = read_model(pendulum, "pendulum.toml");
  model.setup.method = GetParam();
  const Linearization found =
      linearize_start(model, {.states = {"hinge"}, .inputs = {"g", "l", "m", "J", "k", "c", "start", "nothing"}});
  const double g = 9.81, l = 1.3, m = 2.0, J = 0.4, k = 5.0, c = 0.7, a = 0.6, w = 0.3;
  const double I = m * l * l + J, torque = -m * g * l * std::sin(a) - k * a - c * w;
  const auto is = [&](const char* input, double wanted) {
    EXPECT_NEAR(entry_B(found, "hinge.rate", input), wanted, 1e-12 * (1.0 + std::abs(wanted))) << input;
    EXPECT_NEAR(entry_B(found, "hinge", input), 0.0, 1e-13) << input;
  };
  is("g", -m * l * std::sin(a) / I);
  is("l", -m * g * std::sin(a) / I - torque * 2.0 * m * l / (I * I));
  is("m", -g * l * std::sin(a) / I - torque * l * l / (I * I));
  is("J", -torque / (I * I));
  is("k", -a / I);
  is("c", -w / I);
  // The hinge reads zero in the pose of the start. To hold it there while the start moves is to turn the rod along;
  // the spring is at rest where the rod hangs down.
  is("start", (-m * g * l * std::cos(a) - k) / I);
  is("nothing", 0.0);
  EXPECT_NEAR(entry_D(found, "height", "l"), -std::cos(a), 1e-12);
  EXPECT_NEAR(entry_D(found, "height", "start"), l * std::sin(a), 1e-12);
  EXPECT_NEAR(entry_D(found, "height", "m"), 0.0, 1e-13);
  EXPECT_NEAR(entry_D(found, "energy", "m"), 0.5 * l * l * w * w - g * l * std::cos(a), 1e-12);
  EXPECT_NEAR(entry_D(found, "energy", "l"), m * l * w * w - m * g * std::cos(a), 1e-12);
  EXPECT_NEAR(entry_D(found, "energy", "k"), 0.5 * a * a, 1e-12);
  // The hinge gives the mass its acceleration along x: m d²/dt² (l sin θ).
  const double alpha = torque / I;
  const double along = l * (alpha * std::cos(a) - w * w * std::sin(a));
  EXPECT_NEAR(entry_D(found, "pull", "k"), m * l * std::cos(a) * (-a / I), 1e-12);
  EXPECT_NEAR(entry_D(found, "pull", "m"),
              along + m * l * std::cos(a) * (-g * l * std::sin(a) / I - torque * l * l / (I * I)), 1e-11);
  EXPECT_NEAR(entry_D(found, "pull", "nothing"), 0.0, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Methods, Pendulum,
                         ::testing::Values("lagrange", "udwadia_kalaba", "articulated", "null_space"),
                         [](const auto& each) { return std::string(each.param); });

// Where the machine rests, 0 = A z + B p: the rest moves by −A⁻¹ B.
TEST(ByParameter, TheRestOfAPendulumMovesAsItsEquationSays) {
  const double g = 9.81, l = 1.3, m = 2.0, k = 5.0;
  ReadOptions options;
  options.set = {{"start", -0.4}};
  Model model = read_model(pendulum, "pendulum.toml", options);
  // rest = -start = 0.4: the spring pulls the hinge to 0.4 beyond the start, the rod to the vertical: it hangs there.
  const Linearization found =
      linearize(model, find_steady(model), {.states = {"hinge"}, .inputs = {"g", "k", "l", "start"}});
  const Eigen::MatrixXd moves = -found.A.partialPivLu().solve(found.B);
  EXPECT_NEAR(moves(0, 0), 0.0, 1e-12);
  EXPECT_NEAR(moves(0, 1), 0.0, 1e-12);
  EXPECT_NEAR(moves(0, 2), 0.0, 1e-12);
  EXPECT_NEAR(moves(0, 3), -1.0, 1e-12);  // the hinge reads the less, the farther the start
  EXPECT_NEAR(found.A(1, 0), -(m * g * l + k) / (m * l * l + 0.4), 1e-12);
}

// An arm on an axle that turns at a given speed W, hinged across it.
const char* const rotating = R"toml(
format = 1
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
l = 0.8
W = 5.0
J = 0.3
out = 1.0
[[body]]
name = "axle"
mass = 1.0
inertia = [1, 1, 1]
[[body]]
name = "arm"
mass = 2.0
inertia = ["J", "J", "J"]
position = ["l*sin(out)", 0, "-l*cos(out)"]
angular_velocity = [0, 0, "W"]
velocity = [0, "W*l*sin(out)", 0]
[[joint]]
name = "bearing"
type = "revolute"
bodies = ["world", "axle"]
point = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "hinge"
type = "revolute"
bodies = ["axle", "arm"]
point = [0, 0, 0]
axis = [0, -1, 0]
[[drive]]
joint = "bearing"
type = "constant_speed"
speed = "W"
)toml";

// θ̈ (m l² + J) = m l² W² sin θ cos θ − m g l sin θ
TEST(ByParameter, ARotatingPendulumAnswersToItsSpeed) {
  const Model model = read_model(rotating, "rotating.toml");
  const Linearization found = linearize_start(model, {.states = {"hinge"}, .inputs = {"W", "g", "l", "J"}});
  const double g = 9.81, l = 0.8, W = 5.0, J = 0.3, m = 2.0, I = m * l * l + J, s = std::sin(1.0), c = std::cos(1.0);
  const double torque = m * l * l * W * W * s * c - m * g * l * s;
  EXPECT_NEAR(entry_B(found, "hinge.rate", "W"), 2.0 * m * l * l * W * s * c / I, 1e-11);
  EXPECT_NEAR(entry_B(found, "hinge.rate", "g"), -m * l * s / I, 1e-12);
  EXPECT_NEAR(entry_B(found, "hinge.rate", "l"),
              (2.0 * m * l * W * W * s * c - m * g * s) / I - torque * 2.0 * m * l / (I * I), 1e-11);
  EXPECT_NEAR(entry_B(found, "hinge.rate", "J"), -torque / (I * I), 1e-11);
}

// cos θ = g/(W² l): how the angle of its steady turning moves.
TEST(ByParameter, ARotatingPendulumSwingsOutWithSpeed) {
  const Model model = read_model(rotating, "rotating.toml");
  const Linearization found =
      linearize(model, find_steady(model), {.states = {"hinge"}, .inputs = {"W", "g", "l", "J"}});
  ASSERT_EQ(found.A.rows(), 2);
  const Eigen::MatrixXd moves = -found.A.partialPivLu().solve(found.B);
  const double g = 9.81, l = 0.8, W = 5.0, cosine = g / (W * W * l), s = std::sqrt(1.0 - cosine * cosine);
  EXPECT_NEAR(moves(0, 0), 2.0 * cosine / W / s, 1e-10);
  EXPECT_NEAR(moves(0, 1), -cosine / g / s, 1e-10);
  EXPECT_NEAR(moves(0, 2), cosine / l / s, 1e-10);
  EXPECT_NEAR(moves(0, 3), 0.0, 1e-10);
}

// A disc rolls straight down a slope: ẍ = g sin β m r²/(m r² + I). Its radius moves the hub as well.
TEST(ByParameter, ARollingDiscAnswersToItsRadius) {
  const Model model = read_model(R"toml(
format = 1
gravity = ["g*sin(slope)", 0, "-g*cos(slope)"]
[parameters]
g = 9.81
slope = 0.2
r = 0.5
m = 3.0
I = 0.6
[[body]]
name = "disc"
mass = "m"
inertia = ["I/2", "I", "I/2"]
position = [0, 0, "r"]
velocity = [2, 0, 0]
angular_velocity = [0, "2/r", 0]
[[constraint]]
name = "ground"
type = "wheel"
bodies = ["world", "disc"]
radius = "r"
[[output]]
name = "x"
quantity = "position"
body = "disc"
component = "x"
[[output]]
name = "load"
quantity = "force"
constraint = "ground"
component = "x"
)toml",
                                 "disc.toml");
  const Linearization found =
      linearize_start(model, {.states = {"x"}, .inputs = {"r", "m", "I", "g", "slope"}, .outputs = {"load"}});
  const double g = 9.81, b = 0.2, r = 0.5, m = 3.0, I = 0.6, d = m * r * r + I, f = g * std::sin(b);
  EXPECT_NEAR(entry_B(found, "x.rate", "r"), f * 2.0 * m * r * I / (d * d), 1e-12);
  EXPECT_NEAR(entry_B(found, "x.rate", "m"), f * r * r * I / (d * d), 1e-12);
  EXPECT_NEAR(entry_B(found, "x.rate", "I"), -f * m * r * r / (d * d), 1e-12);
  EXPECT_NEAR(entry_B(found, "x.rate", "g"), std::sin(b) * m * r * r / d, 1e-12);
  EXPECT_NEAR(entry_B(found, "x.rate", "slope"), g * std::cos(b) * m * r * r / d, 1e-12);
  EXPECT_NEAR(entry_D(found, "load", "r"), m * f * 2.0 * m * r * I / (d * d), 1e-11);  // m ẍ − m g sin β
}

// Straight riding is the same at every speed and under any weight; wheels that shrink do not make it lean.
TEST(ByParameter, ABicycleThatRidesStraightKeepsStraight) {
  const Model model = example_model("bicycle", {{"v", 5.0}});
  const Linearization found =
      linearize(model, find_steady(model), {.states = {"frame.lean", "steer"}, .inputs = {"v", "g", "rR", "w", "mB"}});
  EXPECT_LE(found.B.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(ByParameter, APlainNumberHasTheUnitThatTheModelGives) {
  const Model model = example_model("bicycle");
  const Linearization found = linearize(model, find_steady(model), {.inputs = {"v", "g", "steer"}});
  EXPECT_EQ(found.inputs[0].unit, "m/s");
  EXPECT_EQ(found.inputs[1].unit, "");
  EXPECT_EQ(found.inputs[2].unit, "N m");
}

// Two guides for one block. Moved together they carry it along; one alone would tear it.
const char* const guided = R"toml(
format = 1
[parameters]
d = 0.5
both = 0.0
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "first"
type = "prismatic"
bodies = ["world", "block"]
frames = [{ position = [0, "both", 0], z_axis = [1, 0, 0] }, { z_axis = [1, 0, 0] }]
[[joint]]
name = "second"
type = "prismatic"
bodies = ["world", "block"]
frames = [{ position = [0, "d + both", 0], z_axis = [1, 0, 0] }, { position = [0, 0.5, 0], z_axis = [1, 0, 0] }]
[[output]]
name = "side"
quantity = "position"
body = "block"
component = "y"
)toml";

TEST(ByParameter, WhatWouldTearTheMachineApartIsToldByName) {
  const Model model = read_model(guided, "guided.toml");
  const Linearization found = linearize_start(model, {.states = {"first"}, .inputs = {"both"}});
  EXPECT_NEAR(found.B.cwiseAbs().maxCoeff(), 0.0, 1e-13);
  EXPECT_NEAR(entry_D(found, "side", "both"), 1.0, 1e-13);
  try {
    linearize_start(model, {.states = {"first"}, .inputs = {"d"}});
    FAIL() << "nothing was told";
  } catch (const NumericalError& error) {
    const std::string told = error.what();
    EXPECT_NE(told.find("the constraints cannot all follow the parameter \"d\": joint \"second\""), std::string::npos)
        << told;
    EXPECT_NE(told.find("contradicts joint \"first\""), std::string::npos) << told;
  }
}

std::string told(const Model& model, const std::string& input) {
  try {
    linearize_start(model, {.inputs = {input}});
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(ByParameter, ModelsBuiltInCppHaveNoTextToReadAgain) {
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::sphere(1.0)}});
  build.parameter("k", 2.0);
  EXPECT_NE(told(build.finish(), "k").find("only the parameters of a model file can be inputs"), std::string::npos);
}

struct OwnHinge : Revolute {};  // under the name of the library's

TEST(ByParameter, TypesThatAProgramAddedAreToldByName) {
  ReadOptions options;
  options.registry.add_joint<OwnHinge>();
  const std::string message = told(read_model(pendulum, "pendulum.toml", options), "k");
  EXPECT_NE(message.find("the model uses joint type \"revolute\", which the program added itself"), std::string::npos)
      << message;
}

TEST(ByParameter, AModelThatWasChangedAfterReadingIsRefused) {
  Model model = read_model(pendulum, "pendulum.toml");
  model.gravity.z() = -1.6;
  EXPECT_NE(told(model, "k").find("not the one that its text describes"), std::string::npos);
}

TEST(ByParameter, ANumberWithoutADerivativeIsTold) {
  const std::string text = std::string(pendulum) + R"toml(
[[force]]
type = "joint"
joint = "hinge"
effort = "sqrt(nothing - 1)"
)toml";
  EXPECT_NE(told(read_model(text, "pendulum.toml"), "nothing").find("has no derivative by the parameter \"nothing\""),
            std::string::npos);
}

TEST(ByParameter, WrongNamesGetSuggestionsOfParametersToo) {
  const Model model = example_model("bicycle");
  EXPECT_NE(told(model, "IRx")
                .find("did you mean \"IRxx\"? An input is an effort along a coordinate, a drive or a "
                      "parameter"),
            std::string::npos)
      << told(model, "IRx");
}

TEST(ByParameter, SetValuesAndDependentParametersAreFollowed) {
  const std::string text = R"toml(
format = 1
gravity = [0, 0, "-down"]
[parameters]
g = 2.0
down = "g^2"
[[body]]
name = "stone"
mass = 1
point_mass = true
)toml";
  const auto by = [&](const Model& model, const char* input) {
    return entry_B(linearize_start(model, {.states = {"stone.z"}, .inputs = {input}}), "stone.z.rate", input);
  };
  EXPECT_NEAR(by(read_model(text, "stone.toml"), "g"), -4.0, 1e-13);
  EXPECT_NEAR(by(read_model(text, "stone.toml"), "down"), -1.0, 1e-13);
  ReadOptions options;
  options.set = {{"g", 3.0}};
  EXPECT_NEAR(by(read_model(text, "stone.toml", options), "g"), -6.0, 1e-13);
  options.set = {{"down", 5.0}};
  EXPECT_NEAR(by(read_model(text, "stone.toml", options), "g"), 0.0, 1e-13);
}

}  // namespace
}  // namespace tandem
