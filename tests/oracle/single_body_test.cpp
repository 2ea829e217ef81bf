// One constrained body: three methods against each other, against Newton and Euler, and against closed forms.
#include "oracle/single_body.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <stdexcept>
#include <string>

#include "support/samples.hpp"

namespace tandem::test {
namespace {

using namespace oracle;

constexpr double body_tolerance = 1e-13;

// |a − b| ≤ body_tolerance · size, where size is that of the terms from which a and b were made.
// Plain matrices, not expressions: Eigen is slow to compile.
testing::AssertionResult agree(const MatX<double>& a, const MatX<double>& b, double size) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return testing::AssertionFailure() << "sizes differ";
  const double off = (a - b).norm();
  if (off <= body_tolerance * size) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "off by " << off << ", " << off / size << " of the size";
}

double wrench_size(const ConstrainedBody& body, const Vec6<double>& f, const ConstrainedMotion& x) {
  return f.norm() + body.p.norm() + body.I.norm() * (x.a.norm() + body.s_dot.norm());
}

struct Drawn {
  ConstrainedBody body;
  ForbiddenMotion forbidden;  // with a T and a rate of the caller's own
  VecX<double> q_dot;
  Vec6<double> f;
};

Mat6<double> random_inertia(Random& random) {
  Mat6<double> A;
  for (Eigen::Index i = 0; i < 6; ++i) A.col(i) = random.vector<Vec6<double>>();
  return A * A.transpose() + Mat6<double>::Identity();
}

MatX<double> random_columns(Random& random, Eigen::Index n) {
  MatX<double> S(6, n);
  for (Eigen::Index i = 0; i < n; ++i) S.col(i) = random.vector<Vec6<double>>();
  return S;
}

// S and its rate have nothing in common but their size. S is kept well away from dependent columns.
Drawn draw(Random& random, Eigen::Index n_f) {
  Drawn x;
  x.body.I = random_inertia(random);
  x.body.S = MatX<double>::Identity(6, n_f) + 0.3 * random_columns(random, n_f);
  const MatX<double> S_dot = 2.0 * random_columns(random, n_f);
  x.q_dot = random.vector<VecX<double>>(n_f, -2.0, 2.0);
  const Vec6<double> v = x.body.S * x.q_dot;
  x.body.s_dot = S_dot * x.q_dot;
  x.body.p = bias_wrench(v, x.body.I, random.vector<Vec6<double>>(6, -5.0, 5.0));
  x.f = random.vector<Vec6<double>>(6, -5.0, 5.0);

  // Some T and some Ṫ that keep Tᵀ S = 0: Ṫᵀ = −Tᵀ Ṡ S⁺ + M Tᵀ with any M.
  const Eigen::Index n_c = 6 - n_f;
  const MatX<double> S_t = x.body.S.transpose();
  MatX<double> S_plus = S_t;
  if (n_f > 0) S_plus = MatX<double>(S_t * x.body.S).ldlt().solve(S_t);
  const MatX<double> mixed = 2.0 * MatX<double>::Identity(n_c, n_c) + 0.5 * random_columns(random, n_c).topRows(n_c);
  const MatX<double> M = random_columns(random, n_c).topRows(n_c);
  x.forbidden.T = forbidden_motion(x.body).T * mixed;
  const MatX<double> T_t = x.forbidden.T.transpose();
  const MatX<double> T_dot_t = M * T_t - T_t * S_dot * S_plus;
  x.forbidden.T_dot_v = T_dot_t * v;
  return x;
}

void expect_the_laws(const Drawn& x) {
  const ConstrainedBody& body = x.body;
  const ConstrainedMotion one = solve_by_apparent_inertia(body, x.f);
  const ConstrainedMotion two = solve_by_multipliers(body, x.forbidden, x.f);
  const ConstrainedMotion own = solve_by_multipliers(body, x.f);
  const ConstrainedMotion three = solve_in_joint_space(body, x.f);
  const double size = wrench_size(body, x.f, one), a_size = 1.0 + one.a.norm() + body.s_dot.norm();
  for (const ConstrainedMotion& other : {two, own, three}) {
    ASSERT_EQ(other.q_ddot.size(), body.S.cols());
    EXPECT_TRUE(agree(one.a, other.a, a_size));
    EXPECT_TRUE(agree(one.q_ddot, other.q_ddot, a_size + one.q_ddot.norm()));
    EXPECT_TRUE(agree(one.f_c, other.f_c, size));
  }
  for (const ConstrainedMotion& each : {one, two, own, three}) {  // these three laws have one solution
    EXPECT_TRUE(agree(x.f + each.f_c, body.I * each.a + body.p, size));
    EXPECT_TRUE(agree(each.a, body.S * each.q_ddot + body.s_dot, a_size));
    EXPECT_TRUE(agree(body.S.transpose() * each.f_c, VecX<double>::Zero(body.S.cols()), size * body.S.norm()));
  }
  const double power = two.f_c.dot(body.S * x.q_dot);
  EXPECT_LE(std::abs(power), body_tolerance * size * (1.0 + (body.S * x.q_dot).norm()));
}

void expect_phi_laws(const Drawn& x) {
  const ConstrainedBody& body = x.body;
  const Eigen::Index n_f = body.S.cols();
  const ApparentInertia apparent = apparent_inertia(body);
  const Mat6<double>& Phi = apparent.Phi;
  const double size = Phi.norm() * (1.0 + body.I.norm() * Phi.norm());
  EXPECT_TRUE(agree(Phi, Phi.transpose(), Phi.norm()));
  EXPECT_TRUE(agree(Phi * body.I * Phi, Phi, size));
  EXPECT_TRUE(agree(Phi * body.I * body.S, body.S, (1.0 + size) * body.I.norm() * body.S.norm()));  // range S
  EXPECT_TRUE(agree(Phi * x.forbidden.T, MatX<double>::Zero(6, 6 - n_f), (1.0 + size) * x.forbidden.T.norm()));
  // Φ I is a projection, so its trace is its rank.
  EXPECT_NEAR((Phi * body.I).trace(), static_cast<double>(n_f), 1e-12);
  // b is the acceleration without an external wrench, Φ what a unit of it adds.
  const Vec6<double> b = solve_by_multipliers(body, Vec6<double>::Zero()).a;
  const double a_size = 1.0 + b.norm() + body.s_dot.norm();
  EXPECT_TRUE(agree(apparent.b, b, a_size));
  for (Eigen::Index i = 0; i < 6; ++i)
    EXPECT_TRUE(agree(Phi.col(i), solve_by_multipliers(body, Vec6<double>::Unit(i)).a - b, a_size + Phi.norm()));
}

TEST(SingleBody, MethodsAgreeAtEveryNumberOfFreedoms) {
  Random random(7);
  for (Eigen::Index n_f = 0; n_f <= 6; ++n_f)
    for (int i = 0; i < 50; ++i) {
      SCOPED_TRACE(testing::Message() << n_f << " freedoms, draw " << i);
      const Drawn x = draw(random, n_f);
      expect_the_laws(x);
      expect_phi_laws(x);
      if (HasFailure()) return;
    }
}

TEST(SingleBody, ForbiddenMotionIsOrthonormalAndCompletesS) {
  Random random(8);
  for (Eigen::Index n_f = 0; n_f <= 6; ++n_f) {
    const Drawn x = draw(random, n_f);
    const ForbiddenMotion own = forbidden_motion(x.body);
    ASSERT_EQ(own.T.cols(), 6 - n_f);
    EXPECT_TRUE(near(own.T.transpose() * own.T, MatX<double>::Identity(6 - n_f, 6 - n_f), 1e-14));
    EXPECT_TRUE(near_zero(own.T.transpose() * x.body.S, 1e-14));
    EXPECT_TRUE(near_zero(own.T_dot_v + own.T.transpose() * x.body.s_dot, 1e-14));
    // The rate drawn for the caller's T obeys (6) as well, though it was made from Ṫ.
    EXPECT_TRUE(near_zero(x.forbidden.T_dot_v + x.forbidden.T.transpose() * x.body.s_dot, 1e-12));
  }
}

TEST(SingleBody, NothingAndEverythingIsAllowed) {
  Random random(9);
  Drawn x = draw(random, 0);
  EXPECT_TRUE(near_zero(apparent_inertia(x.body).Phi, 0.0));
  EXPECT_TRUE(near_zero(solve_in_joint_space(x.body, x.f).a, 0.0));
  EXPECT_TRUE(near(solve_by_multipliers(x.body, x.f).f_c, x.body.p - x.f, 1e-13));  // the joint carries it all
  x = draw(random, 6);
  EXPECT_TRUE(near(apparent_inertia(x.body).Phi * x.body.I, Mat6<double>::Identity(), 1e-12));
  EXPECT_EQ(solve_by_multipliers(x.body, x.f).f_c, Vec6<double>(Vec6<double>::Zero()));
}

// A unit of mass, length or a coordinate of another size must not move the answer.
TEST(SingleBody, UnitsDoNotMatter) {
  Random random(10);
  Drawn x = draw(random, 3);
  const ConstrainedMotion here = solve_by_multipliers(x.body, x.forbidden, x.f);
  Vec6<double> unit;  // metres to millimetres in the motion, so wrenches go the other way
  unit << 1.0, 1.0, 1.0, 1e3, 1e3, 1e3;
  const Mat6<double> motion = unit.asDiagonal(), wrench = unit.cwiseInverse().asDiagonal();
  ConstrainedBody small{wrench * x.body.I * wrench, motion * x.body.S, motion * x.body.s_dot, wrench * x.body.p};
  small.S.col(1) *= 1e-5;  // the second coordinate is counted in other units
  const ForbiddenMotion forbidden{1e6 * (wrench * x.forbidden.T), 1e6 * x.forbidden.T_dot_v};
  const Vec6<double> f = wrench * x.f;
  for (const ConstrainedMotion& there : {solve_by_apparent_inertia(small, f), solve_by_multipliers(small, forbidden, f),
                                         solve_by_multipliers(small, f), solve_in_joint_space(small, f)}) {
    EXPECT_TRUE(near(wrench * there.a, here.a, 1e-12));
    EXPECT_TRUE(near(motion * there.f_c, here.f_c, 1e-12));
    EXPECT_TRUE(near(there.q_ddot.cwiseProduct(Vec3<double>(1.0, 1e-5, 1.0)), here.q_ddot, 1e-12));
  }
}

// ---- real joints ------------------------------------------------------------

// The joint speaks of M's moving origin in axes of F. Here all is about F's origin, which is fixed in space:
// V_F = X V with X = [1 0; sk(p) 1], so S_F = X S, ṡ = X c + (0; ṗ × ω), T_F = X⁻ᵀ T.
void expect_newton_and_euler(const JointKernel<double>& joint, const VecUpTo7<double>& q, const VecUpTo6<double>& q_dot,
                             Random& random) {
  const Pose<double> X_FM = joint.pose(q);
  Mat6UpTo6<double> S;
  Vec6<double> c;
  joint.motion(q, q_dot, S, c);
  const Vec6<double> V = S * q_dot;
  const Vec3<double> w = V.head<3>(), p_dot = V.tail<3>();
  const Mat6<double> X = motion_transform<double>({Mat3<double>::Identity(), -X_FM.p});
  Vec6<double> turning = Vec6<double>::Zero();
  turning.tail<3>() = p_dot.cross(w);
  PairRows<double> rows;
  joint.forbid({X_FM.R, X_FM.p, w, p_dot}, rows);

  // A body fixed to M: mass, centre from M's origin and inertia, in axes of F.
  const double mass = random.number(0.5, 3.0);
  const Vec3<double> center = random.vec3<double>();
  const Mat3<double> R = random.rotation<double>();
  const Mat3<double> about_center = R * Vec3<double>(0.4, 0.7, 0.9).asDiagonal() * R.transpose();
  const Vec3<double> weight = mass * Vec3<double>(1.0, -2.0, -9.0);
  const Vec3<double> at = X_FM.p + center;

  Drawn x;
  x.q_dot = q_dot;
  x.f = random.vector<Vec6<double>>(6, -5.0, 5.0);
  x.body.I = SpatialInertia<double>{mass, at, about_center}.matrix();
  x.body.S = X * S;
  x.body.s_dot = X * c + turning;
  x.body.p = bias_wrench(X * V, x.body.I, Wrench<double>{Vec3<double>::Zero(), weight}.about(at).vector());
  x.forbidden.T = force_transform<double>({Mat3<double>::Identity(), -X_FM.p}) * rows.T;
  x.forbidden.T_dot_v = rows.bias - x.forbidden.T.transpose() * turning;
  expect_the_laws(x);
  expect_phi_laws(x);

  // Newton and Euler at the centre, without any spatial vector.
  const ConstrainedMotion motion = solve_by_apparent_inertia(x.body, x.f);
  const Vec6<double> V_dot = S * motion.q_ddot + c;
  const Vec3<double> w_dot = V_dot.head<3>(), p_ddot = V_dot.tail<3>();
  const Vec3<double> acceleration = p_ddot + w_dot.cross(center) + w.cross(w.cross(center));
  const Wrench<double> total = Wrench<double>::of(x.f + motion.f_c).about(-at);
  const double size = wrench_size(x.body, x.f, motion);
  EXPECT_TRUE(agree(total.force + weight, mass * acceleration, size));
  EXPECT_TRUE(agree(total.torque, about_center * w_dot + w.cross(about_center * w), size));
}

template <class J> class SingleBodyOnJoint : public testing::Test {};
TYPED_TEST_SUITE(SingleBodyOnJoint, Types<AllJoints>::Each, CaseName);

TYPED_TEST(SingleBodyOnJoint, MethodsAgreeAndMeetNewtonAndEuler) {
  const JointKernelOf<TypeParam, double> joint{sample<TypeParam>()};
  Random random(11);
  for (int i = 0; i < 20 && !this->HasFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "state " << i);
    const VecUpTo7<double> q = random_coordinates<TypeParam, double>(random);
    expect_newton_and_euler(joint, q, random.vector<VecUpTo6<double>>(TypeParam::nv, -2.0, 2.0), random);
  }
}

