// Steps of the fast recursion against the plain ones: the same motion, the same reports, the same files.
#include <gtest/gtest.h>

#include <map>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/link_form.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {
namespace {

Model articulated(const std::string& example) {
  Model model = example_model(example);
  model.setup.method = "articulated";
  model.setup.cut = "loops";
  return model;
}

// The plain step in the same coordinates.
Model plain(const Model& model) {
  Model other = model;
  other.setup.method = "null_space";
  other.setup.cut = "loops";
  return other;
}

Model model_of_text(const std::string& text) { return read_model("format = 1\n" + text, "test.toml"); }

double apart(const Eigen::VectorXd& a, const Eigen::VectorXd& b) { return (a - b).lpNorm<Eigen::Infinity>(); }

class FastStep : public ::testing::TestWithParam<const char*> {};

TEST_P(FastStep, IsThePlainStep) {
  const Model model = articulated(GetParam()), other = plain(model);
  Simulation fast(model), slow(other);
  ASSERT_TRUE(fast.is_fast());
  ASSERT_FALSE(slow.is_fast());
  for (int i = 0; i < 300; ++i) {
    const StepReport a = fast.step(0.001), b = slow.step(0.001);
    EXPECT_NEAR(a.before.position, b.before.position, 1e-14);
    EXPECT_NEAR(a.before.velocity, b.before.velocity, 1e-12);
    EXPECT_LT(a.after.position, 1e-13);
    EXPECT_LT(a.after.velocity, 1e-13);
  }
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
  EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-11);
  EXPECT_LT(apart(fast.state().angles(), slow.state().angles()), 1e-11);
  EXPECT_LT(apart(fast.bodies().q(), slow.bodies().q()), 1e-11);
  EXPECT_NEAR(fast.energy().total(), slow.energy().total(), 1e-10);
  EXPECT_LT(apart(fast.solution().y, slow.solution().y), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Examples, FastStep,
                         ::testing::Values("bicycle", "rolling-disc", "top", "rail", "slider-crank", "n-four-bar",
                                           "chain", "ring-chain", "stewart"));

// Machines with redundant rows. A residual below tolerances::projected may be left alone, here by one and there by the
// other: so these are the same but for that.
TEST(FastStep, LeavesRedundantRowsOut) {
  for (const char* name : {"four-bar", "governor"}) {
    SCOPED_TRACE(name);
    const Model model = articulated(name), other = plain(model);
    Simulation fast(model), slow(other);
    ASSERT_TRUE(fast.is_fast());
    for (int i = 0; i < 1000; ++i) {
      const StepReport a = fast.step(0.001), b = slow.step(0.001);
      ASSERT_TRUE(fast.was_fast()) << i;
      EXPECT_NEAR(a.before.position, b.before.position, 2.0 * tolerances::projected * model.scale.length);
      EXPECT_LT(a.after.position, tolerances::projected * model.scale.length);
    }
    EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
    EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-11);
    EXPECT_LT(apart(fast.state().angles(), slow.state().angles()), 1e-11);
    EXPECT_LT(apart(fast.solution().y, slow.solution().y), 1e-9);
  }
}

// Two wheels on one axle repeat in their rolling rows what a hub says: positions are closed by other rows than speeds.
TEST(FastStep, ClosesPositionsByRowsOfTheirOwn) {
  for (const char* name : {"two_wheels", "cart", "tricycle", "car"}) {
    SCOPED_TRACE(name);
    Model model = defect_model(name);
    model.setup.method = "articulated";
    model.setup.cut = "loops";
    model.setup.integrator = "rk4";
    const Model other = plain(model);
    Simulation fast(model), slow(other);
    ASSERT_TRUE(fast.is_fast());
    for (int i = 0; i < 200; ++i) {
      const StepReport a = fast.step(0.002), b = slow.step(0.002);
      ASSERT_TRUE(fast.was_fast()) << i;
      EXPECT_NEAR(a.before.position, b.before.position, 1e-12);
      EXPECT_LT(a.after.position, 1e-12);
    }
    EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-10);
    EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-10);
  }
}

