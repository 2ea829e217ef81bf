// What users of the library rely on: queries, energy, redundancy, massless links, threads, failures by name.
#include <gtest/gtest.h>

#include <thread>

#include "support/example_model.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(Counts, FourBarNamesItsThreeRedundantRows) {
  const Counts counts = count(example_model("four-bar"));
  EXPECT_EQ(counts.redundant, 3);
  EXPECT_EQ(counts.dof, 1);
  ASSERT_EQ(counts.redundant_rows.size(), 3U);
  for (const RedundantRow& row : counts.redundant_rows) {
    EXPECT_NE(row.row.find("joint \"ground_rocker\""), std::string::npos) << row.row;
    EXPECT_EQ(row.depends_on.size(), 3U);
  }
  EXPECT_TRUE(counts.notes.empty());
}

TEST(Counts, SingularStartIsNoted) {
  // A parallelogram lying flat: rank drops at the dead point and comes back next to it.
  Builder build;
  build.body({.name = "crank", .mass = 1.0, .shapes = {Shape::cylinder(0.1, 1.0, {1, 0, 0})}, .position = {0.5, 0, 0}});
  build.body(
      {.name = "coupler", .mass = 1.0, .shapes = {Shape::cylinder(0.1, 2.0, {1, 0, 0})}, .position = {2.0, 0, 0}});
  build.body(
      {.name = "rocker", .mass = 1.0, .shapes = {Shape::cylinder(0.1, 1.0, {1, 0, 0})}, .position = {2.5, 0, 0}});
  const auto hinge = [&](const char* name, std::string a, std::string b, double x) {
    build.joint({.name = name,
                 .type = Revolute{},
                 .bodies = {std::move(a), std::move(b)},
                 .point = Vector3(x, 0, 0),
                 .axis = Vector3(0, 1, 0)});
  };
  hinge("a", "world", "crank", 0.0);
  hinge("b", "crank", "coupler", 1.0);
  hinge("c", "coupler", "rocker", 3.0);
  hinge("d", "world", "rocker", 2.0);
  const Counts counts = count(build.finish());
  EXPECT_EQ(counts.redundant, 4);
  ASSERT_EQ(counts.notes.size(), 1U);
  EXPECT_NE(counts.notes[0].find("singular"), std::string::npos);
}

TEST(Redundant, DistanceBesideAHingeLeavesThePendulumAlone) {
  // The bar says what the hinge says already, but only on the constraints: a stage of a step lies a little off them.
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(2.0)}, .position = {1, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  const Model plain = build.finish();
  build.constraint(
      {.name = "bar", .type = Distance{}, .bodies = {"world", "rod"}, .points = {Vector3(0, 0, 0), Vector3(2, 0, 0)}});
  Model doubled = build.finish();
  EXPECT_EQ(count(doubled).redundant, 1);
  Simulation wanted(plain);
  advance(wanted, 1.0, 0.002);
  for (const std::string& method : method_names()) {
    doubled.setup.method = method;
    Simulation simulation(doubled);
    advance(simulation, 1.0, 0.002);
    const bool first_order = method == "impulses";
    EXPECT_NEAR(simulation.coordinate("hinge"), wanted.coordinate("hinge"), first_order ? 0.01 : 1e-9) << method;
    EXPECT_NEAR(simulation.energy().total(), 0.0, first_order ? 0.2 : 1e-6) << method;
  }
}

TEST(Reactions, OfRedundantJointsAreMarked) {
  const Model model = example_model("four-bar");
  Simulation simulation(model);
  for (const UniqueReaction& joint : uniqueness(model, simulation.workspace()).joints)
    EXPECT_EQ(joint.missing(), "force y, torque x z");  // across the plane
  const Model bicycle = example_model("bicycle");
  Simulation riding(bicycle);
  EXPECT_TRUE(uniqueness(bicycle, riding.workspace()).all());
}