// ---- closed forms ------------------------------------------------------------

void expect_all(const ConstrainedBody& body, const Vec6<double>& f, const VecX<double>& q_ddot,
                const Vec6<double>& f_c) {
  for (const ConstrainedMotion& motion :
       {solve_by_apparent_inertia(body, f), solve_by_multipliers(body, f), solve_in_joint_space(body, f)}) {
    EXPECT_TRUE(near(motion.q_ddot, q_ddot, 1e-13));
    EXPECT_TRUE(near(motion.f_c, f_c, 1e-13));
  }
}

// What is printed in the notes: I S q̈ in method 1 and I S q̇ in method 3, where I Ṡ q̇ belongs.
void expect_not_as_printed(const ConstrainedBody& body, const VecX<double>& q_dot, const VecX<double>& q_ddot) {
  const JointSpaceEquation equation = joint_space_equation(body);
  const VecX<double> printed_1 = equation.H.ldlt().solve(-(body.S.transpose() * body.p)) / 2.0;
  const VecX<double> printed_3 = equation.H.ldlt().solve(-(body.S.transpose() * (body.I * body.S * q_dot + body.p)));
  const VecX<double> dropped = equation.H.ldlt().solve(-(body.S.transpose() * body.p));
  for (const VecX<double>& wrong : {printed_1, printed_3, dropped}) EXPECT_GT((wrong - q_ddot).norm(), 0.1);
}

