// One motion, three parametrisations: rows hold along smooth paths given in quaternions, in Euler angles 3-1-2 and in
// rotation vectors, with the accelerations of each converted to ω̇':
//
//   quaternion       ω' = T q̇,     ω̇' = T q̈              (Ṫ q̇ = 0)
//   Euler 3-1-2      ω' = A' ṗ,    ω̇' = A' p̈ + Ȧ' ṗ      (forgetting Ȧ' ṗ must show)
//   rotation vector  ω' = vee(Rᵀ Ṙ) and its rate
// Along the path φ̈ = J y − b, and d/dt (Tᵀ V + φ_t) = J y − b for rows without a φ.
#include "support/pair_model.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem::test {
namespace {

using DD = Dual<D>;
enum class Angles { quaternion, euler312, vector };

DD time_at(double t) { return DD(D(t, 1.0), D(1.0, 0.0)); }

// x₀ + x₁ t + x₂ t²/2 about t = 0, at nested dual time.
template <int n> struct Path {
  using V = Eigen::Matrix<double, n, 1>;
  V x, x1, x2;
  Eigen::Matrix<DD, n, 1> operator()(const DD& s) const {
    Eigen::Matrix<DD, n, 1> out;
    for (int i = 0; i < n; ++i) out[i] = x[i] + s * (x1[i] + 0.5 * s * x2[i]);
    return out;
  }
};

struct Orientation {
  Mat3<DD> R;
  Vector3 w, w_dot;     // body axes
  Vector3 w_dot_naive;  // without the rate of the matrix
};

Orientation orientation(Angles angles, Random& random, const DD& s) {
  Orientation out;
  if (angles == Angles::euler312) {
    const Path<3> path{random.vec3<double>(), random.vec3<double>(4.0), random.vec3<double>(4.0)};
    out.R = rotation_of_euler312<DD>(path(s));
    out.w = euler312_body_matrix<double>(path.x) * path.x1;
    out.w_dot_naive = euler312_body_matrix<double>(path.x) * path.x2;
    out.w_dot = out.w_dot_naive + euler312_body_matrix_rate<double>(path.x, path.x1) * path.x1;
  } else if (angles == Angles::quaternion) {
    const Path<4> path{random.quaternion<double>(), random.vector<Vec4<double>>(), random.vector<Vec4<double>>()};
    const Vec4<DD> q = quaternion_normalized<DD>(path(s));
    const Vec4<D> lower = values(q);
    const Vec4<double> q0 = values(lower), q1 = derivatives(lower), q2 = derivatives(derivatives(q));
    out.R = rotation_of<DD>(q);
    out.w = quaternion_rate_matrix<double>(q0) * q1;
    out.w_dot = out.w_dot_naive = quaternion_rate_matrix<double>(q0) * q2;
  } else {
    const Path<3> path{random.vec3<double>(), random.vec3<double>(4.0), random.vec3<double>(4.0)};
    out.R = rotation_exp<DD>(path(s));
    const Vec3<D> w = vee<D>(values(out.R).transpose() * derivatives(out.R));
    out.w = values(w);
    out.w_dot = out.w_dot_naive = derivatives(w);
  }
  return out;
}

class Parametrisations : public testing::TestWithParam<std::tuple<PairCase, Angles>> {};

TEST_P(Parametrisations, AccelerationRowsHoldAlongAnyPath) {
  const PairCase& pair = std::get<0>(GetParam());
  const Angles angles = std::get<1>(GetParam());
  Random random(31);
  Relative<double> x = pair.motion(random);
  PairModel made = pair_model(pair, First::body, x, 600);
  const DD s = time_at(0.0), t = time_at(made.state.t);

  // Orientations move by their paths. Mass centres: the first by any path, the second so that M is where the motion
  // `x` wants it, with the velocity that it wants, and any acceleration.
  const Orientation a = orientation(angles, random, s), b = orientation(angles, random, s);
  const Pose<double> X_CF = made.first.X_CF, X_CM = made.second.X_CF;
  const Path<3> path_a{random.vec3<double>(), random.vec3<double>(), random.vec3<double>()};
  const Mat3<DD> R_WF = a.R * lift<DD>(X_CF.R);
  const Path<3> in_F{x.p, x.v, Vector3::Zero()};
  const Vec3<DD> wanted = path_a(s) + a.R * lift<DD>(X_CF.p) + R_WF * in_F(s) - b.R * lift<DD>(X_CM.p);
  const Vec3<D> lower = values(wanted);
  const Path<3> path_b{values(lower), derivatives(lower), random.vec3<double>()};

  Pose<DD> X_WA{a.R, path_a(s)}, X_WB{b.R, path_b(s)};
  const Pose<DD> X_FM = (X_WA * X_CF.cast<DD>()).inverse() * (X_WB * X_CM.cast<DD>());
  Relative<D> moving{values(X_FM.R), values(X_FM.p), vee<D>(derivatives(X_FM.R) * values(X_FM.R).transpose()),
                     derivatives(X_FM.p)};
  PairRows<D> rows;
  pair.rows_of(moving, t.value, rows);
  const VecUpTo6<D> rate = rows.T.transpose() * moving.twist() + rows.phi_t;

  PairRows<DD> nested;
  pair.nested({X_FM.R, X_FM.p}, t, nested);

  // The same state and acceleration in the library's coordinates.
  made.state.q() << quaternion_of<double>(values(Mat3<D>(values(a.R)))), path_a.x,
      quaternion_of<double>(values(Mat3<D>(values(b.R)))), path_b.x;
  made.state.v() << a.w, path_a.x1, b.w, path_b.x1;
  Eigen::VectorXd y(12), naive(12);
  y << a.w_dot, path_a.x2, b.w_dot, path_b.x2;
  naive << a.w_dot_naive, path_a.x2, b.w_dot_naive, path_b.x2;
  const Equations<double> e = equations(made.model, made.state);

  EXPECT_TRUE(near(e.J * made.state.v() + e.phi_t, values(rate), 1e-11));
  EXPECT_TRUE(near(e.J * y - e.b, derivatives(rate), 1e-11));
  const auto n = pair.holonomic;
  EXPECT_TRUE(near(e.phi.head(n), values(values(nested.phi)).head(n), 1e-11));
  EXPECT_TRUE(near((e.J * y - e.b).head(n), derivatives(derivatives(nested.phi)).head(n), 1e-11));
  if (angles == Angles::euler312 && pair.rows > 0) {
    EXPECT_GT((e.J * (y - naive)).norm(), 0.1) << "the path does not tell p̈ from ω̇'";
  }
}

struct ParametrisationName {
  std::string operator()(const testing::TestParamInfo<std::tuple<PairCase, Angles>>& info) const {
    const char* names[] = {"quaternion", "euler312", "vector"};
    return std::get<0>(info.param).type + "_" + names[static_cast<int>(std::get<1>(info.param))];
  }
};
INSTANTIATE_TEST_SUITE_P(All, Parametrisations,
                         testing::Combine(testing::ValuesIn(all_pairs()),
                                          testing::Values(Angles::quaternion, Angles::euler312, Angles::vector)),
                         ParametrisationName());

}  // namespace
}  // namespace tandem::test
