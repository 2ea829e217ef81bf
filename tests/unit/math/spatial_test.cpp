// Poses, spatial vectors and cubic splines.
#include <Eigen/LU>

#include "support/numbers.hpp"
#include "tandem/math/body_motion.hpp"
#include "tandem/math/spline.hpp"

namespace tandem::test {
namespace {

template <class S> class Spatial : public testing::Test {
 public:
  Random random{6};
  Pose<S> pose() { return {random.rotation<S>(), random.vec3<S>()}; }
  Twist<S> twist() { return {random.vec3<S>(), random.vec3<S>()}; }
  SpatialInertia<S> inertia() {
    const Mat3<S> R = random.rotation<S>();
    Mat3<S> principal = Mat3<S>::Zero();
    for (int i = 0; i < 3; ++i) principal(i, i) = random.scalar<S>(1.0, 1.8);
    return {random.scalar<S>(1.0, 2.0), random.vec3<S>(), R * principal * R.transpose()};
  }
};
using Scalars = testing::Types<double, D>;
TYPED_TEST_SUITE(Spatial, Scalars);

TYPED_TEST(Spatial, PosesCompose) {
  using S = TypeParam;
  const Pose<S> a = this->pose(), b = this->pose();
  const Vec3<S> p = this->random.template vec3<S>();
  EXPECT_TRUE(near((a * b) * p, a * Vec3<S>(b * p), law_tolerance));
  EXPECT_TRUE(near(a.inverse() * Vec3<S>(a * p), p, law_tolerance));
  EXPECT_TRUE(near(Pose<S>(a * a.inverse()).R, Mat3<S>::Identity(), law_tolerance));
  EXPECT_TRUE(near_zero(Pose<S>(a * a.inverse()).p, law_tolerance));
}

TYPED_TEST(Spatial, TransformsMoveTwistsAndWrenches) {
  using S = TypeParam;
  const Pose<S> X_AB = this->pose(), X_BC = this->pose();
  const Twist<S> V = this->twist();
  const Wrench<S> F{this->random.template vec3<S>(), this->random.template vec3<S>()};
  const Mat6<S> X = motion_transform<S>(X_AB), Xf = force_transform<S>(X_AB);
  // The twist at B's origin is v + ω × r, in axes of B.
  const Twist<S> moved = Twist<S>::of(X * V.vector());
  EXPECT_TRUE(near(moved.w, X_AB.R.transpose() * V.w, law_tolerance));
  EXPECT_TRUE(near(moved.v, X_AB.R.transpose() * (V.v + V.w.cross(X_AB.p)), law_tolerance));
  // The torque about B's origin is τ − r × f, in axes of B.
  const Wrench<S> shifted = Wrench<S>::of(Xf * F.vector());
  EXPECT_TRUE(near(shifted.force, X_AB.R.transpose() * F.force, law_tolerance));
  EXPECT_TRUE(near(shifted.torque, X_AB.R.transpose() * (F.torque - X_AB.p.cross(F.force)), law_tolerance));
  EXPECT_TRUE(near(shifted.torque, X_AB.R.transpose() * F.about(-X_AB.p).torque, law_tolerance));
  EXPECT_TRUE(near(Xf.transpose() * X, Mat6<S>::Identity(), law_tolerance));  // X* = X⁻ᵀ
  EXPECT_TRUE(near(shifted.power(moved), F.power(V), law_tolerance));
  EXPECT_TRUE(near(motion_transform<S>(X_AB * X_BC), motion_transform<S>(X_BC) * X, law_tolerance));
}

TYPED_TEST(Spatial, CrossProducts) {
  using S = TypeParam;
  const Twist<S> a = this->twist(), b = this->twist();
  const Vec6<S> f = this->random.template vector<Vec6<S>>();
  const Vec6<S> ab = motion_cross<S>(a) * b.vector();
  EXPECT_TRUE(near(ab.template head<3>(), a.w.cross(b.w), law_tolerance));
  EXPECT_TRUE(near(ab.template tail<3>(), a.v.cross(b.w) + a.w.cross(b.v), law_tolerance));
  const Vec6<S> af = force_cross<S>(a) * f;
  const Vec3<S> torque = f.template head<3>(), force = f.template tail<3>();
  EXPECT_TRUE(near(af.template head<3>(), a.w.cross(torque) + a.v.cross(force), law_tolerance));
  EXPECT_TRUE(near(af.template tail<3>(), a.w.cross(force), law_tolerance));
  // The rate of a transform: B moves with twist V in its own axes and origin, d/dt ᴮX_A = −V × ᴮX_A.
  const Pose<S> X_AB = this->pose();
  const Twist<S> V = this->twist();
  const Pose<Dual<S>> moving{seed(X_AB.R, Mat3<S>(X_AB.R * sk<S>(V.w))), seed(X_AB.p, Vec3<S>(X_AB.R * V.v))};
  EXPECT_TRUE(near(derivatives(motion_transform<Dual<S>>(moving)), -motion_cross<S>(V) * motion_transform<S>(X_AB),
                   law_tolerance));
  EXPECT_TRUE(near(derivatives(force_transform<Dual<S>>(moving)), -force_cross<S>(V) * force_transform<S>(X_AB),
                   law_tolerance));
}

TYPED_TEST(Spatial, InertiaShiftsAndMakesMomentum) {
  using S = TypeParam;
  const SpatialInertia<S> at_center{this->inertia().mass, Vec3<S>::Zero(), this->inertia().about_center};
  const Pose<S> X_CJ = this->pose();  // J seen from the mass centre
  const SpatialInertia<S> at_J{at_center.mass, -(X_CJ.R.transpose() * X_CJ.p),
                               X_CJ.R.transpose() * at_center.about_center * X_CJ.R};
  EXPECT_TRUE(near(at_J.matrix(), force_transform<S>(X_CJ) * at_center.matrix() * motion_transform<S>(X_CJ.inverse()),
                   law_tolerance));
  EXPECT_TRUE(near(at_J.matrix(), at_J.matrix().transpose(), law_tolerance));
  // Twice the kinetic energy, from the point masses' formula.
  const Twist<S> V = this->twist();
  const Vec3<S> v_center = V.v + V.w.cross(at_J.center);
  EXPECT_TRUE(near(S(V.vector().dot(at_J.matrix() * V.vector())),
                   S(at_J.mass * v_center.dot(v_center) + V.w.dot(at_J.about_center * V.w)), law_tolerance));
}

// F = dh/dt in a fixed frame is I A + V ×* I V, with the momentum h carried by duals.
TYPED_TEST(Spatial, ForceIsTheRateOfMomentum) {
  using S = TypeParam;
  const SpatialInertia<S> body = this->inertia();
  const Pose<S> X_WB = this->pose();
  const Twist<S> V = this->twist();  // of the body, in its axes and origin
  const Vec6<S> A = this->random.template vector<Vec6<S>>();
  const Pose<Dual<S>> moving{seed(X_WB.R, Mat3<S>(X_WB.R * sk<S>(V.w))), seed(X_WB.p, Vec3<S>(X_WB.R * V.v))};
  const Mat6<Dual<S>> to_world = force_transform<Dual<S>>(moving.inverse());
  const Vec6<Dual<S>> h = to_world * (held(body.matrix()) * seed(V.vector(), A));
  const Vec6<S> F = body.matrix() * A + force_cross<S>(V) * body.matrix() * V.vector();
  EXPECT_TRUE(near(derivatives(h), force_transform<S>(X_WB.inverse()) * F, law_tolerance));
}

TYPED_TEST(Spatial, PointJacobianGivesThePointsVelocity) {
  using S = TypeParam;
  BodyMotion<S> body{this->pose(), this->random.template vec3<S>(), {}, this->random.template vec3<S>()};
  body.w_W = body.X_WC.R * body.w_B;
  const Vec3<S> p = this->random.template vec3<S>(), r = body.X_WC.R * p;
  const Pose<Dual<S>> moving{seed(body.X_WC.R, Mat3<S>(body.X_WC.R * sk<S>(body.w_B))), seed(body.X_WC.p, body.v)};
  EXPECT_TRUE(near(point_jacobian<S>(body, r) * body.velocity(), derivatives(moving * held(p)), law_tolerance));
}

const std::vector<double> knots{-0.5, 0.2, 1.0, 1.3, 2.7, 3.1};

TEST(CubicSplineTest, InterpolatesAndIsTwiceContinuous) {
  for (const SplineEnds ends : {SplineEnds::natural, SplineEnds::periodic}) {
    const std::vector<double> y{0.4, -1.0, 0.8, 1.1, -0.3, 0.4};
    const CubicSpline spline(knots, y, ends);
    for (std::size_t i = 0; i < knots.size(); ++i) {
      EXPECT_NEAR(spline.jet(knots[i]).value, y[i], 1e-13);
      const Jet<double> left = spline.jet(knots[i] - 1e-9), right = spline.jet(knots[i] + 1e-9);
      EXPECT_NEAR(left.rate, right.rate, 1e-6);
      EXPECT_NEAR(left.acceleration, right.acceleration, 1e-6);
    }
    for (const double x : {-2.0, -0.3, 0.5, 1.15, 2.0, 3.0, 3.7, 9.0}) {  // the jet's own derivatives
      const Jet<D> moving = spline.jet(D(x, 1.0));
      EXPECT_NEAR(moving.value.derivative, spline.jet(x).rate, 1e-12);
      EXPECT_NEAR(moving.rate.derivative, spline.jet(x).acceleration, 1e-12);
    }
  }
}

TEST(CubicSplineTest, NaturalEndsGoOnStraight) {
  const CubicSpline spline(knots, {0.4, -1.0, 0.8, 1.1, -0.3, 0.6}, SplineEnds::natural);
  EXPECT_NEAR(spline.jet(knots.front()).acceleration, 0.0, 1e-12);
  EXPECT_NEAR(spline.jet(knots.back()).acceleration, 0.0, 1e-12);
  for (const double beyond : {0.1, 2.0}) {
    EXPECT_NEAR(spline.jet(knots.back() + beyond).value, 0.6 + beyond * spline.jet(knots.back()).rate, 1e-12);
    EXPECT_NEAR(spline.jet(knots.front() - beyond).value, 0.4 - beyond * spline.jet(knots.front()).rate, 1e-12);
  }
  const CubicSpline line({0.0, 2.0}, {1.0, 5.0}, SplineEnds::natural);  // two points: a line
  EXPECT_NEAR(line.jet(0.5).value, 2.0, 1e-14);
}

TEST(CubicSplineTest, PeriodicRepeats) {
  const CubicSpline spline(knots, {0.4, -1.0, 0.8, 1.1, -0.3, 0.4}, SplineEnds::periodic);
  const double period = knots.back() - knots.front();
  Random random(3);
  for (int turn = -200; turn <= 200; ++turn) {
    const double at = random.number(knots.front(), knots.back());
    const Jet<double> here = spline.jet(at), there = spline.jet(at + turn * period);
    ASSERT_NEAR(here.value, there.value, 1e-10);
    ASSERT_NEAR(here.rate, there.rate, 1e-10);
    ASSERT_NEAR(here.acceleration, there.acceleration, 1e-9);
  }
}

// Within a rounding error of a seam, on either side, all three are those of the seam.
TEST(CubicSplineTest, PeriodicSeamsDoNotShow) {
  for (const double first : {-0.5, 0.1, 1.7})
    for (const double period : {0.7, 1.1, 3.6}) {
      const CubicSpline spline({first, first + 0.3 * period, first + 0.6 * period, first + period},
                               {1.0, 2.0, -1.0, 1.0}, SplineEnds::periodic);
      const Jet<double> seam = spline.jet(first);
      for (int turn = -200; turn <= 200; ++turn) {
        double at = first + turn * (spline.last() - spline.first());
        for (int i = 0; i < 10; ++i) at = std::nextafter(at, -1e9);
        for (int i = 0; i < 20; ++i, at = std::nextafter(at, 1e9)) {
          const Jet<double> jet = spline.jet(at);
          ASSERT_NEAR(jet.value, seam.value, 1e-9);
          ASSERT_NEAR(jet.rate, seam.rate, 1e-9);
          ASSERT_NEAR(jet.acceleration, seam.acceleration, 1e-7) << turn << " turns";
        }
      }
    }
}

TEST(CubicSplineTest, PeriodicConstantStaysConstant) {
  const CubicSpline flat({0.0, 1.0, 2.0}, {3.0, 3.0, 3.0}, SplineEnds::periodic);
  EXPECT_NEAR(flat.jet(0.7).value, 3.0, 1e-14);
}

}  // namespace
}  // namespace tandem::test
