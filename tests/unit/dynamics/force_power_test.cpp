// The power of force laws: every law against its closed form, and the energy along a run.
#include "tandem/dynamics/force_power.hpp"

#include "support/example_model.hpp"
#include "support/mechanism.hpp"
#include "support/samples.hpp"
#include "tandem/forces/all.hpp"

namespace tandem::test {
namespace {

// Two general bodies in general motion, a hinge and a ball joint between them, and one force law.
class ForcePowers : public testing::Test {
 public:
  static constexpr double t = 0.7;

  ForcePower power_of(ForceDescription force) {
    Random random(91);
    Builder build;
    const Pose<double> X_WA = random_pose(random), X_WB = random_pose(random);
    build.body(general_body("a", random, X_WA)).body(general_body("b", random, X_WB));
    const auto frames = [&] {
      return std::array{placement_of(random_pose(random)), placement_of(random_pose(random))};
    };
    build.joint({.name = "hinge", .type = Revolute{}, .bodies = {"a", "b"}, .frames = frames()});
    build.joint({.name = "ball", .type = Spherical{}, .bodies = {"a", "b"}, .frames = frames()});
    force.name = "law";
    build.force(std::move(force));
    model = build.finish();
    kinematics.emplace(model);
    State state = start_state(model);
    kinematics->update(model, t, state.q(), state.v(), state.angles());
    attach(model, model.forces[0], *kinematics, at);
    ForcePower power(model);
    power.update(model, *kinematics);
    power.update(model, *kinematics);  // sums begin anew
    expect_declared(power);
    return power;
  }
  ForcePower on_a_and_b(Force law) {
    return power_of({.type = std::move(law), .bodies = {"a", "b"}, .points = {{1, 0, 0}, {0, 1, 0.5}}});
  }
  ForcePower on_b(Force law) { return power_of({.type = std::move(law), .bodies = {"b"}, .points = {{0, 1, 0.5}}}); }
  ForcePower on_joint(Force law, std::string joint = "hinge", std::string coordinate = "") {
    return power_of({.type = std::move(law), .coordinates = {{std::move(joint), std::move(coordinate)}}});
  }

  // What a law declares of its power is what is found by looking at it, and its line is what it does.
  void expect_declared(const ForcePower& found) {
    const Force& law = model.forces[0].force;
    EXPECT_EQ(ForcePower(model, ForcePower::Laws::undeclared).any(), !law.conservative() && !law.declares_power());
    if (!law.declares_power()) return;
    AppliedForces<double> applied(model);
    applied.update(model, *kinematics);
    EXPECT_NEAR(applied.damped(), found.dampers(), 1e-12);
    EXPECT_NEAR(applied.brought(), found.forces(), 1e-12);
    if (!law.line()) return;
    const EffortLine& line = *law.line();
    Loads<double> loads;
    loads.reset(0, 1);
    law.apply<double>(at, t, loads);
    const CoordinateMotion<double>& motion = at.coordinates[0];
    EXPECT_NEAR(loads.efforts[0], line.constant(t) - line.damping * motion.v - line.stiffness * (motion.q - line.rest),
                1e-13);
  }

  Model model;
  std::optional<Kinematics<double>> kinematics;
  Attachments<double> at;
};

TEST_F(ForcePowers, EveryLawOfTheLibraryDeclaresItsPower) {
#define TANDEM_DECLARES(T) EXPECT_TRUE(Force(T{}).declares_power()) << T::type;
  TANDEM_FORCES(TANDEM_DECLARES)
#undef TANDEM_DECLARES
}

TEST_F(ForcePowers, ConservativeLawsAreLeftOut) {
  const ForcePower spring = on_a_and_b(SpringDamper{.stiffness = 50.0, .length = 0.3});
  EXPECT_FALSE(spring.any());
  EXPECT_EQ(spring.dampers(), 0.0);
  EXPECT_EQ(spring.forces(), 0.0);
  EXPECT_FALSE(on_joint(JointEffort{.stiffness = 8.0}).any());
  EXPECT_TRUE(on_joint(JointEffort{.stiffness = 8.0, .damping = 0.1}).any());
}

TEST_F(ForcePowers, SpringDamperTakesTheSquareOfTheStretchingSpeed) {
  const ForcePower power = on_a_and_b(SpringDamper{.stiffness = 50.0, .damping = 3.0, .length = 0.3});
  const Vector3 d = at.points[1].p - at.points[0].p;
  const double l_dot = d.dot(at.points[1].v - at.points[0].v) / d.norm();
  ASSERT_GT(std::abs(l_dot), 0.1);
  EXPECT_NEAR(power.dampers(), -3.0 * l_dot * l_dot, 1e-12);
  EXPECT_NEAR(power.forces(), 0.0, 1e-12);  // the spring's own power is in its potential
}

TEST_F(ForcePowers, JointEffortSplitsIntoDamperAndMotor) {
  const JointEffort law{.stiffness = 8.0, .damping = 0.6, .rest = 0.2, .effort = of_time("4*cos(t)")};
  const ForcePower power = on_joint(law);
  const double speed = at.coordinates[0].v;
  ASSERT_GT(std::abs(speed), 0.1);
  EXPECT_NEAR(power.dampers(), -0.6 * speed * speed, 1e-12);
  EXPECT_NEAR(power.forces(), 4.0 * std::cos(t) * speed, 1e-12);
}

TEST_F(ForcePowers, SpeedsOfABallJointAreDampedAndDriven) {
  const ForcePower power = on_joint(JointEffort{.damping = 0.6, .rest = 0.2, .effort = 5.0}, "ball", "wy");
  const double speed = at.coordinates[0].v;
  ASSERT_GT(std::abs(speed), 0.1);
  EXPECT_NEAR(power.dampers(), -0.6 * speed * speed, 1e-12);
  EXPECT_NEAR(power.forces(), 5.0 * speed, 1e-12);
}

TEST_F(ForcePowers, DampingTakesTheSquaresOfBothSpeeds) {
  const ForcePower power = on_b(Damping{.linear = 2.0, .angular = 0.5});
  const PointMotion<double>& point = at.points[0];
  EXPECT_NEAR(power.dampers(), -2.0 * point.v.squaredNorm() - 0.5 * point.w.squaredNorm(), 1e-12);
  EXPECT_LT(power.dampers(), -0.5);
  EXPECT_EQ(power.forces(), 0.0);
}

TEST_F(ForcePowers, ForcesAndTorquesBringTheirPowerInBothAxes) {
  const std::array<TimeFunction, 3> value{TimeFunction(1.5), of_time("2*t"), of_time("t^2 - 1")};
  const Vector3 load(1.5, 2.0 * t, t * t - 1.0);
  for (const Axes axes : {Axes::world, Axes::body}) {
    const ForcePower force = on_b(BodyForce{.value = value, .axes = axes});
    const Vector3 in_world = axes == Axes::body ? Vector3(at.points[0].R * load) : load;
    EXPECT_NEAR(force.forces(), in_world.dot(at.points[0].v), 1e-12);
    EXPECT_GT(std::abs(force.forces()), 0.1);
    EXPECT_NEAR(force.dampers(), 0.0, 1e-15);
    const ForcePower torque = on_b(BodyTorque{.value = value, .axes = axes});
    EXPECT_NEAR(torque.forces(), in_world.dot(at.points[0].w), 1e-12);
    EXPECT_GT(std::abs(torque.forces()), 0.1);
    EXPECT_NEAR(torque.dampers(), 0.0, 1e-15);
  }
}

// A spring to the origin whose stiffness grows, a torque that pulls an axis of the body down, and drag:
//   U = ½ k (1 + t²) |p|² + lift x·R e₃
struct GrowingSpring {
  static constexpr std::string_view type = "growing";
  static constexpr int points = 1, coordinates = 0;
  double k = 4.0, c = 0.3, lift = 2.0;

