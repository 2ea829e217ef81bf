// Free swimming, rails and momentum: machines that nothing holds.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/numbers.hpp"
#include "tandem/observe/momentum.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

// A spatial swimmer: a body with three driven links of general shape, joined in different ways.
Model swimmer(const std::string& method, bool passive_tail = false) {
  test::Random random(5);
  Builder build("swimmer");
  build.gravity({0, 0, 0});
  const auto body = [&](const std::string& name, const Vector3& at) {
    build.body({.name = name,
                .mass = random.number(0.5, 2.0),
                .inertia = std::array{0.2 + random.number(0.0, 0.1), 0.25, 0.3, 0.02, -0.03, 0.01},
                .position = at,
                .rotation = random.rotation<double>(),
                .velocity = random.vec3<double>(1.0),
                .angular_velocity = random.vec3<double>(1.0)});
  };
  body("trunk", {0, 0, 0});
  body("arm", {1, 0, 0.2});
  body("tail", {-1, 0.3, 0});
  body("fin", {-2, 0.1, 0.4});
  build.joint({.name = "shoulder",
               .type = Universal{},
               .bodies = {"trunk", "arm"},
               .point = Vector3(0.5, 0, 0.1),
               .axis = Vector3(0, 0, 1),
               .second_axis = Vector3(0, 1, 0)});
  build.joint({.name = "hip",
               .type = Cylindrical{},
               .bodies = {"tail", "trunk"},  // listed from the child to the parent
               .point = Vector3(-0.5, 0.1, 0),
               .axis = Vector3(1, 2, 0.5)});
  build.joint({.name = "knee",
               .type = Revolute{},
               .bodies = {"tail", "fin"},
               .point = Vector3(-1.5, 0.2, 0.2),
               .axis = Vector3(0.3, 1, 0)});
  const auto drive = [&](const std::string& joint, const std::string& coordinate, double amplitude) {
    build.drive(
        {.name = joint + coordinate,
         .type = Oscillation{.amplitude = amplitude, .frequency = 0.3 + amplitude, .phase = -1.5707963267948966},
         .coordinate = {joint, coordinate}});
  };
  drive("shoulder", "first", 0.5);
  drive("shoulder", "second", 0.7);
  drive("hip", "angle", 0.4);
  drive("hip", "displacement", 0.2);
  if (!passive_tail) drive("knee", "angle", 0.6);
  Model model = build.finish();
  model.setup.method = method;
  return model;
}

// dP/dt and dH/dt of all bodies from their accelerations, and the largest term of the sums.
std::pair<double, double> momentum_rate(const Model& model, Simulation& simulation) {
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  double largest = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    const Vec6<double> y = simulation.solution().y.segment<6>(body.v_first);
    const Vector3 f = body.mass * y.tail<3>();
    const Vector3 t =
        motion.X_WC.R * (body.inertia * y.head<3>() + motion.w_B.cross(Vector3(body.inertia * motion.w_B)));
    force += f;
    torque += t + motion.X_WC.p.cross(f);
    largest = std::max({largest, f.norm(), t.norm()});
  }
  return {std::max(force.norm(), torque.norm()), largest};
}

TEST(Swimming, KeepsItsMomentumToRoundOff) {
  for (const char* method : {"articulated", "lagrange", "null_space", "udwadia_kalaba"}) {
    const Model model = swimmer(method);
    Simulation simulation(model);
    simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
    for (int i = 0; i < 5; ++i) {
      const auto [rate, largest] = momentum_rate(model, simulation);
      EXPECT_LE(rate, 1e-12 * largest) << method << " at t = " << simulation.state().t;
      advance(simulation, simulation.state().t + 0.1, 0.01);
    }
  }
}

TEST(Swimming, ZeroMomentumStartKeepsTheMassCentreWhereItIs) {
  const Model model = swimmer("articulated");
  Simulation simulation(model);
  simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
  const Momentum start = momentum(model, simulation.motions());
  double parts = 0.0;  // what the sum is made of
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    parts += model.bodies[i].mass * simulation.workspace().kinematics.body(static_cast<int>(i)).v.norm();
  EXPECT_LE(start.linear.norm(), 1e-14 * parts);
  EXPECT_LE(start.angular.norm(), 2e-14);  // round-off in sums of parts of size 1
  const Vector3 centre = simulation.mass_center();
  advance(simulation, 2.0, 0.002);
  EXPECT_LE((simulation.mass_center() - centre).norm(), 1e-9);
  EXPECT_LE(momentum(model, simulation.motions()).angular.norm(), 1e-7);
  EXPECT_GT((simulation.pose({model.body("trunk"), {}}).R - model.bodies[0].X_WC.R).norm(), 0.05);  // and yet it turns
}

