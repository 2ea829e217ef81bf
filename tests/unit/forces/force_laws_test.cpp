// Force laws alone and on a moving model: potentials, power, action and reaction.
#include "support/mechanism.hpp"
#include "support/samples.hpp"
#include "tandem/dynamics/applied.hpp"
#include "tandem/forces/all.hpp"

namespace tandem::test {
namespace {

template <class S> class ForceLaws : public testing::Test {
 public:
  Random random{55};
  Attachments<S> at;
  Loads<S> loads;

  void draw(std::size_t points, std::size_t coordinates) {
    at = {};
    for (std::size_t i = 0; i < points; ++i)
      at.points.push_back({random.rotation<S>(), random.vec3<S>(), random.vec3<S>(), random.vec3<S>()});
    for (std::size_t i = 0; i < coordinates; ++i) at.coordinates.push_back({random.scalar<S>(), random.scalar<S>()});
    loads.reset(points, coordinates);
  }
  // The attachments moved along their velocities.
  Attachments<Dual<S>> moving() const {
    Attachments<Dual<S>> out;
    for (const PointMotion<S>& p : at.points)
      out.points.push_back({seed(p.R, Mat3<S>(sk<S>(p.w) * p.R)), seed(p.p, p.v), held(p.v), held(p.w)});
    for (const CoordinateMotion<S>& c : at.coordinates)
      out.coordinates.push_back({Dual<S>(c.q, c.v), Dual<S>(c.v, S(0.0))});
    return out;
  }
  S power() const {
    S sum(0.0);
    for (std::size_t i = 0; i < at.points.size(); ++i)
      sum += loads.forces[i].dot(at.points[i].v) + loads.torques[i].dot(at.points[i].w);
    for (std::size_t i = 0; i < at.coordinates.size(); ++i) sum += loads.efforts[i] * at.coordinates[i].v;
    return sum;
  }
};
using Scalars = testing::Types<double, D>;
TYPED_TEST_SUITE(ForceLaws, Scalars);

// Along any motion the potential changes by minus the power: the force is minus the gradient.
TYPED_TEST(ForceLaws, SpringsAreMinusTheGradientOfTheirPotential) {
  using S = TypeParam;
  const SpringDamper spring{.stiffness = 120.0, .length = 0.4};
  const JointEffort joint{.stiffness = 35.0, .rest = 0.2};
  for (int i = 0; i < 10; ++i) {
    Loads<Dual<S>> moved;
    this->draw(2, 0);
    moved.reset(2, 0);
    spring.apply<S>(this->at, S(0.0), this->loads);
    spring.apply<Dual<S>>(this->moving(), Dual<S>(0.0), moved);
    EXPECT_GT(value_of(this->loads.potential), 0.0);
    EXPECT_TRUE(near(moved.potential.derivative, S(-this->power()), 1e-12));
    this->draw(0, 1);
    moved.reset(0, 1);
    joint.apply<S>(this->at, S(0.0), this->loads);
    joint.apply<Dual<S>>(this->moving(), Dual<S>(0.0), moved);
    EXPECT_TRUE(near(moved.potential.derivative, S(-this->power()), 1e-12));
  }
}

TYPED_TEST(ForceLaws, DampersTakePower) {
  using S = TypeParam;
  for (int i = 0; i < 20; ++i) {
    this->draw(2, 0);
    SpringDamper{.damping = 3.0, .length = 0.4}.apply<S>(this->at, S(0.0), this->loads);
    EXPECT_LE(value_of(this->power()), 0.0);
    EXPECT_NE(value_of(this->power()), 0.0);
    this->draw(0, 1);
    JointEffort{.damping = 3.0}.apply<S>(this->at, S(0.0), this->loads);
    EXPECT_LT(value_of(this->power()), 0.0);
    this->draw(1, 0);
    Damping{.linear = 2.0, .angular = 0.5}.apply<S>(this->at, S(0.0), this->loads);
    EXPECT_LT(value_of(this->power()), 0.0);
    EXPECT_TRUE(near(this->loads.forces[0], -2.0 * this->at.points[0].v, 1e-15));
    EXPECT_TRUE(near(this->loads.torques[0], -0.5 * this->at.points[0].w, 1e-15));
  }
}

TYPED_TEST(ForceLaws, SpringActsAlongItsLineEquallyOnBothEnds) {
  using S = TypeParam;
  this->draw(2, 0);
  SpringDamper{.stiffness = 120.0, .damping = 3.0, .length = 0.4}.apply<S>(this->at, S(0.0), this->loads);
  const Vec3<S> d = this->at.points[1].p - this->at.points[0].p;
  EXPECT_TRUE(near_zero(this->loads.forces[0] + this->loads.forces[1], 1e-15));
  EXPECT_TRUE(near_zero(d.cross(this->loads.forces[0]), 1e-12));
  const S l = norm<S>(d), l_dot = d.dot(this->at.points[1].v - this->at.points[0].v) / l;
  EXPECT_TRUE(near(S(this->loads.forces[0].dot(d) / l), S(120.0 * (l - 0.4) + 3.0 * l_dot), 1e-12));  // pull > 0
  // Points that coincide: no direction, no force, and no NaN.
  this->at.points[1].p = this->at.points[0].p;
  SpringDamper{.stiffness = 120.0, .damping = 3.0, .length = 0.4}.apply<S>(this->at, S(0.0), this->loads);
  EXPECT_TRUE(near_zero(this->loads.forces[0], 0.0));
}

TYPED_TEST(ForceLaws, LoadsFollowTimeAndAxes) {
  using S = TypeParam;
  this->draw(1, 1);
  const S t = this->random.template scalar<S>(0.5, 1.0);
  const std::array<TimeFunction, 3> value{TimeFunction(1.5), of_time("2*t"), of_time("t^2 - 1")};
  const Vec3<S> f(S(1.5), 2.0 * t, t * t - 1.0);
  BodyForce{.value = value}.apply<S>(this->at, t, this->loads);
  EXPECT_TRUE(near(this->loads.forces[0], f, 1e-14));
  BodyForce{.value = value, .axes = Axes::body}.apply<S>(this->at, t, this->loads);
  EXPECT_TRUE(near(this->loads.forces[0], this->at.points[0].R * f, 1e-14));
  BodyTorque{.value = value, .axes = Axes::body}.apply<S>(this->at, t, this->loads);
  EXPECT_TRUE(near(this->loads.torques[0], this->at.points[0].R * f, 1e-14));
  const CoordinateMotion<S> c = this->at.coordinates[0];
  JointEffort{.stiffness = 3.0, .damping = 0.5, .rest = 0.1, .effort = of_time("4*t")}.apply<S>(this->at, t,
                                                                                                this->loads);
  EXPECT_TRUE(near(this->loads.efforts[0], S(-0.5 * c.v - 3.0 * (c.q - 0.1) + 4.0 * t), 1e-14));
}

// Everything conservative on a moving model: d/dt potential = −power of the applied forces, body by body.
TEST(AppliedForcesTest, PotentialFallsByThePower) {
  Random random(56);
  Builder build;
  build.gravity({0.5, -1.0, -9.0});
  build.body(general_body("a", random, random_pose(random))).body(general_body("b", random, random_pose(random)));
  build.body({.name = "c", .mass = 1.5, .point_mass = true, .position = {1, 2, 3}, .velocity = {0.3, 0.4, -1}});
  const auto frames = [&] { return std::array{placement_of(random_pose(random)), placement_of(random_pose(random))}; };
  build.joint({.name = "hinge", .type = Revolute{}, .bodies = {"a", "b"}, .frames = frames()});
  build.joint({.name = "cross", .type = Universal{}, .bodies = {"world", "b"}, .frames = frames()});
  build.joint({.name = "tube", .type = Cylindrical{}, .bodies = {"world", "a"}, .frames = frames()});
  const JointEffort stiff{.stiffness = 7.0, .rest = 0.3};
  build.force({.name = "1", .type = stiff, .coordinates = {{"hinge", ""}}});
  build.force({.name = "2", .type = stiff, .coordinates = {{"cross", "second"}}});
  build.force({.name = "3", .type = stiff, .coordinates = {{"tube", "displacement"}}});
  const SpringDamper spring{.stiffness = 40.0, .length = 0.2};
  build.force({.name = "4", .type = spring, .bodies = {"a", "b"}, .points = {{1, 0, 0}, {0, 1, 0.5}}});
  build.force({.name = "5", .type = spring, .bodies = {"world", "c"}, .points = {{1, 0, 0}, {1, 2, 3}}});
  const Model model = build.finish();
  const State state = start_state(model);
  Eigen::VectorXd q_dot = Eigen::VectorXd::Zero(model.nq);
  coordinate_rate(model, state.q(), state.v(), q_dot);
  Kinematics<D> kinematics(model);
  kinematics.update(model, D(0.0, 1.0), seed(state.q(), q_dot), held(state.v()), state.angles());
  AppliedForces<D> applied(model);
  applied.update(model, kinematics);
  // The gyroscopic torque is in the wrench and has no power.
  const double power = equations(model, state).f.dot(state.v());
  EXPECT_GT(std::abs(power), 1.0);
  EXPECT_NEAR((applied.gravity_potential() + applied.spring_potential()).derivative, -power, 1e-11);
}

// Loads between the two bodies only: no total force, no total torque about the origin.
TEST(AppliedForcesTest, InternalLoadsBalance) {
  Random random(57);
  Builder build;
  build.gravity(Vector3::Zero());
  BodyDescription a = general_body("a", random, random_pose(random)),
                  b = general_body("b", random, random_pose(random));
  build.body(a).body(b);
  build.joint({.name = "cross",
               .type = Universal{},
               .bodies = {"a", "b"},
               .frames = std::array{placement_of(random_pose(random)), placement_of(random_pose(random))}});
  build.force({.name = "1",
               .type = SpringDamper{.stiffness = 9.0, .damping = 2.0, .length = 0.1},
               .bodies = {"a", "b"},
               .points = {{1, 0, 0}, {0, 1, 0.5}}});
  build.force({.name = "2",
               .type = JointEffort{.stiffness = 3.0, .damping = 1.0, .effort = 5.0},
               .coordinates = {{"cross", "first"}}});
  const Model model = build.finish();
  const State state = start_state(model);
  const Eigen::VectorXd f = equations(model, state).f;
  Vector3 force = Vector3::Zero(), torque = Vector3::Zero();
  for (const Body& body : model.bodies) {
    const Vector3 w = state.v().segment<3>(body.v_first);
    const Vector3 applied_torque = Vector3(f.segment<3>(body.v_first)) + w.cross(body.inertia * w);
    force += f.segment<3>(body.v_first + 3);
    torque += body.X_WC.R * applied_torque + body.X_WC.p.cross(Vector3(f.segment<3>(body.v_first + 3)));
  }
  EXPECT_TRUE(near_zero(force, 1e-12));
  EXPECT_TRUE(near_zero(torque, 1e-12));
  EXPECT_GT(f.norm(), 1.0);
}

}  // namespace
}  // namespace tandem::test
