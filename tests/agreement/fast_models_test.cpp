// What the fast recursion carries beside trees of the library's joints: joints by their kernels, in both directions,
// driven and coupled coordinates, rows of a program's own. Each against the plain step.
#include <gtest/gtest.h>

#include "support/numbers.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {
namespace {

double largest_difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).lpNorm<Eigen::Infinity>();
}

// The fast and the plain step side by side; what each leaves of the rows before projection is the same too.
void expect_same_motion(Model model, int steps, double digits = 1e-10) {
  model.setup.method = "articulated";
  model.setup.cut = "loops";
  model.setup.integrator = "rk4";
  Model other = model;
  other.setup.method = "null_space";
  Simulation start(model);
  ASSERT_EQ(TreeDynamics::obstacle(model, TreeDynamics::Acts::everything), std::nullopt);
  ASSERT_TRUE(start.is_fast());
  Simulation fast(model), slow(other);
  for (int i = 0; i < steps; ++i) {
    const StepReport a = fast.step(0.002), b = slow.step(0.002);
    ASSERT_TRUE(fast.was_fast()) << i;
    EXPECT_NEAR(a.before.position, b.before.position, 1e-12);
    EXPECT_NEAR(a.before.velocity, b.before.velocity, 1e-10);
  }
  EXPECT_LT(largest_difference(fast.state().q(), slow.state().q()), digits);
  EXPECT_LT(largest_difference(fast.state().v(), slow.state().v()), digits);
  EXPECT_LT(largest_difference(fast.state().angles(), slow.state().angles()), digits);
  EXPECT_NEAR(fast.state().work().total(), slow.state().work().total(), digits);
  EXPECT_NEAR(fast.energy().total(), slow.energy().total(), digits);
  EXPECT_LT(largest_difference(fast.solution().y, slow.solution().y), 1e-8);
}

BodyDescription block(const std::string& name, double mass, const Vector3& at) {
  return {.name = name, .mass = mass, .shapes = {Shape::box({0.5, 0.3, 0.2})}, .position = at};
}

BodyDescription nothing(const std::string& name, const Vector3& at) {
  return {.name = name, .mass = 0.0, .inertia = std::array<double, 6>{}, .position = at};
}

TimeFunction function_of_time(const std::string& text) {
  const std::string names[] = {"t"};
  return TimeFunction(std::get<Expression>(Expression::parse(text, names)));
}

Helical screw(double pitch) {
  Helical joint;
  joint.pitch = pitch;
  return joint;
}

