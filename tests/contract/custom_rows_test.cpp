// The user's own rows: the ball joint written by hand in two forms equals the library's spherical joint.
#include "support/pair_model.hpp"

namespace tandem::test {
namespace {

const Vector3 p_B{0.3, -0.2, 0.5}, p_C{-0.4, 0.1, 0.25};  // the ball on each body, from its mass centre

// φ = r_B + Q_B p_B − r_C − Q_C p_C with its Jacobian; the bias comes from duals.
CustomRows ball_rows() {
  return custom_rows(3, 0, [](auto bodies, auto t, auto& rows) {
    using S = decltype(t);
    const Vec3<S> b = bodies[0].X_WC.R * lift<S>(p_B), c = bodies[1].X_WC.R * lift<S>(p_C);
    rows.phi = bodies[0].X_WC.p + b - bodies[1].X_WC.p - c;
    rows.J.leftCols(6) = point_jacobian<S>(bodies[0], b);
    rows.J.rightCols(6) = -point_jacobian<S>(bodies[1], c);
  });
}

// The same as QuIRK writes it: A (3×14) on (r̈_B, r̈_C, q̈_B, q̈_C), and b.
CustomRows quirk_ball() {
  return quirk_rows(3, [](const auto& B, const auto& C, const auto& t, auto& A, auto& b, auto& phi) {
    using S = std::decay_t<decltype(t)>;
    const Mat3<S> Q_B = rotation_of<S>(B.q), Q_C = rotation_of<S>(C.q);
    const Vec3<S> arm_B = Q_B * lift<S>(p_B), arm_C = Q_C * lift<S>(p_C);
    const Mat34<S> T_B = quaternion_rate_matrix<S>(B.q), T_C = quaternion_rate_matrix<S>(C.q);
    const Vec3<S> w_B = Q_B * T_B * B.q_dot, w_C = Q_C * T_C * C.q_dot;
    A.middleCols(0, 3) = Mat3<S>::Identity();
    A.middleCols(3, 3) = -Mat3<S>::Identity();
    A.middleCols(6, 4) = -sk<S>(arm_B) * Q_B * T_B;
    A.middleCols(10, 4) = sk<S>(arm_C) * Q_C * T_C;
    b = sk<S>(arm_B) * Q_B * quaternion_rate_matrix<S>(B.q_dot) * B.q_dot -
        sk<S>(arm_C) * Q_C * quaternion_rate_matrix<S>(C.q_dot) * C.q_dot - w_B.cross(Vec3<S>(w_B.cross(arm_B))) +
        w_C.cross(Vec3<S>(w_C.cross(arm_C)));
    phi = B.r + arm_B - C.r - arm_C;
  });
}

class BallJoint : public testing::Test {
 public:
  Random random{8};
  BodyDescription B = general_body("B", random, random_pose(random)),
                  C = general_body("C", random, random_pose(random));

  // The two bodies assembled, with the ball at rest in itself: φ = 0 and φ̇ = 0.
  BallJoint() {
    C.position = at(B, p_B) - C.rotation * (*C.center + p_C);
    C.velocity = velocity(B, p_B) - (velocity(C, p_C) - C.velocity);
  }
  static Vector3 at(const BodyDescription& body, const Vector3& p) {
    return body.position + body.rotation * (*body.center + p);
  }
  static Vector3 velocity(const BodyDescription& body, const Vector3& p) {
    return body.velocity + body.rotation * body.angular_velocity.cross(p);
  }
  Model with(const JointType& type) const {
    JointDescription joint{.name = "ball", .type = type, .bodies = {"B", "C"}};
    if (std::holds_alternative<Joint>(type)) joint.point = at(B, p_B);
    return Builder().body(B).body(C).joint(joint).finish();
  }
};

TEST_F(BallJoint, BothFormsEqualTheSphericalJoint) {
  const Model known = with(Joint(Spherical{}));
  const State state = start_state(known);
  const Equations<double> s = equations(known, state);
  ASSERT_TRUE(near_zero(s.phi, 1e-12));
  ASSERT_TRUE(near_zero(s.J * state.v(), 1e-12));
  for (const CustomRows& rows : {ball_rows(), quirk_ball()}) {
    const Model custom = with(rows);
    const Equations<double> e = equations(custom, state);
    // φ = r_B − r_C in world axes; the joint measures C from B, in axes of F on B, here world axes at the start.
    EXPECT_TRUE(near(e.phi, -s.phi, 1e-12));
    EXPECT_TRUE(near(e.J, -s.J, 1e-12));
    EXPECT_TRUE(near(e.b, -s.b, 1e-12));
    EXPECT_TRUE(near(acceleration(custom, state), acceleration(known, state), 1e-11));
  }
}

TEST_F(BallJoint, FormsAgreeAnywhere) {
  const Model custom = with(ball_rows()), quirk = with(quirk_ball());
  State state = start_state(custom);
  for (int i = 0; i < 5; ++i) {
    for (const int first : {0, 7}) {
      state.q().segment<4>(first) = random.quaternion<double>();
      state.q().segment<3>(first + 4) = random.vec3<double>();
    }
    state.v() = random.vector<Eigen::VectorXd>(12, -2.0, 2.0);
    check_rows_by_duals(custom, state, 1e-11);
    check_rows_by_duals(quirk, state, 1e-11);
    const Equations<double> e = equations(custom, state), k = equations(quirk, state);
    EXPECT_TRUE(near(k.phi, e.phi, 1e-12));
    EXPECT_TRUE(near(k.J, e.J, 1e-12));
    EXPECT_TRUE(near(k.b, e.b, 1e-12));
  }
  // Forces in world axes meet in one point, and balance, where the ball is closed.
  check_momentum_balance(custom, start_state(custom), 1e-12);
  check_momentum_balance(quirk, start_state(quirk), 1e-12);
}

// Rows that depend on time, and rows of velocities only; on three bodies, one of them the world.
TEST(CustomRowsTest, TimeDependentAndNonholonomic) {
  Random random(9);
  const CustomRows rows = custom_rows(1, 1, [](auto bodies, auto t, auto& out) {
    using std::cos, std::sin;
    using S = decltype(t);
    const Vec3<S> d = bodies[0].X_WC.p - bodies[2].X_WC.p;
    out.phi[0] = d.dot(d) - 2.0 - sin(S(3.0 * t)) * d.z();
    Vec3<S> gradient = 2.0 * d;
    gradient.z() -= sin(S(3.0 * t));
    out.J.row(0).segment(3, 3) = gradient.transpose();
    out.J.row(0).segment(15, 3) = -gradient.transpose();
    out.phi_t[0] = -3.0 * cos(S(3.0 * t)) * d.z();
    // The velocity of the third body along the first body's x axis follows a given speed.
    out.J.row(1).segment(15, 3) = bodies[0].X_WC.R.col(0).transpose();
    out.phi_t[1] = -t * t;
  });
  Builder build;
  build.body(general_body("a", random, random_pose(random))).body(general_body("b", random, random_pose(random)));
  build.constraint({.name = "mine", .type = rows, .bodies = {"a", "world", "b"}});
  const Model model = build.finish();
  ASSERT_EQ(model.rows, 2);
  EXPECT_TRUE(model.is_holonomic(0));
  EXPECT_FALSE(model.is_holonomic(1));
  State state = start_state(model);
  state.t = 0.4;
  check_rows_by_duals(model, state, 1e-11);
}

}  // namespace
}  // namespace tandem::test
