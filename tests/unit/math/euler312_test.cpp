// Euler angles 3-1-2 and the conversions between the three parametrisations.
#include <Eigen/LU>

#include "support/numbers.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem::test {
namespace {

template <class S> class Euler312 : public testing::Test {
 public:
  Random random{312};
  Vec3<S> angles(double lean = 1.2) {
    return {random.scalar<S>(-3.0, 3.0), random.scalar<S>(-lean, lean), random.scalar<S>(-3.0, 3.0)};
  }
};
using Scalars = testing::Types<double, D>;
TYPED_TEST_SUITE(Euler312, Scalars);

TYPED_TEST(Euler312, MatrixIsYawThenLeanThenPitch) {
  using S = TypeParam;
  using std::cos, std::sin;
  const Vec3<S> p = this->angles();
  const S cf = cos(p[0]), sf = sin(p[0]), ct = cos(p[1]), st = sin(p[1]), cp = cos(p[2]), sp = sin(p[2]);
  Mat3<S> R;                                                      // Rz(φ) Rx(θ) Ry(ψ) multiplied out
  R << cf * cp - sf * st * sp, -sf * ct, cf * sp + sf * st * cp,  //
      sf * cp + cf * st * sp, cf * ct, sf * sp - cf * st * cp,    //
      -ct * sp, st, ct * cp;
  EXPECT_TRUE(near(rotation_of_euler312<S>(p), R, law_tolerance));
}

TYPED_TEST(Euler312, RatesGiveTheAngularVelocityInBothAxes) {
  using S = TypeParam;
  for (int i = 0; i < 10; ++i) {
    const Vec3<S> p = this->angles(), p_dot = this->random.template vec3<S>(2.0);
    const Mat3<Dual<S>> R = rotation_of_euler312<Dual<S>>(seed(p, p_dot));
    const Mat3<S> R0 = values(R);
    const Vec3<S> w = euler312_space_matrix<S>(p) * p_dot, w_body = euler312_body_matrix<S>(p) * p_dot;
    EXPECT_TRUE(near(derivatives(R), sk<S>(w) * R0, law_tolerance));
    EXPECT_TRUE(near(derivatives(R), R0 * sk<S>(w_body), law_tolerance));
    EXPECT_TRUE(near(euler312_body_matrix<S>(p), R0.transpose() * euler312_space_matrix<S>(p), law_tolerance));
    EXPECT_TRUE(
        near(euler312_body_matrix_inverse<S>(p) * euler312_body_matrix<S>(p), Mat3<S>::Identity(), law_tolerance));
    using std::cos;
    EXPECT_TRUE(near(S(euler312_body_matrix<S>(p).determinant()), S(cos(p[1])), law_tolerance));
    EXPECT_TRUE(near(euler312_body_matrix_rate<S>(p, p_dot), derivatives(euler312_body_matrix<Dual<S>>(seed(p, p_dot))),
                     law_tolerance));
  }
}

TYPED_TEST(Euler312, AnglesComeBackFromTheMatrix) {
  using S = TypeParam;
  for (const double lean : {-1.5, -0.8, 0.0, 0.3, 1.0, 1.5}) {
    for (int i = 0; i < 10; ++i) {
      Vec3<S> p = this->angles();
      p[1] = S(lean);
      EXPECT_TRUE(near(euler312_of<S>(rotation_of_euler312<S>(p)), p, std::abs(lean) > 1.4 ? 1e-11 : law_tolerance));
    }
  }
}

TYPED_TEST(Euler312, SingularityIsNamed) {
  using S = TypeParam;
  for (const double lean : {0.5 * pi, -0.5 * pi, 0.5 * pi + 1e-8}) {
    const Vec3<S> p(S(0.4), S(lean), S(-0.2));
    EXPECT_THROW(euler312_body_matrix_inverse<S>(p), EulerSingularity);
    EXPECT_THROW(euler312_of<S>(rotation_of_euler312<S>(p)), EulerSingularity);
    try {
      euler312_body_matrix_inverse<S>(p);
    } catch (const EulerSingularity& error) {
      EXPECT_NE(std::string(error.what()).find("singular at a lean of 90 degrees"), std::string::npos) << error.what();
    }
  }
  EXPECT_NO_THROW(euler312_body_matrix_inverse<S>(Vec3<S>(S(0.0), S(0.5 * pi - 1e-4), S(0.0))));
}

TYPED_TEST(Euler312, AllThreeParametrisationsConvert) {
  using S = TypeParam;
  for (int i = 0; i < 10; ++i) {
    const Vec3<S> p = this->angles();
    const Mat3<S> R = rotation_of_euler312<S>(p);
    const Vec4<S> q = quaternion_of<S>(R);
    const Vec3<S> theta = rotation_log<S>(R);
    EXPECT_TRUE(near(euler312_of<S>(rotation_of<S>(q)), p, law_tolerance));
    EXPECT_TRUE(near(euler312_of<S>(rotation_exp<S>(theta)), p, 1e-11));
    EXPECT_TRUE(near(rotation_of<S>(quaternion_exp<S>(theta)), R, law_tolerance));
    EXPECT_TRUE(near(quaternion_log<S>(q), theta, law_tolerance));
    // and their rates: one ω' makes ṗ and q̇
    const Vec3<S> w = this->random.template vec3<S>();
    const Mat3<Dual<S>> moving = rotation_of<Dual<S>>(seed(q, quaternion_rate<S>(q, w)));
    EXPECT_TRUE(near(derivatives(euler312_of<Dual<S>>(moving)), euler312_body_matrix_inverse<S>(p) * w, 1e-11));
  }
}

}  // namespace
}  // namespace tandem::test