// A screw from the near and one from the far side, a ball and a free joint from the far side, a loop across them.
Builder screws() {
  Builder build;
  build.body(block("base", 2.0, {0.4, 0, 0}))
      .body(block("nut", 1.0, {1.0, 0.1, 0}))
      .body(block("arm", 0.7, {1.6, 0, 0}));
  build.body(block("tail", 0.5, {0.4, -0.7, 0})).body(block("kite", 0.3, {0.4, 0.9, 0.2}));
  build.joint({.name = "foot",
               .type = screw(0.1),
               .bodies = {"world", "base"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  build.joint({.name = "nut",
               .type = screw(-0.2),
               .bodies = {"nut", "base"},
               .point = Vector3(0.7, 0, 0),
               .axis = Vector3(1, 0, 0.5)});
  build.joint({.name = "wrist",
               .type = Universal{},
               .bodies = {"nut", "arm"},
               .point = Vector3(1.3, 0, 0),
               .axis = Vector3(0, 0, 1),
               .second_axis = Vector3(0, 1, 0)});
  build.joint({.name = "ball", .type = Spherical{}, .bodies = {"tail", "base"}, .point = Vector3(0.4, -0.4, 0)});
  build.joint({.name = "tether", .type = Free{}, .bodies = {"kite", "base"}});
  build.constraint(
      {.name = "rod", .type = Distance{}, .bodies = {"arm", "kite"}, .points = {{1.7, 0, 0}, {0.4, 1, 0.2}}});
  return build;
}

TEST(FastModels, AnyJointInBothDirections) { expect_same_motion(screws().finish(), 300); }

TEST(FastModels, DrivesOfAnyJoint) {
  Builder build = screws();
  build.drive({.name = "turn",
               .type = ExpressionDrive{.value = function_of_time("0.4*sin(5*t)")},
               .coordinate = {"nut", "angle"}});
  build.drive(
      {.name = "lift", .type = ExpressionDrive{.value = function_of_time("0.3*t^2")}, .coordinate = {"tether", "z"}});
  expect_same_motion(build.finish(), 200);
}

// A gear between neighbours, one between branches, one of a screw with a slide, and a constant speed.
TEST(FastModels, CouplersAndConstantSpeeds) {
  Builder build = screws();
  build.body(block("car", 0.6, {0, 2, 0})).body(block("wheel", 0.2, {0, 2, 0.5})).body(block("fan", 0.2, {0, 3, 0}));
  build.joint({.name = "rail", .type = Prismatic{}, .bodies = {"world", "car"}, .axis = Vector3(1, 0, 0)});
  build.joint({.name = "axle",
               .type = Revolute{},
               .bodies = {"wheel", "car"},
               .point = Vector3(0, 2, 0.4),
               .axis = Vector3(0.2, 1, 0)});
  build.joint({.name = "shaft",
               .type = Revolute{},
               .bodies = {"world", "fan"},
               .point = Vector3(0, 3, 0),
               .axis = Vector3(0, 0, 1)});
  const auto couple = [&](const std::string& name, const CoordinateName& a, const CoordinateName& b, double ratio) {
    build.constraint({.name = name, .type = Coupler{.coordinates = {a, b}, .coefficients = {1.0, ratio}}});
  };
  couple("rack", {"rail", ""}, {"axle", ""}, 0.3);
  couple("gear", {"nut", "angle"}, {"wrist", "second"}, -0.7);
  couple("belt", {"foot", "angle"}, {"rail", ""}, 1.4);
  build.constraint({.name = "motor", .type = ConstantSpeed{.coordinate = {"shaft", ""}, .speed = 3.0}});
  expect_same_motion(build.finish(), 200);
}

// A gear on a joint that is driven.
TEST(FastModels, ACouplerToADrivenJoint) {
  Builder build = screws();
  build.drive({.name = "turn",
               .type = ExpressionDrive{.value = function_of_time("0.4*sin(5*t)")},
               .coordinate = {"nut", "angle"}});
  build.constraint(
      {.name = "gear",
       .type = Coupler{.coordinates = {{"nut", "angle"}, {"wrist", "first"}}, .coefficients = {1.0, 2.0}}});
  expect_same_motion(build.finish(), 200);
}

TEST(FastModels, DrivesOfLoopJoints) {
  Builder build = screws();
  build.body(block("arm2", 0.4, {2.2, 0, 0}));
  build.joint({.name = "crank",
               .type = Revolute{},
               .bodies = {"arm", "arm2"},
               .point = Vector3(1.9, 0, 0),
               .axis = Vector3(0, 1, 0),
               .cut = true});
  build.joint({.name = "far", .type = Spherical{}, .bodies = {"world", "arm2"}, .point = Vector3(2.5, 0, 0)});
  build.drive({.name = "motor",
               .type = ExpressionDrive{.value = function_of_time("0.2*sin(3*t)")},
               .coordinate = {"crank", ""}});
  expect_same_motion(build.finish(), 200);
}

// Points of two bodies at a distance that changes with time, and a skate that is pushed: rows on two bodies and on one.
TEST(FastModels, CustomRows) {
  Builder build = screws();
  build.constraint({.name = "string",
                    .type = custom_rows(1, 0,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          const Vec3<S> arm = bodies[0].X_WC.R * Vec3<S>(S(0.1), S(0.05), S(0.0));
                                          const Vec3<S> d = bodies[0].X_WC.p + arm - bodies[1].X_WC.p;
                                          const S square = S(0.8125) + S(0.4) * t * t;
                                          rows.phi[0] = S(0.5) * (d.dot(d) - square);
                                          rows.phi_t[0] = S(-0.4) * t;
                                          rows.J.leftCols(6) = d.transpose() * point_jacobian<S>(bodies[0], arm);
                                          rows.J.block(0, 9, 1, 3) = -d.transpose();
                                        }),
                    .bodies = {"tail", "nut"}});
  build.constraint({.name = "skate",
                    .type = custom_rows(0, 1,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          rows.J.block(0, 3, 1, 3) = bodies[0].X_WC.R.col(1).transpose();
                                          rows.phi_t[0] = S(-0.1) * t;
                                        }),
                    .bodies = {"arm"}});
  expect_same_motion(build.finish(), 200);
}

// v̇ of the recursion and of null_space on the same rows, where the machine is and moved off its constraints.
void expect_same_accelerations(const Model& model) {
  Model other = model;
  other.setup.method = "null_space";
  other.setup.cut = "loops";
  other.setup.integrator = "rk4";
  TreeDynamics tree(model, TreeDynamics::Acts::everything);
  const State start = Simulation(other).state();
  Workspace workspace(model, Cut::loops);
  test::Random random(7);
  for (int k = 0; k < 5; ++k) {
    State state = start;
    if (k > 0) {
      Eigen::VectorXd moved(tree.nv());
      for (double& each : moved) each = 0.05 * random.number(-1.0, 1.0);
      for (double& each : state.v()) each += random.number(-1.0, 1.0);
      Eigen::VectorXd q = state.q();
      tree.retract(moved, q);
      state.q() = q;
    }
    workspace.update(model, state);
    Solution wanted;
    StepMemory memory;
    find_method(MethodName::null_space).make(memory)->solve(model, workspace.problem, wanted);
    std::vector<int> rows;
    for (const int row : workspace.problem.rows)
      rows.push_back(workspace.problem.model_row[static_cast<std::size_t>(row)]);
    EXPECT_GT(rows.size(), 0U);
    tree.use_rows(rows);
    Eigen::VectorXd v_dot;
    tree.accelerate(state.t, state.q(), state.v(), false, v_dot);
    EXPECT_LT(largest_difference(v_dot, wanted.y), 1e-12 * (1.0 + wanted.y.lpNorm<Eigen::Infinity>())) << k;
    tree.loops().visit_multipliers([&](int row, double lambda) {
      const auto at = std::find(workspace.problem.model_row.begin(), workspace.problem.model_row.end(), row);
      const double there = wanted.lambda[at - workspace.problem.model_row.begin()];
      EXPECT_NEAR(lambda, there, 1e-11 * (1.0 + wanted.lambda.lpNorm<Eigen::Infinity>())) << k << ", row " << row;
    });
  }
}

constexpr double a_second = 1e-9;  // what round-off becomes in 500 steps

// Shafts that a gear of three or more couples: along one branch, on branches that come together before another of its
// joints, and from everywhere.
TEST(FastModels, CouplersOfManyCoordinates) {
  const std::vector<std::vector<CoordinateName>> gears = {
      {{"nut", "angle"}, {"wrist", "first"}, {"wrist", "second"}},
      {{"foot", "angle"}, {"nut", "angle"}, {"tether", "z"}},
      {{"wrist", "second"}, {"foot", "angle"}, {"tether", "z"}, {"tether", "x"}},
      {{"wrist", "second"}, {"tether", "z"}, {"rail", ""}, {"swing", ""}},
      {{"wrist", "second"}, {"nut", "angle"}, {"tether", "z"}, {"swing", ""}, {"foot", "angle"}, {"rail", ""}}};
  for (std::size_t i = 0; i < gears.size(); ++i) {
    SCOPED_TRACE(i);
    Builder build = screws();
    build.body(block("car", 0.6, {0, 2, 0})).body(block("flap", 0.2, {0.4, -0.2, 0.6}));
    build.joint({.name = "rail", .type = Prismatic{}, .bodies = {"world", "car"}, .axis = Vector3(1, 0, 0)});
    build.joint({.name = "swing",
                 .type = Revolute{},
                 .bodies = {"base", "flap"},
                 .point = Vector3(0.4, 0, 0.3),
                 .axis = Vector3(1, 0.3, 0)});
    std::vector<double> coefficients;
    for (std::size_t k = 0; k < gears[i].size(); ++k)
      coefficients.push_back((k % 2 == 0 ? 1.0 : -1.5) / (1.0 + 0.2 * static_cast<double>(k)));
    build.constraint({.name = "gear", .type = Coupler{.coordinates = gears[i], .coefficients = coefficients}});
    const Model model = build.finish();
    expect_same_accelerations(model);
    expect_same_motion(model, 500, a_second);
  }
}

// A differential: the case turns at the mean of the speeds of two shafts, of which one is braked by what it carries.
TEST(FastModels, ADifferentialGear) {
  Builder build;
  build.body(block("case", 1.0, {0, 0, 0}));
  build.body({.name = "left", .mass = 1.0, .shapes = {Shape::box({0.5, 0.3, 0.2})}, .angular_velocity = {3, 0, 0}});
  build.body({.name = "right", .mass = 2.0, .shapes = {Shape::box({0.5, 0.7, 0.2})}, .angular_velocity = {-1, 0, 0}});
  build.body({.name = "weight", .mass = 0.5, .shapes = {Shape::box({0.1, 0.1, 0.1})}, .position = {1, 0.4, 0}});
  for (const std::string shaft : {"case", "left", "right"})
    build.joint({.name = shaft,
                 .type = Revolute{},
                 .bodies = {"world", shaft},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(1, 0, 0)});
  build.joint({.name = "arm",
               .type = Revolute{},
               .bodies = {"right", "weight"},
               .point = Vector3(1, 0.2, 0),
               .axis = Vector3(0, 0, 1)});
  build.constraint(
      {.name = "gear",
       .type = Coupler{.coordinates = {{"left", ""}, {"right", ""}, {"case", ""}}, .coefficients = {1.0, 1.0, -2.0}}});
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// A crank-rocker in space that just moves; the joint `cut` closes its loop. Beside it a fan.
Builder linkage(const std::string& cut, double speed, bool massless = false) {
  Builder build;
  build.gravity({0, 0, -2});
  const auto bar = [&](const std::string& name, double mass, const Vector3& from, const Vector3& to) {
    build.body({.name = name, .mass = mass, .shapes = {Shape::box({0.4, 0.2, 0.3})}, .position = 0.5 * (from + to)});
  };
  const Vector3 foot(0, 0, 0), knee(0, 0, 0.4), head(1.2, 0, 1.0), wall(1.5, 0, 0), fan(3, 0, 0);
  bar("crank", 1.0, foot, knee);
  if (massless)
    build.body(nothing("rod", 0.5 * (knee + head)));
  else
    bar("rod", 0.7, knee, head);
  bar("rocker", 0.8, head, wall);
  build.body({.name = "fan",
              .mass = 0.6,
              .shapes = {Shape::box({0.2, 0.5, 0.6})},
              .position = fan,
              .angular_velocity = {0, 0, speed}});
  const auto join = [&](const std::string& name, const Joint& type, const std::string& a, const std::string& b,
                        const Vector3& at, const Vector3& axis) {
    JointDescription joint{.name = name, .type = type, .bodies = {a, b}, .point = at, .cut = name == cut};
    if (type.traits().type != "spherical") joint.axis = axis;
    build.joint(joint);
  };
  join("foot", Revolute{}, "world", "crank", foot, {0, 1, 0});
  join("knee", Cylindrical{}, "crank", "rod", knee, {0, 1, 0});
  join("head", Spherical{}, "rod", "rocker", head, {});
  join("wall", Revolute{}, "rocker", "world", wall, {0, 1, 0});
  join("shaft", Revolute{}, "world", "fan", fan, {0, 0, 1});
  return build;
}

// Gears on the joint that closes the loop, at the world and between two links: its angle is measured, and counted over
// several turns.
TEST(FastModels, CouplersOfAJointThatClosesALoop) {
  for (const std::string cut : {"foot", "knee"}) {
    SCOPED_TRACE(cut);
    const CoordinateName closing{cut, cut == "knee" ? "angle" : ""};
    Builder two = linkage(cut, 150.0), many = linkage(cut, 10.0), steady = linkage(cut, 0.0);
    two.constraint(
        {.name = "gear", .type = Coupler{.coordinates = {closing, {"shaft", ""}}, .coefficients = {1.0, 0.75}}});
    const Model turning = two.finish();
    expect_same_accelerations(turning);
    expect_same_motion(turning, 500, a_second);
    Model run = turning;
    run.setup.method = "articulated";
    run.setup.integrator = "rk4";
    Simulation simulation(run);
    for (int i = 0; i < 500; ++i) simulation.step(0.002);
    EXPECT_TRUE(simulation.is_fast());
    EXPECT_GT(std::abs(simulation.coordinate(closing.joint, closing.coordinate)), 4.0 * pi);

    many.constraint(
        {.name = "gear",
         .type = Coupler{.coordinates = {{"wall", ""}, closing, {"shaft", ""}}, .coefficients = {0.5, 1.0, -0.3}}});
    expect_same_accelerations(many.finish());
    expect_same_motion(many.finish(), 500, a_second);

    steady.constraint({.name = "motor", .type = ConstantSpeed{.coordinate = closing, .speed = 9.0}});
    expect_same_accelerations(steady.finish());
    expect_same_motion(steady.finish(), 500, a_second);
  }
}

// A rope over three bodies, and a row that sees four of them at once, pushed by time.
TEST(FastModels, CustomRowsOnManyBodies) {
  Builder build = screws();
  build.constraint({.name = "rope",
                    .type = custom_rows(1, 0,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          using std::sqrt;
                                          const Vec3<S> a = bodies[0].X_WC.p - bodies[1].X_WC.p;
                                          const Vec3<S> b = bodies[1].X_WC.p - bodies[2].X_WC.p;
                                          const S of_a = sqrt(a.dot(a)), of_b = sqrt(b.dot(b));
                                          rows.phi[0] = of_a + of_b - S(1.0 + std::sqrt(1.04));
                                          rows.J.block(0, 3, 1, 3) = a.transpose() / of_a;
                                          rows.J.block(0, 9, 1, 3) = (b / of_b - a / of_a).transpose();
                                          rows.J.block(0, 15, 1, 3) = -b.transpose() / of_b;
                                        }),
                    .bodies = {"tail", "nut", "kite"}});
  build.constraint({.name = "heap",
                    .type = custom_rows(0, 2,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          for (int i = 0; i < 4; ++i) {
                                            const Mat3<S>& R = bodies[static_cast<std::size_t>(i)].X_WC.R;
                                            rows.J.block(0, 6 * i + 3, 1, 3) = S(1.0 + i) * R.col(i % 3).transpose();
                                            rows.J(1, 6 * i + i % 3) = S(1.0 - 0.3 * i);
                                          }
                                          rows.phi_t[0] = S(-0.1) * t;
                                        }),
                    .bodies = {"arm", "world", "tail", "kite"}});
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// Rows that see where their bodies are, and not how they lie to each other alone: the slide between these gives way to
// none of them.
TEST(FastModels, CustomRowsThatHoldABodyInTheWorld) {
  Builder build;
  build.body(block("plate", 1.0, {0, 0, 0}))
      .body(block("slider", 0.5, {0.3, 0.2, 0}))
      .body(block("bob", 0.4, {1, 0, 0}));
  build.joint({.name = "floor", .type = Planar{}, .bodies = {"world", "plate"}, .axis = Vector3(0.1, 0.2, 1)});
  build.joint(
      {.name = "slide", .type = Prismatic{}, .bodies = {"plate", "slider"}, .axis = Vector3(3, 4, -1.1).normalized()});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"slider", "bob"},
               .point = Vector3(0.5, 0.2, 0),
               .axis = Vector3(0, 0.4, 1)});
  build.constraint({.name = "wall",
                    .type = custom_rows(1, 0,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          const Vec3<S> normal(S(0.8), S(-0.6), S(0.0));
                                          rows.phi[0] = normal.dot(bodies[1].X_WC.p) - S(0.12);
                                          rows.J.block(0, 9, 1, 3) = normal.transpose();
                                        }),
                    .bodies = {"plate", "slider"}});
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// Two balls, a rod and a skate, all rows of one kernel.
TEST(FastModels, EightCustomRows) {
  Builder build;
  for (int i = 0; i < 4; ++i) {
    BodyDescription body = block("body" + std::to_string(i), 1.0 + 0.3 * i, {i % 2 == 0 ? 0.0 : 1.0, 1.0 * (i / 2), 0});
    body.angular_velocity = {0.3 * i, 0.5, 1.0 - 0.2 * i};
    build.body(body);
  }
  build.body(block("tail", 0.3, {0, -0.6, 0}));
  build.joint({.name = "tail",
               .type = Revolute{},
               .bodies = {"body0", "tail"},
               .point = Vector3(0, -0.3, 0),
               .axis = Vector3(1, 0, 0.2)});
  build.constraint({.name = "frame",
                    .type = custom_rows(7, 1,
                                        [](auto bodies, auto t, auto& rows) {
                                          using S = decltype(t);
                                          for (int k = 0; k < 2; ++k) {
                                            const auto& one = bodies[static_cast<std::size_t>(2 * k)];
                                            const auto& two = bodies[static_cast<std::size_t>(2 * k + 1)];
                                            const Vec3<S> a = one.X_WC.R * Vec3<S>(S(0.4), S(0.1), S(0.0));
                                            const Vec3<S> b = two.X_WC.R * Vec3<S>(S(-0.6), S(0.1), S(0.0));
                                            rows.phi.segment(3 * k, 3) = one.X_WC.p + a - two.X_WC.p - b;
                                            rows.J.block(3 * k, 12 * k, 3, 6) = point_jacobian<S>(one, a);
                                            rows.J.block(3 * k, 12 * k + 6, 3, 6) = -point_jacobian<S>(two, b);
                                          }
                                          const Vec3<S> d = bodies[0].X_WC.p - bodies[2].X_WC.p;
                                          rows.phi[6] = S(0.5) * (d.dot(d) - S(1.0));
                                          rows.J.block(6, 3, 1, 3) = d.transpose();
                                          rows.J.block(6, 15, 1, 3) = -d.transpose();
                                          rows.J.block(7, 21, 1, 3) = bodies[3].X_WC.R.col(1).transpose();
                                        }),
                    .bodies = {"body0", "body1", "body2", "body3"}});
  const Model model = build.finish();
  TreeDynamics tree(model, TreeDynamics::Acts::everything);
  EXPECT_EQ(tree.row_count(), 8);
  EXPECT_EQ(tree.loops().blocks().size(), 2U);
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

void hinge(Builder& build, const std::string& name, const std::string& a, const std::string& b, const Vector3& at,
           bool cut = false) {
  build.joint({.name = name, .type = Revolute{}, .bodies = {a, b}, .point = at, .axis = Vector3(0, 1, 0), .cut = cut});
}

// What pulls at a body and brakes one joint.
void load(Builder& build, const std::string& body, const Vector3& at, const std::string& joint) {
  build.force({.name = "pull " + body,
               .type = SpringDamper{.stiffness = 30.0, .damping = 0.5, .length = 0.3},
               .bodies = {"world", body},
               .points = {{0.3, 0.2, 2}, at}});
  build.force({.name = "brake " + joint, .type = JointEffort{.damping = 0.3}, .coordinates = {{joint, ""}}});
}

// A rod without mass between two cranks, with redundant rows.
TEST(FastModels, AMasslessRodInALoop) {
  Builder build;
  build.body(block("crank", 1.0, {0.5, 0, 0}))
      .body(nothing("rod", {1, 0, 0.5}))
      .body(block("rocker", 2.0, {1.5, 0, 1}));
  hinge(build, "foot", "world", "crank", {0, 0, 0});
  hinge(build, "knee", "crank", "rod", {1, 0, 0});
  hinge(build, "head", "rod", "rocker", {1, 0, 1}, true);
  hinge(build, "wall", "rocker", "world", {2, 0, 1});
  load(build, "rod", {1.1, 0, 0.6}, "knee");
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// Two freedoms of one joint, a turn and a slide, held by the three rows of a ball.
TEST(FastModels, AMasslessRodThatTurnsAndSlides) {
  Builder build = linkage("head", 0.0, true);
  load(build, "rod", {0.7, 0.1, 0.8}, "foot");
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// A pin between two rods without mass: each side of its rows holds one.
TEST(FastModels, TwoMasslessRodsThatMeet) {
  Builder build;
  build.body(block("left", 1.0, {0.5, 0, 0})).body(nothing("up", {1, 0, 0.5}));
  build.body(block("right", 2.0, {2.5, 0, 0.2})).body(nothing("down", {1.5, 0, 0.6}));
  hinge(build, "foot", "world", "left", {0, 0, 0});
  hinge(build, "knee", "left", "up", {1, 0, 0});
  hinge(build, "wall", "world", "right", {3, 0, 0});
  hinge(build, "elbow", "right", "down", {2, 0, 0.2});
  hinge(build, "pin", "up", "down", {1, 0, 1}, true);
  load(build, "up", {1, 0, 0.9}, "elbow");
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// A piston without mass.
TEST(FastModels, AMasslessSlide) {
  Builder build;
  build.body(nothing("piston", {2.2, 0, 0}))
      .body(block("crank", 1.0, {0.2, 0, 0.3}))
      .body(block("rod", 0.6, {1.3, 0, 0.3}));
  build.joint({.name = "bore", .type = Prismatic{}, .bodies = {"world", "piston"}, .axis = Vector3(1, 0, 0)});
  hinge(build, "foot", "world", "crank", {0, 0, 0});
  hinge(build, "knee", "crank", "rod", {0.4, 0, 0.6});
  hinge(build, "pin", "rod", "piston", {2.2, 0, 0}, true);
  load(build, "piston", {2.2, 0, 0}, "bore");
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// A lever without mass, pinned to the end of a chain that a rod and a second loop hold too: rows of other blocks are
// coupled to those that hold it.
TEST(FastModels, AMasslessLeverBesideOtherRows) {
  Builder build;
  build.gravity({0, 0, -2});
  build.body(nothing("lever", {0.5, 0, -0.5}));
  const Vector3 at[] = {{0, 0, 0}, {0.8, 0, 0.2}, {1.5, 0, -0.3}, {2.2, 0, 0.1}, {2.9, 0, -0.4}, {3.5, 0, 0.2}};
  hinge(build, "lever", "world", "lever", {0.2, 0, -1});
  for (int i = 0; i < 5; ++i) {
    build.body(block("link" + std::to_string(i), 1.0 + 0.2 * i, 0.5 * (at[i] + at[i + 1])));
    hinge(build, "joint" + std::to_string(i), i == 0 ? "world" : "link" + std::to_string(i - 1),
          "link" + std::to_string(i), at[i]);
  }
  hinge(build, "pin", "link4", "lever", at[5], true);
  build.constraint(
      {.name = "rod", .type = Distance{}, .bodies = {"world", "link4"}, .points = {{2.5, 0, -2}, {3.2, 0, 0}}});
  build.constraint(
      {.name = "tie", .type = Distance{}, .bodies = {"link1", "link3"}, .points = {{1.2, 0, 0.4}, {2.5, 0, 0.5}}});
  load(build, "lever", {0.7, 0, -0.7}, "lever");
  const Model model = build.finish();
  expect_same_accelerations(model);
  expect_same_motion(model, 500, a_second);
}

// A lever without mass that rows of two constraints hold: left to the plain step.
TEST(FastModels, AMasslessLeverThatTwoConstraintsHold) {
  Builder build;
  build.body(nothing("lever", {0, 0, 0.5}));
  build.body(block("left", 1.0, {-1, 0, 0.5})).body(block("right", 1.5, {1, 0, 0.6}));
  hinge(build, "foot", "world", "lever", {0, 0, 0});
  hinge(build, "west", "world", "left", {-1.2, 0, 0});
  hinge(build, "east", "world", "right", {1.4, 0, 0});
  for (const std::string side : {"left", "right"})
    build.constraint({.name = side,
                      .type = Distance{},
                      .bodies = {"lever", side},
                      .points = {{0, 0, 1}, {side == "left" ? -1.0 : 1.0, 0, 0.7}}});
  Model model = build.finish();
  model.setup.method = "articulated";
  model.setup.cut = "loops";
  model.setup.integrator = "rk4";
  Model other = model;
  other.setup.method = "null_space";
  Simulation one(model), two(other);
  TreeDynamics tree(model, TreeDynamics::Acts::everything);
  Eigen::VectorXd v_dot;
  EXPECT_THROW(tree.accelerate(0.0, one.state().q(), one.state().v(), false, v_dot), NumericalError);
  for (int i = 0; i < 100; ++i) {
    one.step(0.002);
    two.step(0.002);
  }
  EXPECT_LT(largest_difference(one.state().q(), two.state().q()), 1e-10);
  EXPECT_LT(largest_difference(one.solution().y, two.solution().y), 1e-9);
}

TEST(FastModels, NamesWhatIsLeft) {
  const auto reason = [](const Model& model) {
    return TreeDynamics::obstacle(model, TreeDynamics::Acts::everything).value_or("");
  };
  Builder rope = screws();
  rope.constraint(
      {.name = "rope", .type = Rope{.length = 9.0}, .bodies = {"world", "arm"}, .points = {{0, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(reason(rope.finish()), "constraint \"rope\" is of type rope");
}

}  // namespace
}  // namespace tandem
