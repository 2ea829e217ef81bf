// What the fast recursion carries beside trees of the library's joints: joints by their kernels, in both directions,
// driven and coupled coordinates, rows of a program's own. Each against the plain step.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
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
  EXPECT_LT(largest_difference(fast.state().q, slow.state().q), digits);
  EXPECT_LT(largest_difference(fast.state().v, slow.state().v), digits);
  EXPECT_LT(largest_difference(fast.state().angles, slow.state().angles), digits);
  EXPECT_NEAR(fast.state().work.total(), slow.state().work.total(), digits);
  EXPECT_NEAR(fast.energy().total(), slow.energy().total(), digits);
  EXPECT_LT(largest_difference(fast.solution().y, slow.solution().y), 1e-8);
}

BodyDescription block(const std::string& name, double mass, const Vector3& at) {
  return {.name = name, .mass = mass, .shapes = {Shape::box({0.5, 0.3, 0.2})}, .position = at};
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

TEST(FastModels, NamesWhatIsLeft) {
  const auto reason = [](const Model& model) {
    return TreeDynamics::obstacle(model, TreeDynamics::Acts::everything).value_or("");
  };
  Builder build = screws();
  build.constraint({.name = "three",
                    .type = Coupler{.coordinates = {{"nut", "angle"}, {"wrist", "first"}, {"wrist", "second"}},
                                    .coefficients = {1.0, 2.0, 1.0}}});
  EXPECT_EQ(reason(build.finish()), "constraint \"three\" couples more than two coordinates");
  Builder rope = screws();
  rope.constraint(
      {.name = "rope", .type = Rope{.length = 9.0}, .bodies = {"world", "arm"}, .points = {{0, 0, 0}, {1, 0, 0}}});
  EXPECT_EQ(reason(rope.finish()), "constraint \"rope\" is of type rope");
}

}  // namespace
}  // namespace tandem
