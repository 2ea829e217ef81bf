// The laws of the constraint contract (tandem/constraints/constraint.hpp) on every pair constraint, on double and
// duals.
#include "support/samples.hpp"

namespace tandem::test {
namespace {

template <class TheCase> class ConstraintLaws : public testing::Test {};
TYPED_TEST_SUITE(ConstraintLaws, Types<AllConstraints>::WithScalars, CaseName);

// φ̇ = TᵀV + φ_t and bias = d/dt (TᵀV + φ_t) at a held twist, at any pose.
TYPED_TEST(ConstraintLaws, RowsAndTheirBiasAreDerivatives) {
  using C = typename TypeParam::Type;
  using S = typename TypeParam::Scalar;
  const ConstraintKernelOf<C, S> constraint{sample<C>()};
  const ConstraintKernelOf<C, Dual<S>> moving{sample<C>()};
  Random random(4321);
  for (int i = 0; i < law_repeats; ++i) {
    SCOPED_TRACE(testing::Message() << "state " << i);
    const Relative<S> x = sample_relative<C, S>(random);
    const S t = random.scalar<S>(0.1, 2.0);
    PairRows<S> rows;
    PairRows<Dual<S>> moved;
    constraint.rows(x, t, rows);
    moving.rows(along(x), Dual<S>(t, S(1.0)), moved);
    EXPECT_EQ(rows.phi.size(), C::holonomic + C::nonholonomic);
    EXPECT_TRUE(near(values(moved.phi), rows.phi, law_tolerance));
    EXPECT_TRUE(near(values(moved.T), rows.T, law_tolerance));
    const VecUpTo6<S> rate = rows.T.transpose() * x.twist() + rows.phi_t;
    EXPECT_TRUE(near(rate.head(C::holonomic), derivatives(moved.phi).head(C::holonomic), law_tolerance));
    const VecUpTo6<Dual<S>> moved_rate = moved.T.transpose() * held(x.twist()) + moved.phi_t;
    EXPECT_TRUE(near(rows.bias, derivatives(moved_rate), law_tolerance));
    EXPECT_TRUE(near_zero(rows.phi.tail(C::nonholonomic), 0.0));
    if (testing::Test::HasFailure()) return;
  }
}

// A row that is not zero somewhere else is no row: each T column pushes.
TYPED_TEST(ConstraintLaws, EveryRowPushesAndHasAName) {
  using C = typename TypeParam::Type;
  using S = typename TypeParam::Scalar;
  Random random(99);
  PairRows<S> rows;
  ConstraintKernelOf<C, S>{sample<C>()}.rows(sample_relative<C, S>(random), S(0.3), rows);
  for (Eigen::Index i = 0; i < rows.T.cols(); ++i) EXPECT_GT(value_of(rows.T.col(i).dot(rows.T.col(i))), 0.5);
  EXPECT_EQ(C::row_names.size(), static_cast<std::size_t>(C::holonomic + C::nonholonomic));
  const Constraint constraint = sample<C>();
  EXPECT_EQ(constraint.traits().rows(), C::holonomic + C::nonholonomic);
  EXPECT_EQ(constraint.traits().row_names.size(), C::row_names.size());
}

Relative<double> at(const Vector3& p, const Matrix3& R = Matrix3::Identity()) { return {R, p}; }

template <class C> VecUpTo6<double> residual(const C& constraint, const Relative<double>& x, double t = 0.0) {
  PairRows<double> rows;
  ConstraintKernelOf<C, double>{constraint}.rows(x, t, rows);
  return rows.phi;
}

// What each φ measures, in plain numbers.
TEST(ConstraintResiduals, AreDistancesAndAngles) {
  EXPECT_NEAR(residual(Distance{.length = 4.0}, at({2, 3, 6}))[0], 3.0, 1e-15);
  EXPECT_NEAR(residual(Distance{.length = of_time("2 + t")}, at({2, 3, 6}), 1.5)[0], 3.5, 1e-15);
  EXPECT_NEAR(residual(Rope{.length = 8.0}, at({2, 3, 6}))[0], -1.0, 1e-15);
  EXPECT_TRUE(near(residual(PointOnLine{}, at({2, 3, 6})), Eigen::Vector2d(2, 3), 1e-15));
  EXPECT_NEAR(residual(PointOnPlane{}, at({2, 3, 6}))[0], 6.0, 1e-15);
  EXPECT_TRUE(near(residual(PointOnCircle{.radius = 4.0}, at({3, 4, 6})), Eigen::Vector2d(6, 1), 1e-15));
  EXPECT_NEAR(residual(RollingBall{.radius = 0.25}, at({3, 4, 6}))[0], 5.75, 1e-15);
  EXPECT_TRUE(near_zero(residual(ParallelAxes{}, at({3, 4, 6}, rotation_about_z(1.0))), 1e-15));
  EXPECT_TRUE(
      near(residual(ParallelAxes{}, at({3, 4, 6}, rotation_about_y(0.2))), Eigen::Vector2d(std::sin(0.2), 0.0), 1e-15));
}

TEST(PointOnCurve, GoesThroughItsPointsAndFindsTheNearestOne) {
  for (const bool closed : {false, true}) {
    const std::vector<Vector3> points{{0, 0, 0}, {1, 0, 0.2}, {1.2, 1, 0}, {0, 1.1, -0.3}};
    const PointOnCurve curve = PointOnCurve::through(points, closed);
    for (const Vector3& point : points) EXPECT_TRUE(near_zero(residual(curve, at(point)), 1e-12));
    // Off the curve the residual is the distance across it, which no other point of the curve undercuts.
    Random random(5);
    for (int i = 0; i < 20; ++i) {
      const Vector3 p = random.vec3<double>(1.0);
      const double s = curve.nearest(p);
      const auto distance = [&](double where) {
        Vector3 c;
        for (int k = 0; k < 3; ++k) c[k] = curve.spline[static_cast<std::size_t>(k)].jet<double>(where).value;
        return (c - p).norm();
      };
      if (s <= curve.spline[0].first() || s >= curve.spline[0].last()) continue;
      EXPECT_NEAR(residual(curve, at(p)).norm(), distance(s), 1e-9);
      for (int k = 0; k <= 1000; ++k) EXPECT_LE(distance(s), distance(curve.spline[0].last() * k / 1000.0) + 1e-12);
    }
  }
}

}  // namespace
}  // namespace tandem::test