TEST(Reactions, BalanceMomentumOfEveryBody) {
  // Newton for the fork of the moving bicycle: m a = weight + what the frame does to it − what it does to the wheel.
  const Model model = example_model("bicycle");
  Simulation simulation(model);
  advance(simulation, 0.3, 0.01);
  const Vector3 a = simulation.acceleration({model.body("fork"), {}}).v;
  const Reaction steer = simulation.reaction("steer"), hub = simulation.reaction("front_hub");
  EXPECT_LE((4.0 * a - Vector3(0, 0, -4.0 * 9.81) - steer.force + hub.force).norm(), 1e-9);
  // Euler about the mass centre, in world axes.
  const Body& body = model.bodies[static_cast<std::size_t>(model.body("fork"))];
  const BodyMotion<double>& motion = simulation.workspace().kinematics.body(model.body("fork"));
  const Vector3 w_dot = simulation.solution().y.segment<3>(body.v_first);
  const Vector3 rate = motion.X_WC.R * (body.inertia * w_dot + motion.w_B.cross(Vector3(body.inertia * motion.w_B)));
  const auto about = [&](const Reaction& r) { return Vector3(r.torque + (r.point - motion.X_WC.p).cross(r.force)); };
  EXPECT_LE((rate - about(steer) + about(hub)).norm(), 1e-9);
}

TEST(Massless, LinkIsLegalInALoopAndNamedWhenItCanMove) {
  EXPECT_NO_THROW(require_inertia(example_model("slider-crank")));
  Builder build;
  build.body({.name = "ghost", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "ghost"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(1, 0, 0)});
  const Model model = build.finish();
  try {
    require_inertia(model);
    FAIL() << "a body without inertia that can turn";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("\"ghost\" can turn about its x axis"), std::string::npos) << error.what();
  }
  EXPECT_THROW(Simulation(model).solution(), NumericalError);
}

TEST(Massless, ThinRodMayNotTurnAboutItself) {
  Builder build;
  build.body({.name = "rod", .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
  build.joint({.name = "ball", .type = Spherical{}, .bodies = {"world", "rod"}, .point = Vector3(0, 0, 0)});
  EXPECT_THROW(require_inertia(build.finish()), ModelError);
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  EXPECT_NO_THROW(require_inertia(build.finish()));
}

TEST(Rope, IsRefusedByNameWhereEquationsAreSolved) {
  Builder build;
  build.body({.name = "mass", .mass = 1.0, .point_mass = true, .position = {0, 0, -1}});
  build.constraint(
      {.name = "tether", .type = Rope{}, .bodies = {"world", "mass"}, .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}});
  const Model model = build.finish();
  const Counts counts = count(model);
  EXPECT_EQ(counts.one_sided, 1);
  EXPECT_EQ(counts.holonomic, 0);
  EXPECT_EQ(counts.dof, 3);
  try {
    Simulation simulation(model);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("constraint \"tether\""), std::string::npos);
  }
}

TEST(Start, ThatDoesNotCloseIsRefusedByRow) {
  Builder build;
  build.body({.name = "rod",
              .mass = 1.0,
              .shapes = {Shape::box({1, 0.1, 0.1})},
              .position = {0.5, 0, 0},
              .frames = {{.name = "end", .position = {-0.5, 0, 0.2}}}});
  build.world_frame({.name = "pin"});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .frames = {{FramePlacement{.name = "pin"}, FramePlacement{.name = "end"}}}});
  const Model model = build.finish();
  try {
    Simulation simulation(model);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("joint \"hinge\", point z is off by 0.2"), std::string::npos)
        << error.what();
  }
}

TEST(Queries, AgreeWithTheMotion) {
  const Model model = example_model("bicycle");
  Simulation simulation(model);
  advance(simulation, 0.5, 0.01);
  const BodyFrame point = model.point("fork", {0.1, 0.2, -0.3});
  const Twist<double> velocity = simulation.velocity(point), acceleration = simulation.acceleration(point);
  const Eigen::VectorXd by_jacobian = simulation.jacobian(point) * simulation.bodies().v();
  EXPECT_LE((by_jacobian.head<3>() - velocity.w).norm(), 1e-12);
  EXPECT_LE((by_jacobian.tail<3>() - velocity.v).norm(), 1e-12);
  const double h = 1e-4;
  Simulation before(model), after(model);
  before.set_state(simulation.state());
  after.set_state(simulation.state());
  before.step(-h);
  after.step(h);
  EXPECT_LE(((after.pose(point).p - before.pose(point).p) / (2 * h) - velocity.v).norm(), 1e-6);
  EXPECT_LE(((after.velocity(point).v - before.velocity(point).v) / (2 * h) - acceleration.v).norm(), 1e-5);
  EXPECT_LE(((after.velocity(point).w - before.velocity(point).w) / (2 * h) - acceleration.w).norm(), 1e-5);
  EXPECT_NEAR((after.rate("steer") - before.rate("steer")) / (2 * h),
              simulation.joint_acceleration(model.joint("steer"))[0], 1e-5);
  EXPECT_NEAR((after.coordinate("steer") - before.coordinate("steer")) / (2 * h), simulation.rate("steer"), 1e-6);
  EXPECT_THROW(simulation.coordinate("ster"), std::out_of_range);
}