// A bead that does not turn, on the wire z = k x²/2 in space:
// (1 + k² x²) ẍ + k² x ẋ² + g k x = 0, and N = m (g + k ẋ²) / (1 + k² x²) times (−k x, 1).
TEST(SingleBody, BeadOnAParabola) {
  const double m = 1.7, k = 0.8, g = 9.81, x = 0.6, x_dot = 2.3, slope = k * x;
  const Vec3<double> at(x, 0.0, 0.5 * k * x * x), weight(0.0, 0.0, -m * g);
  ConstrainedBody body;
  body.I = SpatialInertia<double>{m, at, Vec3<double>(0.1, 0.2, 0.3).asDiagonal()}.matrix();
  body.S = (Vec6<double>() << 0.0, 0.0, 0.0, 1.0, 0.0, slope).finished();
  body.s_dot[5] = k * x_dot * x_dot;
  body.p = bias_wrench(body.S * x_dot, body.I, Wrench<double>{Vec3<double>::Zero(), weight}.about(at).vector());

  const VecX<double> q_ddot =
      VecX<double>::Constant(1, -(k * k * x * x_dot * x_dot + g * slope) / (1.0 + slope * slope));
  const Vec3<double> reaction = m * (g + k * x_dot * x_dot) / (1.0 + slope * slope) * Vec3<double>(-slope, 0.0, 1.0);
  expect_all(body, Vec6<double>::Zero(), q_ddot, Wrench<double>{Vec3<double>::Zero(), reaction}.about(at).vector());
  expect_not_as_printed(body, VecX<double>::Constant(1, x_dot), q_ddot);
}

