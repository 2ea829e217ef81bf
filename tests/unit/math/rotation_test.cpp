// Rotations in their parametrisations: quaternions, rotation vectors, and the matrices themselves.
#include "support/numbers.hpp"

namespace tandem::test {
namespace {

template <class S> class Rotations : public testing::Test {
 public:
  Random random{42};
};
using Scalars = testing::Types<double, D>;
TYPED_TEST_SUITE(Rotations, Scalars);

// A rotation path R(t) = exp(θ + t θ̇) with its angular velocity in space axes, one dual level deeper than S.
template <class S> Vec3<S> space_velocity(const Mat3<Dual<S>>& R) {
  const Mat3<S> spin = derivatives(R) * values(R).transpose();
  EXPECT_TRUE(near(spin, Mat3<S>(-spin.transpose()), law_tolerance));
  return vee<S>(spin);
}

TYPED_TEST(Rotations, ElementaryOnesTurnTheRightWay) {
  using S = TypeParam;
  const S a = this->random.template scalar<S>(0.2, 1.0);
  using std::cos, std::sin;
  const Vec3<S> x = Vec3<S>::UnitX(), y = Vec3<S>::UnitY(), z = Vec3<S>::UnitZ();
  EXPECT_TRUE(near(rotation_about_x<S>(a) * y, cos(a) * y + sin(a) * z, law_tolerance));
  EXPECT_TRUE(near(rotation_about_y<S>(a) * z, cos(a) * z + sin(a) * x, law_tolerance));
  EXPECT_TRUE(near(rotation_about_z<S>(a) * x, cos(a) * x + sin(a) * y, law_tolerance));
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3<S> u = Vec3<S>::Unit(axis);
    const Mat3<S> expected = axis == 0   ? rotation_about_x<S>(a)
                             : axis == 1 ? rotation_about_y<S>(a)
                                         : rotation_about_z<S>(a);
    EXPECT_TRUE(near(rotation_exp<S>(a * u), expected, law_tolerance));
    EXPECT_TRUE(near(expected * u, u, law_tolerance));
  }
}

TYPED_TEST(Rotations, ExpIsRodriguesAndLogInvertsIt) {
  using S = TypeParam;
  using std::cos, std::sin;
  for (const double size : {0.0, 1e-12, 1e-6, 1e-3, 9.9e-3, 1.01e-2, 0.5, 2.0, 3.0, pi - 1e-3, pi - 1e-6}) {
    SCOPED_TRACE(size);
    for (int i = 0; i < 5; ++i) {
      const Vec3<S> direction = this->random.template vec3<S>();
      const Vec3<S> n = direction / norm<S>(direction);
      const Vec3<S> theta = S(size) * n;
      const Mat3<S> R = rotation_exp<S>(theta);
      const Mat3<S> rodrigues =
          Mat3<S>::Identity() + std::sin(size) * sk<S>(n) + (1.0 - std::cos(size)) * sk<S>(n) * sk<S>(n);
      EXPECT_TRUE(near(R, rodrigues, law_tolerance));
      EXPECT_TRUE(near(R * R.transpose(), Mat3<S>::Identity(), law_tolerance));
      // Near half a turn the sine that carries the direction is as small as the distance to π.
      EXPECT_TRUE(near(rotation_log<S>(R), theta, size > 3.1 ? 1e-8 : law_tolerance));
    }
  }
}

TYPED_TEST(Rotations, ExpAndLogHaveDerivativesEverywhere) {
  using S = TypeParam;
  const Vec3<S> rate = this->random.template vec3<S>();
  for (const double size : {0.0, 1e-7, 5e-3, 2e-2, 1.0, 3.0}) {
    SCOPED_TRACE(size);
    const Vec3<S> theta = size * this->random.template vec3<S>() / 1.8;
    const Mat3<Dual<S>> R = rotation_exp<Dual<S>>(seed(theta, rate));
    EXPECT_TRUE(near(derivatives(rotation_log<Dual<S>>(R)), rate, 1e-9));
    const Vec3<S> w = space_velocity<S>(R);  // d/dt R = sk(ω) R
    EXPECT_TRUE(near(derivatives(R), sk<S>(w) * values(R), law_tolerance));
    if (size == 0.0) {
      EXPECT_TRUE(near(w, rate, law_tolerance));
    }
  }
}

TYPED_TEST(Rotations, QuaternionsAreScalarLast) {
  using S = TypeParam;
  Vec4<S> one = Vec4<S>::Unit(3);
  EXPECT_TRUE(near(rotation_of<S>(one), Mat3<S>::Identity(), 0.0));
  const S half = this->random.template scalar<S>(0.2, 0.6);
  using std::cos, std::sin;
  const Vec4<S> about_z(S(0.0), S(0.0), sin(half), cos(half));
  EXPECT_TRUE(near(rotation_of<S>(about_z), rotation_about_z<S>(2.0 * half), law_tolerance));
}

TYPED_TEST(Rotations, QuaternionMatrixAndRates) {
  using S = TypeParam;
  for (int i = 0; i < 10; ++i) {
    const Vec4<S> q = this->random.template quaternion<S>(), any = this->random.template vector<Vec4<S>>();
    const Vec3<S> u = this->random.template vec3<S>(), w = this->random.template vec3<S>();
    // R(q) u = q ∘ u ∘ q*
    Vec4<S> pure = Vec4<S>::Zero();
    pure.template head<3>() = u;
    const Vec4<S> turned = quaternion_product<S>(quaternion_product<S>(q, pure), quaternion_conjugate<S>(q));
    EXPECT_TRUE(near(rotation_of<S>(q) * u, turned.template head<3>(), law_tolerance));
    const Vec4<S> other = this->random.template quaternion<S>();
    EXPECT_TRUE(near(rotation_of<S>(quaternion_product<S>(q, other)), rotation_of<S>(q) * rotation_of<S>(other),
                     law_tolerance));

    const Mat34<S> T = quaternion_rate_matrix<S>(q);
    EXPECT_TRUE(near(T * T.transpose(), 4.0 * Mat3<S>::Identity(), law_tolerance));
    EXPECT_TRUE(near_zero(T * q, law_tolerance));
    EXPECT_TRUE(near_zero(quaternion_rate_matrix<S>(any) * any, law_tolerance));  // T(q̇) q̇ = 0, of any length
    EXPECT_TRUE(near(T * quaternion_rate<S>(q, w), w, law_tolerance));
    // ω' = T q̇ is the angular velocity in body axes: Ṙ = R sk(ω')
    const Mat3<Dual<S>> R = rotation_of<Dual<S>>(seed(q, quaternion_rate<S>(q, w)));
    EXPECT_TRUE(near(derivatives(R), values(R) * sk<S>(w), law_tolerance));
  }
}

TYPED_TEST(Rotations, QuaternionsOfMatricesInAllBranches) {
  using S = TypeParam;
  for (int largest = 0; largest < 4; ++largest)
    for (int i = 0; i < 10; ++i) {
      SCOPED_TRACE(largest);
      Vec4<S> q = 0.5 * this->random.template vector<Vec4<S>>();
      q[largest] += 1.5;
      q = quaternion_normalized<S>(q);
      Vec4<S> back = quaternion_of<S>(rotation_of<S>(q));
      if (value_of(back.dot(q)) < 0.0) back = -back;
      EXPECT_TRUE(near(back, q, law_tolerance));
    }
  Matrix3 half_turn = Matrix3::Identity();  // exactly half a turn: w = 0
  half_turn(0, 0) = half_turn(1, 1) = -1.0;
  EXPECT_TRUE(near(rotation_of<double>(quaternion_of<double>(half_turn)), half_turn, law_tolerance));
}

TYPED_TEST(Rotations, RetractAndDifference) {
  using S = TypeParam;
  for (int i = 0; i < 10; ++i) {
    const Vec4<S> q = this->random.template quaternion<S>(), q1 = this->random.template quaternion<S>();
    const Vec3<S> theta = this->random.template vec3<S>(1.7);
    const Vec4<S> moved = quaternion_retract<S>(q, theta);
    EXPECT_TRUE(near(rotation_of<S>(moved), rotation_of<S>(q) * rotation_exp<S>(theta), law_tolerance));
    EXPECT_TRUE(near(quaternion_difference<S>(moved, q), theta, law_tolerance));
    EXPECT_TRUE(near(quaternion_difference<S>(Vec4<S>(-moved), q), theta, law_tolerance));  // −q is the same rotation
    EXPECT_TRUE(near(rotation_of<S>(quaternion_retract<S>(q, quaternion_difference<S>(q1, q))), rotation_of<S>(q1),
                     law_tolerance));
  }
}

TEST(RotationWithZ, IsARotationThatKeepsZ) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Vector3 z = i < 3   ? Vector3(Vector3::Unit(i))
                      : i < 6 ? Vector3(-Vector3::Unit(i - 3))
                              : random.vec3<double>().normalized();
    const Vector3 hint = random.vec3<double>();
    for (const Matrix3& R : {rotation_with_z(z), rotation_with_z_and_x(z, hint)}) {
      EXPECT_TRUE(near(R * R.transpose(), Matrix3::Identity(), law_tolerance));
      EXPECT_NEAR(R.determinant(), 1.0, law_tolerance);
      EXPECT_TRUE(near(Vector3(R.col(2)), z, law_tolerance));
    }
    EXPECT_GT(rotation_with_z_and_x(z, hint).col(0).dot(hint), 0.0);
  }
  EXPECT_TRUE(near(rotation_with_z(Vector3::UnitZ()), Matrix3::Identity(), 0.0));
}

}  // namespace
}  // namespace tandem::test