TEST(Queries, AnglesCountTheirTurns) {
  const Model model = example_model("bicycle", {{"lean_rate", 0.0}});
  Simulation simulation(model);
  advance(simulation, 2.0, 0.0005);
  EXPECT_NEAR(simulation.coordinate("rear_hub"), 4.6 / 0.3 * 2.0, 1e-9);  // nearly five turns
}

TEST(Threads, ShareOneConstModel) {
  const Model model = example_model("bicycle");
  const auto final_state = [&model]() -> Eigen::VectorXd {
    Simulation simulation(model);
    advance(simulation, 0.5, 0.01);
    return simulation.state().q();
  };
  const Eigen::VectorXd alone = final_state();
  std::vector<Eigen::VectorXd> together(4);
  {
    std::vector<std::jthread> threads;
    for (Eigen::VectorXd& result : together) threads.emplace_back([&result, &final_state] { result = final_state(); });
  }
  for (const Eigen::VectorXd& result : together) EXPECT_EQ(result, alone);  // to the last bit
}

TEST(Coupler, GearKeepsItsRatioOverManyTurns) {
  Builder build;
  build.gravity({0, 0, 0});
  for (const char* name : {"small", "large"}) {
    build.body({.name = name,
                .mass = 1.0,
                .shapes = {Shape::cylinder(0.1, 0.1)},
                .position = {name[0] == 's' ? 0.0 : 1.0, 0, 0}});
    build.joint({.name = std::string(name) + "_axle",
                 .type = Revolute{},
                 .bodies = {"world", name},
                 .point = Vector3(name[0] == 's' ? 0.0 : 1.0, 0, 0),
                 .axis = Vector3(0, 0, 1)});
  }
  build.constraint(
      {.name = "gear",
       .type = Coupler{.coordinates = {{"small_axle", ""}, {"large_axle", ""}}, .coefficients = {1.0, 3.0}}});
  build.force({.name = "motor", .type = JointEffort{.effort = 0.1}, .coordinates = {{"small_axle", ""}}});
  const Model model = build.finish();
  Simulation simulation(model);
  advance(simulation, 4.0, 0.001);
  const double inertia = 0.5 * 0.01, angle = 0.5 * 0.1 / (inertia * (1.0 + 1.0 / 9.0)) * 16.0;
  EXPECT_NEAR(simulation.coordinate("small_axle"), angle, 1e-6);  // 144 rad
  EXPECT_NEAR(simulation.coordinate("large_axle"), -angle / 3.0, 1e-6);
}

TEST(Drive, EffortIsWhatNewtonSays) {
  // A disc driven by θ = t²: τ = I θ̈, and the same through a joint spring that must be overcome.
  Builder build;
  build.gravity({0, 0, 0});
  build.body({.name = "disc", .mass = 2.0, .shapes = {Shape::cylinder(0.5, 0.1)}});
  build.joint({.name = "axle",
               .type = Revolute{},
               .bodies = {"world", "disc"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 0, 1)});
  build.drive({.name = "motor", .type = DriveFunction{[](auto t) { return t * t; }}, .coordinate = {"axle", ""}});
  build.force({.name = "spring", .type = JointEffort{.stiffness = 3.0, .damping = 0.5}, .coordinates = {{"axle", ""}}});
  const Model model = build.finish();
  Simulation simulation(model);
  advance(simulation, 1.5, 0.01);
  EXPECT_NEAR(simulation.coordinate("axle"), 2.25, 1e-12);
  EXPECT_NEAR(drive_effort(model, simulation.solution(), 0), 0.25 * 2.0 + 3.0 * 2.25 + 0.5 * 3.0, 1e-9);
  EXPECT_NEAR(simulation.reaction("axle").torque.z(), 0.25 * 2.0, 1e-9);  // all that crosses the joint
}