// Free turning in a universal joint at the centre, A, B, C about the body's axes: with D = B sin²β + C cos²β,
// A β̈ = (B − C) sinβ cosβ α̇² and d/dt (D α̇) = 0. In axes of the body and in axes of the fixed fork.
TEST(SingleBody, TurningInAUniversalJoint) {
  const double alpha = 0.7, beta = 0.9, alpha_dot = 2.1, beta_dot = -1.6, A = 0.4, B = 0.9, C = 0.6;
  const double s = std::sin(beta), c = std::cos(beta);
  const Vec3<double> principal(A, B, C);
  const VecX<double> q_dot = Eigen::Vector2d(alpha_dot, beta_dot);
  const VecX<double> q_ddot = Eigen::Vector2d(-2.0 * (B - C) * s * c * alpha_dot * beta_dot / (B * s * s + C * c * c),
                                              (B - C) * s * c * alpha_dot * alpha_dot / A);
  ConstrainedBody body;  // ω' = (β̇, α̇ sinβ, α̇ cosβ)
  body.I = SpatialInertia<double>{1.3, Vec3<double>::Zero(), principal.asDiagonal()}.matrix();
  body.S = MatX<double>::Zero(6, 2);
  body.S.col(0) << 0.0, s, c, 0.0, 0.0, 0.0;
  body.S(0, 1) = 1.0;
  body.s_dot << 0.0, alpha_dot * beta_dot * c, -alpha_dot * beta_dot * s, 0.0, 0.0, 0.0;
  body.p = bias_wrench(body.S * q_dot, body.I, Vec6<double>::Zero());
  // The fork's torque is along the third direction (0, c, −s): M = c (B ω̇₂ + …) − s (C ω̇₃ + …) by Euler's equations.
  const Vec3<double> w(beta_dot, alpha_dot * s, alpha_dot * c);
  const Vec3<double> w_dot(q_ddot[1], q_ddot[0] * s + alpha_dot * beta_dot * c,
                           q_ddot[0] * c - alpha_dot * beta_dot * s);
  const double torque = c * (B * w_dot.y() + (A - C) * w.z() * w.x()) - s * (C * w_dot.z() + (B - A) * w.x() * w.y());
  Vec6<double> f_c;
  f_c << 0.0, torque * c, -torque * s, 0.0, 0.0, 0.0;
  expect_all(body, Vec6<double>::Zero(), q_ddot, f_c);
  expect_not_as_printed(body, q_dot, q_ddot);

  const JointKernelOf<Universal, double> joint{Universal{}};
  VecUpTo7<double> q(2);
  q << alpha, beta;
  const Mat3<double> R = joint.pose(q).R;
  Mat6UpTo6<double> S;
  ConstrainedBody fixed;
  joint.motion(q, q_dot, S, fixed.s_dot);
  fixed.S = S;
  fixed.I = SpatialInertia<double>{1.3, Vec3<double>::Zero(), R * principal.asDiagonal() * R.transpose()}.matrix();
  fixed.p = bias_wrench(S * q_dot, fixed.I, Vec6<double>::Zero());
  f_c.head<3>() = R * f_c.head<3>();
  expect_all(fixed, Vec6<double>::Zero(), q_ddot, f_c);
}