// What is still left to the plain recursion, and why. This list may only get shorter.
TEST(FastStep, CarriesAllExamplesButThese) {
  std::map<std::string, std::string> left;
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    if (const auto reason = TreeDynamics::obstacle(model, TreeDynamics::Acts::everything))
      left[std::string(example.name)] = *reason;
  }
  const std::map<std::string, std::string> wanted{};
  EXPECT_EQ(left, wanted);
}

// A tree with a loop in it, and every law on it: on points of bodies and of the world, along coordinates of tree
// joints, of time and not.
constexpr const char* loaded = R"toml(
[simulation]
method = "articulated"
[[body]]
name = "base"
mass = 3.0
inertia = [0.3, 0.4, 0.5]
position = [0, 0, 0.2]
angular_velocity = [0.3, 0, 0.5]
[[body]]
name = "arm"
mass = 1.0
inertia = [0.1, 0.12, 0.05]
position = [0.6, 0, 0.2]
[[body]]
name = "hand"
mass = 0.4
inertia = [0.02, 0.03, 0.04]
position = [1.3, 0, 0.2]
[[body]]
name = "tail"
mass = 0.7
inertia = [0.03, 0.02, 0.05]
position = [-0.7, 0, 0.2]
[[joint]]
name = "shoulder"
type = "universal"
bodies = ["base", "arm"]
point = [0.3, 0, 0.2]
axis = [0, 0, 1]
second_axis = [0, 1, 0]
[[joint]]
name = "slide"
type = "cylindrical"
bodies = ["hand", "arm"]
point = [1.0, 0, 0.2]
axis = [1, 0, 0]
[[joint]]
name = "ball"
type = "spherical"
bodies = ["base", "tail"]
point = [-0.4, 0, 0.2]
[[force]]
name = "spring"
type = "spring_damper"
bodies = ["world", "hand"]
points = [[0, 0, 2], [1.4, 0.1, 0.2]]
stiffness = 30
damping = 0.7
[[force]]
name = "strut"
type = "spring_damper"
bodies = ["tail", "arm"]
points = [[-0.8, 0, 0.3], [0.6, 0.1, 0.2]]
stiffness = 12
[[force]]
name = "elbow"
type = "joint"
joint = "shoulder"
coordinate = "first"
stiffness = 4
rest = 0.1
damping = 0.3
effort = "2*sin(7*t)"
[[force]]
name = "drag"
type = "joint"
joint = "slide"
coordinate = "displacement"
damping = 0.9
[[force]]
name = "motor"
type = "joint"
joint = "ball"
coordinate = "wy"
effort = 0.4
damping = 0.05
[[force]]
name = "air"
type = "damping"
body = "arm"
linear = 0.2
angular = 0.1
[[force]]
name = "jet"
type = "force"
body = "tail"
point = [-0.9, 0, 0.2]
value = ["1+t", 0.3, "cos(5*t)"]
axes = "body"
[[force]]
name = "twist"
type = "torque"
body = "base"
value = [0, 0, "0.2*t"]
)toml";

double apart(const Work& a, const Work& b) {
  return std::max({std::abs(a.dampers - b.dampers), std::abs(a.forces - b.forces), std::abs(a.drives - b.drives)});
}

TEST(FastStep, HasEveryForceLawInIt) {
  const Model model = model_of_text(loaded), other = plain(model);
  ASSERT_EQ(model.forces.size(), 8U);
  Simulation fast(model), slow(other);
  ASSERT_TRUE(fast.is_fast());
  for (int i = 0; i < 500; ++i) {
    fast.step(0.002);
    slow.step(0.002);
  }
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
  EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-11);
  EXPECT_LT(apart(fast.state().work(), slow.state().work()), 1e-11);
  EXPECT_GT(std::abs(fast.state().work().dampers), 0.1);
  EXPECT_GT(std::abs(fast.state().work().forces), 0.1);
  EXPECT_NEAR(fast.energy().total(), slow.energy().total(), 1e-11);
  EXPECT_LT(apart(fast.solution().y, slow.solution().y), 1e-9);
}