TEST(Energy, IsKeptBySpringsAndLostByDampers) {
  for (const double damping : {0.0, 0.3}) {
    Builder build;
    build.body({.name = "box", .mass = 1.0, .shapes = {Shape::box({0.2, 0.3, 0.4})}, .position = {0.3, 0, -1}});
    build.force({.name = "spring",
                 .type = SpringDamper{.stiffness = 40.0, .damping = damping, .length = 0.8},
                 .bodies = {"world", "box"},
                 .points = {Vector3(0, 0, 0), Vector3(0.2, 0.1, -0.9)}});
    const Model model = build.finish();
    EXPECT_EQ(model.conserves_energy(), damping == 0.0);
    Simulation simulation(model);
    const double before = simulation.energy().total();
    advance(simulation, 2.0, 0.001);
    const double change = simulation.energy().total() - before;
    if (damping == 0.0)
      EXPECT_NEAR(change, 0.0, 1e-9);
    else
      EXPECT_LT(change, -0.05);
  }
}

TEST(Forest, FindsTreeLoopAndLoneBodies) {
  const Model model = example_model("four-bar");
  const Forest forest = spanning_forest(model);
  EXPECT_EQ(forest.tree.size(), 3U);
  ASSERT_EQ(forest.loops.size(), 1U);
  Builder build;
  build.body({.name = "stone", .mass = 1.0, .shapes = {Shape::sphere(0.1)}});
  EXPECT_EQ(lone_bodies(build.finish()).size(), 1U);
}

TEST(Failure, DrivesThatContradictAreNamed) {
  // Two wheels on one shaft (a gear of ratio 1) are driven at different speeds.
  Builder build;
  for (const char* name : {"a", "b"}) {
    build.body({.name = name, .mass = 1.0, .shapes = {Shape::cylinder(0.1, 0.1)}});
    build.joint({.name = std::string("axle_") + name,
                 .type = Revolute{},
                 .bodies = {"world", name},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(0, 0, 1)});
    build.drive({.name = std::string("drive_") + name,
                 .type = ConstantSpeedDrive{.speed = name[0] == 'a' ? 1.0 : 2.0},
                 .coordinate = {std::string("axle_") + name, ""}});
  }
  build.constraint(
      {.name = "shaft", .type = Coupler{.coordinates = {{"axle_a", ""}, {"axle_b", ""}}, .coefficients = {1.0, -1.0}}});
  const Model model = build.finish();
  const Counts counts = count(model);
  EXPECT_EQ(counts.redundant, 1);
  EXPECT_EQ(counts.dof, 0);
  try {
    Simulation simulation(model);
    FAIL();
  } catch (const ModelError& error) {
    // Any of the three may be named: each contradicts the other two.
    EXPECT_NE(std::string(error.what()).find("no speeds meet"), std::string::npos);
    const bool named = std::string(error.what()).find("drive \"drive_") != std::string::npos ||
                       std::string(error.what()).find("constraint \"shaft\"") != std::string::npos;
    EXPECT_TRUE(named) << error.what();
  }
}

TEST(Failure, TurningTooFastForTheStepIsNamed) {
  Builder build;
  build.gravity({0, 0, 0});
  build.body({.name = "rotor", .mass = 1.0, .shapes = {Shape::cylinder(0.1, 0.1)}, .angular_velocity = {0, 0, 400}});
  const Model model = build.finish();
  Simulation simulation(model);
  EXPECT_THROW(simulation.step(0.01), NumericalError);
  EXPECT_NO_THROW(simulation.step(0.001));
}

TEST(Failure, KeepsTheLastGoodState) {
  // Two points that a distance holds apart are driven onto each other by a length that reaches zero.
  Builder build;
  build.body({.name = "mass", .mass = 1.0, .point_mass = true, .position = {0, 0, -1}});
  const std::vector<std::string> time{"t"};
  const auto parsed = Expression::parse("1 - t", time);
  build.constraint({.name = "line",
                    .type = Distance{.length = TimeFunction(std::get<Expression>(parsed))},
                    .bodies = {"world", "mass"},
                    .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}});
  const Model model = build.finish();
  Simulation simulation(model);
  try {
    advance(simulation, 2.0, 0.01);
    FAIL() << "it should not pass through zero length";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("at t = "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("constraint \"line\""), std::string::npos) << error.what();
    EXPECT_TRUE(simulation.state().q().allFinite());
    EXPECT_NEAR(simulation.state().t, 1.0, 0.02);
  }
}

}  // namespace
}  // namespace tandem