// A rod of length L on a pivot: θ̈ = −3 g sinθ / (2 L), and the pivot pulls with m g cosθ + m L θ̇²/2 along the rod and
// with m g sinθ / 4 across it. In space axes at the pivot; gravity is along −y.
TEST(SingleBody, RodPendulumAndItsPivot) {
  const double m = 2.5, L = 1.4, g = 9.81, theta = 0.8, theta_dot = 1.9;
  const Vec3<double> along(-std::sin(theta), std::cos(theta), 0.0);  // from the free end to the pivot
  const Vec3<double> across(std::cos(theta), std::sin(theta), 0.0);  // the way θ grows
  const Mat3<double> R = rotation_about_z<double>(theta);
  const Mat3<double> about_center =
      R * Vec3<double>(m * L * L / 12.0, 1e-3, m * L * L / 12.0).asDiagonal() * R.transpose();
  const Vec3<double> center = -0.5 * L * along, weight(0.0, -m * g, 0.0);
  ConstrainedBody body;
  body.I = SpatialInertia<double>{m, center, about_center}.matrix();
  body.S = Vec6<double>::Unit(2);
  body.p = bias_wrench(body.S * theta_dot, body.I, Wrench<double>{Vec3<double>::Zero(), weight}.about(center).vector());

  const Vec3<double> force =
      (m * g * std::cos(theta) + 0.5 * m * L * theta_dot * theta_dot) * along + 0.25 * m * g * std::sin(theta) * across;
  expect_all(body, Vec6<double>::Zero(), VecX<double>::Constant(1, -1.5 * g * std::sin(theta) / L),
             Wrench<double>{Vec3<double>::Zero(), force}.vector());
  // A motor at the pivot that balances the weight's torque leaves it without acceleration.
  const Vec6<double> motor = 0.5 * m * g * L * std::sin(theta) * Vec6<double>::Unit(2);
  EXPECT_NEAR(solve_in_joint_space(body, motor).q_ddot[0], 0.0, 1e-13);
  EXPECT_NEAR(apparent_inertia(body).Phi(2, 2), 3.0 / (m * L * L), 1e-14);  // one over the inertia about the pivot
}

