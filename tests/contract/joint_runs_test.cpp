// Tree run = loop run: one body on a joint to the world, integrated twice.
//
//   reduced:  the joint's own coordinates, from pose, motion and coordinate_rate alone;  (LS)ᵀ M (LS) v̇ = (LS)ᵀ (f − …)
//   maximal:  the floating body held by the joint's rows, as the library puts them together
#include <Eigen/Cholesky>

#include "support/mechanism.hpp"
#include "support/samples.hpp"

namespace tandem::test {
namespace {

struct OneBody {
  Pose<double> X_WF, X_CM;  // the joint's frames: F on the world, M from the mass centre
  double mass = 0.0;
  Matrix3 inertia;
  Vector3 gravity;
};

template <class J> class JointRuns : public testing::Test {
 public:
  struct Reduced {
    VecUpTo7<double> q;
    VecUpTo6<double> v;
  };
  struct Motion {  // of the body, world axes
    Pose<double> X_WC;
    Vector3 w, v, w_dot, v_dot;
    VecUpTo6<double> reduced;  // v̇
  };

  const JointKernelOf<J, double> joint{sample<J>()};
  Random random{77};
  Model model =
      Builder().body({.name = "b", .mass = 1.0, .inertia = std::array{1.0, 1.0, 1.0, 0.0, 0.0, 0.0}}).finish();
  OneBody body;
  Reduced reduced;
  State state;

  void SetUp() override {
    const Pose<double> X_BM = random_pose(random);
    body.X_WF = random_pose(random);
    reduced = {random_coordinates<J, double>(random), random.vector<VecUpTo6<double>>(J::nv, -1.5, 1.5)};
    BodyDescription described = general_body("body", random, body.X_WF * joint.pose(reduced.q) * X_BM.inverse());
    body.X_CM = {X_BM.R, X_BM.p - *described.center};
    body.mass = *described.mass;
    body.gravity = {1.0, -2.0, -9.0};
    const auto& i = *described.inertia;
    body.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];

    const Motion start = evaluate(reduced);
    described.velocity = start.v;
    described.angular_velocity = described.rotation.transpose() * start.w;
    model = Builder()
                .gravity(body.gravity)
                .body(described)
                .joint({.name = "joint",
                        .type = Joint(sample<J>()),
                        .bodies = {"world", "body"},
                        .frames = std::array{placement_of(body.X_WF), placement_of(X_BM)}})
                .finish();
    state = start_state(model);
  }

  // Newton and Euler projected on what the joint allows. L takes (ω_FM, ṗ_FM) to (ω, v of the mass centre).
  Motion evaluate(const Reduced& x) const {
    Mat6UpTo6<double> S;
    Vec6<double> c;
    joint.motion(x.q, x.v, S, c);
    const Pose<double> X_WM = body.X_WF * joint.pose(x.q);
    Motion out;
    out.X_WC = X_WM * body.X_CM.inverse();
    const Vector3 r = out.X_WC.p - X_WM.p;
    const Matrix3 I = out.X_WC.R * body.inertia * out.X_WC.R.transpose();
    Mat6<double> L = Mat6<double>::Zero();
    L.topLeftCorner<3, 3>() = body.X_WF.R;
    L.bottomRightCorner<3, 3>() = body.X_WF.R;
    L.bottomLeftCorner<3, 3>() = -sk<double>(r) * body.X_WF.R;
    const Vec6<double> V = L * S * x.v;
    out.w = V.head<3>();
    out.v = V.tail<3>();
    Vec6<double> bias = L * c;
    bias.tail<3>() += out.w.cross(out.w.cross(r));
    Mat6<double> M = Mat6<double>::Zero();
    M.topLeftCorner<3, 3>() = I;
    M.bottomRightCorner<3, 3>() = body.mass * Matrix3::Identity();
    Vec6<double> f;
    f << -out.w.cross(I * out.w), body.mass * body.gravity;
    const Eigen::MatrixXd LS = L * S;
    out.reduced = Eigen::MatrixXd(LS.transpose() * M * LS).ldlt().solve(LS.transpose() * (f - M * bias));
    const Vec6<double> A = LS * out.reduced + bias;
    out.w_dot = A.head<3>();
    out.v_dot = A.tail<3>();
    return out;
  }

  Reduced rate(const Reduced& x) const { return {joint.coordinate_rate(x.q, x.v), evaluate(x).reduced}; }
  static Reduced moved(const Reduced& x, double h, const Reduced& k) { return {x.q + h * k.q, x.v + h * k.v}; }
  void step_reduced(double h) {
    const Reduced k1 = rate(reduced), k2 = rate(moved(reduced, h / 2, k1)), k3 = rate(moved(reduced, h / 2, k2)),
                  k4 = rate(moved(reduced, h, k3));
    reduced.q += h / 6 * (k1.q + 2 * k2.q + 2 * k3.q + k4.q);
    reduced.v += h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
    if constexpr (J::nq != J::nv) reduced.q.template head<4>().normalize();
  }

  State rate(const State& x) const {
    State k = x;
    coordinate_rate(model, x.q(), x.v(), k.q());
    k.v() = acceleration(model, x);
    return k;
  }
  static State moved(const State& x, double h, const State& k) {
    State y = x;
    y.q() += h * k.q();
    y.v() += h * k.v();
    y.t += h;
    return y;
  }
  void step_maximal(double h) {
    const State k1 = rate(state), k2 = rate(moved(state, h / 2, k1)), k3 = rate(moved(state, h / 2, k2)),
                k4 = rate(moved(state, h, k3));
    state.q() += h / 6 * (k1.q() + 2 * k2.q() + 2 * k3.q() + k4.q());
    state.v() += h / 6 * (k1.v() + 2 * k2.v() + 2 * k3.v() + k4.v());
    state.t += h;
    normalise_quaternions(model, state.q());
  }
};

TYPED_TEST_SUITE(JointRuns, Types<AllJoints>::Each, CaseName);

TYPED_TEST(JointRuns, AccelerationsAgreeAtTheStart) {
  const Equations<double> e = equations(this->model, this->state);
  EXPECT_TRUE(near_zero(e.phi, 1e-12));
  EXPECT_TRUE(near_zero(e.J * this->state.v() + e.phi_t, 1e-12));
  const auto expected = this->evaluate(this->reduced);
  const Eigen::VectorXd y = acceleration(this->model, this->state);
  EXPECT_TRUE(near(Vector3(y.head<3>()), Vector3(expected.X_WC.R.transpose() * expected.w_dot), 1e-12));
  EXPECT_TRUE(near(Vector3(y.tail<3>()), expected.v_dot, 1e-12));
}

TYPED_TEST(JointRuns, RunsAgree) {
  if constexpr (TypeParam::nv > 0) {
    const double h = 1e-3;
    for (int i = 0; i < 300; ++i) {
      this->step_reduced(h);
      this->step_maximal(h);
    }
    const auto expected = this->evaluate(this->reduced);
    EXPECT_TRUE(near(this->state.q().template tail<3>(), expected.X_WC.p, 1e-9));
    EXPECT_TRUE(near(rotation_of<double>(this->state.q().template head<4>()), expected.X_WC.R, 1e-9));
    EXPECT_TRUE(near(this->state.v().template tail<3>(), expected.v, 1e-9));
    EXPECT_GT((this->state.q() - start_state(this->model).q()).norm(), 0.1);  // it did move
  }
}

}  // namespace
}  // namespace tandem::test