// A turn and a slide of the tree above, one of a joint with its first body further out; and a crank in a loop.
constexpr const char* driven = R"toml(
[[drive]]
joint = "slide"
coordinate = "angle"
type = "function"
value = "0.7*sin(9*t)"
[[drive]]
joint = "shoulder"
coordinate = "second"
type = "function"
value = "0.2*t^2"
[[body]]
name = "crank"
mass = 0.8
inertia = [0.02, 0.05, 0.05]
position = [0.25, 3, 0]
[[body]]
name = "rod"
mass = 0.5
inertia = [0.01, 0.04, 0.04]
position = [1.0, 3, 0]
[[joint]]
name = "crank"
type = "revolute"
bodies = ["world", "crank"]
point = [0, 3, 0]
axis = [0, 1, 0]
[[joint]]
name = "knee"
type = "universal"
bodies = ["crank", "rod"]
point = [0.5, 3, 0]
axis = [0, 1, 0]
second_axis = [0, 0, 1]
[[constraint]]
name = "link"
type = "distance"
bodies = ["world", "rod"]
points = [[1.5, 3, 1], [1.5, 3, 0]]
[[drive]]
joint = "crank"
type = "function"
value = "0.3*sin(4*t)"
[[force]]
name = "grease"
type = "joint"
joint = "crank"
damping = 0.6
effort = 0.5
)toml";

TEST(FastStep, HasDrivesInIt) {
  const Model model = model_of_text(std::string(loaded) + driven), other = plain(model);
  ASSERT_EQ(model.drives.size(), 3U);
  Simulation fast(model), slow(other);
  ASSERT_TRUE(fast.is_fast());
  for (int i = 0; i < 500; ++i) {
    const StepReport a = fast.step(0.002), b = slow.step(0.002);
    EXPECT_NEAR(a.before.position, b.before.position, 1e-13);
    EXPECT_NEAR(a.before.velocity, b.before.velocity, 1e-11);
  }
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
  EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-11);
  EXPECT_LT(apart(fast.state().work(), slow.state().work()), 1e-11);
  EXPECT_GT(std::abs(fast.state().work().drives), 0.1);
  EXPECT_LT(apart(fast.solution().y, slow.solution().y), 1e-9);
}

// The ledger closes with the order of the integrator: the work of laws and drives is that of the forces that act.
TEST(FastStep, TheLedgerCloses) {
  const Model model = model_of_text(std::string(loaded) + driven);
  const auto off = [&](double h) {
    Simulation simulation(model);
    const double begin = simulation.energy().total();
    for (int i = 0; i < std::lround(0.4 / h); ++i) simulation.step(h);
    return std::abs(simulation.energy().total() - begin - simulation.state().work().total());
  };
  const double coarse = off(0.02), fine = off(0.01);
  EXPECT_LT(fine, 1e-5);
  EXPECT_GT(std::log2(coarse / fine), 3.5) << coarse << " " << fine;
}

// A law of a program's own, which says nothing about its power.
struct Quadratic {
  static constexpr std::string_view type = "quadratic";
  static constexpr int points = 1, coordinates = 0;
  template <class S> void apply(const Attachments<S>& at, const S&, Loads<S>& loads) const {
    using std::sqrt;
    loads.forces[0] = -0.3 * sqrt(S(at.points[0].v.dot(at.points[0].v)) + S(1e-6)) * at.points[0].v;
  }
};