// The example of docs/methods/single_body.md.
TEST(SingleBody, ExampleOfThePage) {
  const double theta = 0.4, theta_dot = 1.5;
  const SpatialInertia<double> rod{3.0, {0.0, -0.5, 0.0}, Vec3<double>(0.25, 0.001, 0.25).asDiagonal()};
  const Vec3<double> weight = 3.0 * 9.81 * Vec3<double>(-std::sin(theta), -std::cos(theta), 0.0);  // in body axes
  const Vec6<double> f_g = Wrench<double>{Vec3<double>::Zero(), weight}.about(rod.center).vector();
  const Mat6<double> I = rod.matrix();
  const Vec6<double> S = Vec6<double>::Unit(2);  // it turns about z of the pivot
  const ConstrainedBody body{I, S, Vec6<double>::Zero(), bias_wrench(S * theta_dot, I, f_g)};
  const ConstrainedMotion motion = solve_by_apparent_inertia(body, Vec6<double>::Zero());
  const double theta_ddot = motion.q_ddot[0];             // −3 g sin θ / (2 L)
  const Vec3<double> pivot_force = motion.f_c.tail<3>();  // in body axes: y is along the rod

  EXPECT_NEAR(theta_ddot, -1.5 * 9.81 * std::sin(theta), 1e-12);
  EXPECT_NEAR(pivot_force.x(), 0.25 * 3.0 * 9.81 * std::sin(theta), 1e-12);
  EXPECT_NEAR(pivot_force.y(), 3.0 * 9.81 * std::cos(theta) + 3.0 * 0.5 * theta_dot * theta_dot, 1e-12);
}

// ---- bad input ------------------------------------------------------------