TEST(Swimming, PassiveJointsKeepTheirRatesAndTheRootTakesUpTheMomentum) {
  const Model model = swimmer("articulated", true);
  Simulation simulation(model);
  const double knee = simulation.rate("knee"), shoulder = simulation.rate("shoulder", "first");
  simulation.set_bodies(with_zero_momentum(model, simulation.bodies()));
  EXPECT_GT(std::abs(knee), 0.1);
  EXPECT_NEAR(simulation.rate("knee"), knee, 1e-13);
  EXPECT_NEAR(simulation.rate("shoulder", "first"), shoulder, 1e-13);
  const Momentum now = momentum(model, simulation.motions());
  EXPECT_LE(now.linear.norm() + now.angular.norm(), 1e-13);
}

TEST(Swimming, FormulaOfCompositeInertias) {  // y_0 = −I_0⁻¹ p_0, all internal joints prescribed
  const Model model = swimmer("articulated");
  Simulation simulation(model);
  const TreeProblem& tree = *simulation.workspace().problem.tree;
  std::vector<Mat6<double>> I(tree.links.size());
  std::vector<Vec6<double>> p(tree.links.size());
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    I[i] = tree.links[i].M;
    p[i] = -tree.links[i].f;
  }
  for (std::size_t i = tree.links.size(); i-- > 1;) {
    const auto parent = static_cast<std::size_t>(tree.links[i].parent);
    const Mat6<double>& X = tree.links[i].X;
    p[parent] += X.transpose() * (p[i] + I[i] * tree.links[i].c);
    I[parent] += X.transpose() * I[i] * X;
  }
  const Vec6<double> root = -I[0].ldlt().solve(p[0]);
  EXPECT_LE((root - simulation.reduced_solution().y).norm(), 1e-12 * root.norm());
}

TEST(Momentum, OfAMachineThatIsHeldCannotBeChosen) {
  const Model model = example_model("bicycle");
  EXPECT_THROW(with_zero_momentum(model, start_state(model)), ModelError);
}

TEST(Rail, DrivenArmShakesTheCarriage) {  // (M + m) Ẍ = −m l (θ̈ cos θ − θ̇² sin θ)
  for (const std::string cut : {"all", "loops"}) {
    Builder build("rail");
    const double M = 3.0, m = 2.0, l = 0.7;
    build.body({.name = "carriage", .mass = M, .shapes = {Shape::box({0.2, 0.2, 0.2})}});
    build.body({.name = "arm", .mass = m, .shapes = {Shape::box({0.1, 0.1, 0.3})}, .position = {0, 0, -l}});
    build.joint({.name = "rail",
                 .type = Prismatic{},
                 .bodies = {"world", "carriage"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(1, 0, 0)});
    build.joint({.name = "hinge",
                 .type = Revolute{},
                 .bodies = {"carriage", "arm"},
                 .point = Vector3(0, 0, 0),
                 .axis = Vector3(0, -1, 0)});
    build.drive(
        {.name = "motor", .type = Polynomial{.coefficients = {0.0, 1.5, 0.8}}, .coordinate = {"hinge", "angle"}});
    Model model = build.finish();
    model.setup.cut = cut;
    Simulation simulation(model);
    advance(simulation, 0.4, 0.01);
    const double t = simulation.state().t, angle = 1.5 * t + 0.8 * t * t, rate = 1.5 + 1.6 * t, acceleration = 1.6;
    EXPECT_NEAR(simulation.coordinate("hinge"), angle, 1e-9);
    const double wanted = -m * l * (acceleration * std::cos(angle) - rate * rate * std::sin(angle)) / (M + m);
    EXPECT_NEAR(simulation.joint_acceleration(0)[0], wanted, 1e-8);
    // Reaction of the rail: it carries the weight and what the arm pulls down.
    const double lift = (M + m) * 9.81 + m * l * (acceleration * std::sin(angle) + rate * rate * std::cos(angle));
    EXPECT_NEAR(simulation.reaction("rail").force.z(), lift, 1e-7);
    EXPECT_NEAR(simulation.reaction("rail").force.x(), 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace tandem