  template <class S> void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const {
    const PointMotion<S>& point = at.points[0];
    const S stiffness = k * (1.0 + t * t);
    const Vec3<S> third = point.R.col(2), x(S(1.0), S(0.0), S(0.0));
    loads.forces[0] = -stiffness * point.p - c * point.v;
    loads.torques[0] = -lift * third.cross(x);  // U̇ = lift x·(ω × R e₃) = lift ω·(R e₃ × x)
    loads.potential = 0.5 * stiffness * point.p.dot(point.p) + lift * third.x();
  }
};

TEST_F(ForcePowers, APotentialOfTimeBringsItsPartialRate) {
  const GrowingSpring law;
  const ForcePower power = on_b(law);
  const PointMotion<double>& point = at.points[0];
  EXPECT_NEAR(power.dampers(), -law.c * point.v.squaredNorm(), 1e-12);
  EXPECT_NEAR(power.forces(), 0.5 * law.k * 2.0 * t * point.p.squaredNorm(), 1e-12);  // ∂U/∂t alone
  EXPECT_GT(power.forces(), 0.5);
}

// E(t) − E(0) against the integral of the powers, by Simpson's rule over two steps.
void expect_energy_balance(const Model& model, double h, int pairs, double tolerance) {
  Simulation simulation(model);
  ForcePower power(model);
  ASSERT_TRUE(power.any());
  const auto now = [&] {
    power.update(model, simulation.workspace().kinematics);
    return Eigen::Vector2d(power.dampers(), power.forces());
  };
  const double energy = simulation.energy().total();
  Eigen::Vector2d work = Eigen::Vector2d::Zero(), before = now();
  for (int i = 0; i < pairs; ++i) {
    simulation.step(h);
    const Eigen::Vector2d middle = now();
    simulation.step(h);
    const Eigen::Vector2d after = now();
    work += h / 3.0 * (before + 4.0 * middle + after);
    before = after;
  }
  EXPECT_LT(work[0], -1e-3);
  EXPECT_GT(std::abs(work[1]), 1e-3);
  EXPECT_NEAR(simulation.energy().total() - energy, work.sum(), tolerance * work.cwiseAbs().sum());
}

TEST(ForcePowerBalance, HoldsForTheSliderCrank) {
  expect_energy_balance(example_model("slider-crank"), 0.005, 200, 1e-8);
}

TEST(ForcePowerBalance, HoldsForAMotorOfTimeOnADampedPendulum) {
  Builder build;
  build.body({.name = "rod", .mass = 1.5, .shapes = {Shape::rod(1.0)}, .position = {0.5, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "rod"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  build.force({.name = "motor",
               .type = JointEffort{.stiffness = 2.0, .damping = 0.4, .effort = of_time("3*sin(5*t)")},
               .coordinates = {{"hinge", ""}}});
  build.force({.name = "follower",
               .type = BodyForce{.value = {0.0, 0.0, of_time("exp(-t)")}, .axes = Axes::body},
               .bodies = {"rod"},
               .points = {{1, 0, 0}}});
  build.force({.name = "drag", .type = Damping{.linear = 0.2}, .bodies = {"rod"}});
  expect_energy_balance(build.finish(), 0.002, 500, 1e-8);
}

}  // namespace
}  // namespace tandem::test