TEST(FastStep, HasLawsOfAProgramsOwn) {
  Model model = articulated("top");
  model.forces.push_back({.name = "drag",
                          .force = Quadratic{},
                          .points = {BodyFrame{0, {Matrix3::Identity(), {0.1, 0, 0}}}},
                          .coordinates = {}});
  const Model other = plain(model);
  Simulation fast(model), slow(other);
  ASSERT_TRUE(fast.is_fast());
  for (int i = 0; i < 200; ++i) {
    fast.step(0.001);
    slow.step(0.001);
  }
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
  EXPECT_LT(apart(fast.state().work(), slow.state().work()), 1e-11);
  EXPECT_LT(fast.state().work().dampers, -1e-4);
}

// A spring, a damper and a push along the joint that closes the loop, whose angle passes half a turn.
TEST(FastStep, CarriesAnEffortInALoop) {
  Model model = articulated("four-bar");
  model.joints[0].cut = true;  // the crank, which turns round
  const Forest forest = spanning_forest(model);
  ASSERT_EQ(forest.loops.size(), 1U);
  model.forces.push_back(
      {.name = "brake",
       .force = JointEffort{.stiffness = 0.01, .damping = 0.01, .rest = 0.3, .effort = TimeFunction(0.5)},
       .points = {},
       .coordinates = {CoordinateRef{forest.loops[0], 0}}});
  const Model other = plain(model);
  Simulation fast(model), slow(other);
  ASSERT_TRUE(fast.is_fast());
  const int angle = model.joints[static_cast<std::size_t>(forest.loops[0])].turns_first;
  for (int i = 0; i < 3000; ++i) {
    fast.step(0.002);
    slow.step(0.002);
  }
  EXPECT_GT(std::abs(fast.state().angles()[angle]), pi);  // it counts turns
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-9);
  EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-9);
  EXPECT_LT(apart(fast.state().angles(), slow.state().angles()), 1e-9);
  EXPECT_LT(apart(fast.state().work(), slow.state().work()), 1e-9);
  EXPECT_LT(fast.state().work().dampers, -1e-4);
}

TEST(FastStep, LooksWithinAStep) {
  const Model model = articulated("bicycle"), other = plain(model);
  Simulation fast(model), slow(other);
  for (int i = 0; i < 10; ++i) {
    fast.step(0.01);
    slow.step(0.01);
  }
  EXPECT_LT(apart(fast.at(0.0975).q(), slow.at(0.0975).q()), 1e-12);
  fast.step(0.01);
  slow.step(0.01);
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
}

TEST(FastStep, GoesOnFromItsMemory) {
  const Model model = articulated("bicycle");
  Simulation one(model), two(model);
  for (int i = 0; i < 20; ++i) one.step(0.001);
  two.restore(one.state(), one.memory());
  for (int i = 0; i < 20; ++i) {
    one.step(0.001);
    two.step(0.001);
  }
  EXPECT_EQ(one.state().q(), two.state().q());
  EXPECT_EQ(one.state().v(), two.state().v());
  EXPECT_EQ(one.bodies().q(), two.bodies().q());
}

// A chain on a plane with a knife edge on every link: rows to the world in a crowd, which are eliminated on the way.
Model snake(int links, double heavy) {
  Builder build("snake");
  build.gravity({1, 2, 0});
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i);
    build.body({.name = name,
                .mass = i % 2 == 0 ? 1.0 : heavy,
                .shapes = {Shape::box({1.0, 0.1, 0.1})},
                .position = {1.0 * i, 0, 0}});
    build.joint({.name = "joint" + std::to_string(i),
                 .type = i == 0 ? Joint(Planar{}) : Joint(Revolute{}),
                 .bodies = {i == 0 ? "world" : "link" + std::to_string(i - 1), name},
                 .point = Vector3(i - 0.5, 0, 0),
                 .axis = Vector3(0, 0, 1)});
    build.constraint({.name = "wheel" + std::to_string(i),
                      .type = KnifeEdge{},
                      .bodies = {"world", name},
                      .points = {Vector3(i, 0, 0)},
                      .blade = Vector3(std::cos(0.2 * std::sin(i)), std::sin(0.2 * std::sin(i)), 0)});
  }
  Model model = build.finish();
  model.setup.method = "articulated";
  return model;
}