template <class Call> void expect_refusal(const Call& call, const std::string& part) {
  try {
    call();
    ADD_FAILURE() << "was accepted; expected: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

// Every entrance must refuse the body.
void expect_bad_body(const ConstrainedBody& body, const std::string& part) {
  const Vec6<double> f = Vec6<double>::Zero();
  expect_refusal([&] { apparent_inertia(body); }, part);
  expect_refusal([&] { forbidden_motion(body); }, part);
  expect_refusal([&] { joint_space_equation(body); }, part);
  expect_refusal([&] { solve_by_apparent_inertia(body, f); }, part);
  expect_refusal([&] { solve_by_multipliers(body, f); }, part);
  expect_refusal([&] { solve_by_multipliers(body, ForbiddenMotion{}, f); }, part);
  expect_refusal([&] { solve_in_joint_space(body, f); }, part);
}

TEST(SingleBody, BadBodiesAreRefused) {
  Random random(12);
  const ConstrainedBody good = draw(random, 3).body;
  const double nan = std::nan("");
  ConstrainedBody bad = good;
  bad.S = MatX<double>();
  expect_bad_body(bad, "S is 0×0; it must have 6 rows");
  bad.S = MatX<double>::Ones(5, 2);
  expect_bad_body(bad, "S is 5×2");
  bad.S = MatX<double>::Ones(6, 7);
  expect_bad_body(bad, "S is 6×7");
  bad.S = good.S;
  bad.S.col(2) = 2.0 * bad.S.col(0) - 3.0 * bad.S.col(1);
  expect_bad_body(bad, "columns of the allowed motion S are not independent");
  bad.S.col(2).setZero();
  expect_bad_body(bad, "columns of the allowed motion S are not independent");
  bad.S(1, 1) = nan;
  expect_bad_body(bad, "S has entries that are not finite");

  bad = good;
  bad.I.setZero();
  expect_bad_body(bad, "I is not positive definite");
  bad.I = SpatialInertia<double>{1.0, {0.0, -0.5, 0.0}, Vec3<double>(0.1, 0.0, 0.1).asDiagonal()}.matrix();
  expect_bad_body(bad, "I is not positive definite");  // a rod without thickness
  bad.I = good.I - 20.0 * Mat6<double>::Identity();
  expect_bad_body(bad, "I is not positive definite");
  bad.I = good.I;
  bad.I(0, 4) += 1.0;
  expect_bad_body(bad, "I is not symmetric");
  bad.I(0, 4) = nan;
  expect_bad_body(bad, "I has entries that are not finite");

  bad = good;
  bad.s_dot[3] = nan;
  expect_bad_body(bad, "s_dot has entries that are not finite");
  bad = good;
  bad.p[3] = nan;
  expect_bad_body(bad, "p has entries that are not finite");
}

TEST(SingleBody, BadWrenchesAndForbiddenMotionsAreRefused) {
  Random random(13);
  const Drawn x = draw(random, 2);
  const Vec6<double> zero = Vec6<double>::Zero();
  const Vec6<double> bad = Vec6<double>::Constant(std::nan(""));
  expect_refusal([&] { bias_wrench(zero, Mat6<double>::Zero(), zero); }, "I is not positive definite");
  expect_refusal([&] { bias_wrench(bad, x.body.I, zero); }, "v has entries");
  expect_refusal([&] { bias_wrench(zero, x.body.I, bad); }, "f_g has entries");
  expect_refusal([&] { solve_by_apparent_inertia(x.body, bad); }, "f has entries");
  expect_refusal([&] { solve_by_multipliers(x.body, bad); }, "f has entries");
  expect_refusal([&] { solve_in_joint_space(x.body, bad); }, "f has entries");

  const auto refused = [&](const ForbiddenMotion& forbidden, const std::string& part) {
    expect_refusal([&] { solve_by_multipliers(x.body, forbidden, x.f); }, part);
  };
  refused({x.forbidden.T.leftCols(3), x.forbidden.T_dot_v}, "T must have 4 columns");
  refused({x.forbidden.T, x.forbidden.T_dot_v.head(3)}, "as many entries; they have 4 and 3");
  refused({x.forbidden.T.topRows(5), x.forbidden.T_dot_v}, "T is 5×4");
  refused({x.forbidden.T, VecX<double>::Constant(4, std::nan(""))}, "T_dot_v has entries that are not finite");
  refused({x.forbidden.T, x.forbidden.T_dot_v + 1e-3 * VecX<double>::Ones(4)}, "T_dot_v does not fit the rate s_dot");
  refused({x.forbidden.T, -x.forbidden.T_dot_v}, "T_dot_v does not fit the rate s_dot");
  ForbiddenMotion twice = x.forbidden;
  twice.T.col(3) = twice.T.col(1);
  refused(twice, "columns of the forbidden motion T are not independent");
  ForbiddenMotion crossing = x.forbidden;
  crossing.T.col(2) += 0.01 * x.body.S.col(1);
  refused(crossing, "column 2 of the forbidden motion T is not orthogonal");
}

}  // namespace
}  // namespace tandem::test