TEST(FastStep, CarriesACrowdOfRowsToTheWorld) {
  for (const double heavy : {1.0, 1e4, 1e8}) {
    SCOPED_TRACE(heavy);
    const Model model = snake(14, heavy), other = plain(model);
    Simulation fast(model), slow(other);
    for (int i = 0; i < 200; ++i) {
      const StepReport a = fast.step(0.005), b = slow.step(0.005);
      EXPECT_NEAR(a.before.velocity, b.before.velocity, 1e-11);
      EXPECT_LT(a.after.velocity, 1e-12);
    }
    EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-10);
    EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-10);
  }
}

// Where rows are eliminated was found at the start: a run that goes on keeps to it.
TEST(FastStep, ACrowdGoesOnFromItsMemory) {
  const Model model = snake(14, 1.0);
  Simulation one(model), two(model);
  for (int i = 0; i < 60; ++i) one.step(0.01);
  two.restore(one.state(), one.memory());
  for (int i = 0; i < 20; ++i) {
    one.step(0.01);
    two.step(0.01);
  }
  EXPECT_EQ(one.state().q(), two.state().q());
  EXPECT_EQ(one.state().v(), two.state().v());
}

TEST(FastStep, TellsOfAStepTooLong) {
  const Model model = articulated("bicycle");
  Simulation simulation(model);
  const State before = simulation.state();
  EXPECT_THROW(simulation.step(0.5), NumericalError);
  EXPECT_EQ(simulation.state().q(), before.q());
  EXPECT_NO_THROW(simulation.step(0.001));
}

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
  ASSERT_TRUE(fast.is_fast());
  for (int i = 0; i < 300; ++i) {
    fast.step(0.002);
    slow.step(0.002);
  }
  EXPECT_LT(apart(fast.state().q(), slow.state().q()), 1e-11);
  EXPECT_LT(apart(fast.state().v(), slow.state().v()), 1e-11);
  EXPECT_LT(apart(fast.state().work(), slow.state().work()), 1e-11);
  EXPECT_GT(std::abs(fast.state().work().drives), 0.1);
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
  const auto end = [&](double h) -> Eigen::VectorXd {
    Simulation simulation(model);
    const int steps = static_cast<int>(std::lround(0.4 / h));
    for (int i = 0; i < steps; ++i) simulation.step(h);
    return simulation.state().q();
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
  ASSERT_TRUE(own.is_fast());  // by its own kernel
  for (int i = 0; i < 200; ++i) {
    own.step(0.002);
    by_rows.step(0.002);
  }
  EXPECT_LT(apart(own.bodies().q(), by_rows.bodies().q()), 1e-9);
  EXPECT_NEAR(own.coordinate("hinge"), by_rows.coordinate("hinge"), 1e-9);
}

// It takes over what the library's hinge declares of itself, and moves otherwise.
struct DerivedRevolute : Revolute {
  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const { return OwnRevolute{}.pose<S>(q); }
  template <class S> void motion(const VecUpTo7<S>& q, const VecUpTo6<S>& v, Mat6UpTo6<S>& S_F, Vec6<S>& c) const {
    OwnRevolute{}.motion<S>(q, v, S_F, c);
  }
};

TEST(FastStep, ADeclarationThatTheKernelDeniesDoesNotCount) {
  EXPECT_EQ(link_form(Revolute{}), LinkForm::axes);
  EXPECT_EQ(link_form(OwnRevolute{}), LinkForm::any);
  EXPECT_EQ(link_form(DerivedRevolute{}), LinkForm::any);
}

}  // namespace
}  // namespace tandem
