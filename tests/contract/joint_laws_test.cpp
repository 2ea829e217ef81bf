// The laws of the joint contract (tandem/joints/joint.hpp) on every joint, on double and on duals.
//
// Each law is evaluated on a scalar S; derivatives along the motion come from Dual<S>. With S a dual the random states
// carry random derivatives, so every law holds at both levels.
#include "support/dense.hpp"
#include "support/samples.hpp"
#include "tandem/tree/link_form.hpp"

namespace tandem::test {
namespace {

template <class TheCase> class JointLaws : public testing::Test {
 public:
  using J = typename TheCase::Type;
  using S = typename TheCase::Scalar;

  const JointKernelOf<J, S> joint{sample<J>()};
  const JointKernelOf<J, Dual<S>> moving{sample<J>()};  // the same joint, one derivative deeper
  Random random{1234};
  VecUpTo7<S> q;
  VecUpTo6<S> v;

  void draw() {
    q = random_coordinates<J, S>(random);
    v = random.vector<VecUpTo6<S>>(J::nv, -2.0, 2.0);
  }
  Relative<S> at_pose() const {
    const Pose<S> X = joint.pose(q);
    return {X.R, X.p};
  }
  VecUpTo7<Dual<S>> q_along() const { return seed(q, joint.coordinate_rate(q, v)); }

  // Quaternions q and −q are one rotation, angles count modulo 2π.
  static testing::AssertionResult same_coordinates(VecUpTo7<S> a, const VecUpTo7<S>& b) {
    if constexpr (J::nq != J::nv) {
      if (value_of(a.template head<4>().dot(b.template head<4>())) < 0.0) a.template head<4>() *= S(-1.0);
    } else {
      for (Eigen::Index i = 0; i < J::nq; ++i)
        if (J::coordinates[static_cast<std::size_t>(i)].angular) a[i] = unwrap_angle<S>(a[i], value_of(b[i]));
    }
    return near(a, b, law_tolerance);
  }
};

TYPED_TEST_SUITE(JointLaws, Types<AllJoints>::WithScalars, CaseName);

#define JOINT_LAW(NAME)                                  \
  TYPED_TEST(JointLaws, NAME) {                          \
    for (int i = 0; i < law_repeats; ++i) {              \
      SCOPED_TRACE(testing::Message() << "state " << i); \
      this->draw();                                      \
      NAME##Law<typename TypeParam::Type>(*this);        \
      if (testing::Test::HasFailure()) return;           \
    }                                                    \
  }

template <class J, class Fixture> void NamesMatchSizesLaw(Fixture&) {
  EXPECT_EQ(J::row_names.size(), 6U - J::nv);
  EXPECT_EQ(J::coordinates.size(), static_cast<std::size_t>(J::nv));
  EXPECT_GE(J::nq, J::nv);
  EXPECT_LE(J::position_rows, 6 - J::nv);
  const Joint joint = sample<J>();
  EXPECT_EQ(joint.traits().rows(), 6 - J::nv);
  EXPECT_EQ(joint.traits().row_names.size(), 6U - J::nv);
}
JOINT_LAW(NamesMatchSizes)

template <class J, class Fixture>
void RowsForbidNothingThatIsAllowedLaw(Fixture& f) {  // TᵀS = 0 and φ = 0 on the manifold
  using S = typename Fixture::S;
  Mat6UpTo6<S> allowed;
  Vec6<S> c;
  f.joint.motion(f.q, f.v, allowed, c);
  PairRows<S> rows;
  f.joint.forbid(f.at_pose(), rows);
  EXPECT_EQ(rows.phi.size(), 6 - J::nv);
  EXPECT_TRUE(near_zero(rows.phi, law_tolerance));
  EXPECT_TRUE(near_zero(rows.T.transpose() * allowed, law_tolerance));
}
JOINT_LAW(RowsForbidNothingThatIsAllowed)

template <class J, class Fixture>
void LeadingRowsDoNotLookAtTheRotationLaw(Fixture& f) {  // all that is left of a joint with a point mass
  using S = typename Fixture::S;
  PairRows<S> rows, turned;
  Relative<S> x = random_relative<S>(f.random);
  f.joint.forbid(x, rows);
  x.R = f.random.template rotation<S>();
  x.w = f.random.template vec3<S>();
  f.joint.forbid(x, turned);
  const auto n = J::position_rows;
  EXPECT_TRUE(near_zero(rows.T.topRows(3).leftCols(n), 0.0));
  EXPECT_TRUE(near(rows.T.leftCols(n), turned.T.leftCols(n), 0.0));
  EXPECT_TRUE(near(rows.phi.head(n), turned.phi.head(n), 0.0));
  EXPECT_TRUE(near(rows.bias.head(n), turned.bias.head(n), 0.0));
}
JOINT_LAW(LeadingRowsDoNotLookAtTheRotation)

template <class J, class Fixture> void PoseMovesWithSvLaw(Fixture& f) {  // d/dt pose(q) along q̇ = N(q) v is S v
  using S = typename Fixture::S;
  const Pose<Dual<S>> X = f.moving.pose(f.q_along());
  const Mat3<S> R = values(X.R), spin = derivatives(X.R) * R.transpose();
  Mat6UpTo6<S> allowed;
  Vec6<S> c;
  f.joint.motion(f.q, f.v, allowed, c);
  const Vec6<S> V = allowed * f.v;
  EXPECT_TRUE(near(R * R.transpose(), Mat3<S>::Identity(), law_tolerance));
  EXPECT_TRUE(near(spin, sk<S>(V.template head<3>()), law_tolerance));
  EXPECT_TRUE(near(derivatives(X.p), V.template tail<3>(), law_tolerance));
}
JOINT_LAW(PoseMovesWithSv)

template <class J, class Fixture> void BiasOfTheMotionIsSDotVLaw(Fixture& f) {  // c = Ṡ v
  using S = typename Fixture::S;
  Mat6UpTo6<Dual<S>> allowed;
  Vec6<Dual<S>> unused;
  f.moving.motion(f.q_along(), held(f.v), allowed, unused);
  Mat6UpTo6<S> here;
  Vec6<S> c;
  f.joint.motion(f.q, f.v, here, c);
  EXPECT_TRUE(near(values(allowed), here, law_tolerance));
  EXPECT_TRUE(near(c, derivatives(allowed) * f.v, law_tolerance));
}
JOINT_LAW(BiasOfTheMotionIsSDotV)

template <class J, class Fixture>
void RowsAndTheirBiasAreDerivativesLaw(Fixture& f) {  // φ̇ = TᵀV and bias = d/dt (TᵀV), off the manifold too
  using S = typename Fixture::S;
  for (const bool on_manifold : {false, true}) {
    Relative<S> x = random_relative<S>(f.random);
    if (on_manifold) {
      x.R = f.at_pose().R;
      x.p = f.at_pose().p;
    }
    PairRows<S> rows;
    PairRows<Dual<S>> moved;
    f.joint.forbid(x, rows);
    f.moving.forbid(along(x), moved);
    EXPECT_TRUE(near(values(moved.phi), rows.phi, law_tolerance));
    EXPECT_TRUE(near_zero(rows.phi_t, 0.0));
    EXPECT_TRUE(near(rows.T.transpose() * x.twist(), derivatives(moved.phi), law_tolerance)) << on_manifold;
    EXPECT_TRUE(near(rows.bias, derivatives(moved.T.transpose() * held(x.twist())), law_tolerance)) << on_manifold;
  }
}
JOINT_LAW(RowsAndTheirBiasAreDerivatives)

template <class J, class Fixture> void MeasureReadsTheCoordinatesLaw(Fixture& f) {  // measure(pose(q)) = q and WᵀS = 1
  using S = typename Fixture::S;
  EXPECT_TRUE(f.same_coordinates(f.joint.measure(f.at_pose()), f.q));
  Mat6UpTo6<S> W, allowed;
  VecUpTo6<S> bias;
  Vec6<S> c;
  f.joint.rates(f.at_pose(), W, bias);
  f.joint.motion(f.q, f.v, allowed, c);
  EXPECT_TRUE(near(W.transpose() * allowed, MatX<S>::Identity(J::nv, J::nv), law_tolerance));
}
JOINT_LAW(MeasureReadsTheCoordinates)

template <class J, class Fixture>
void RatesAreDerivativesOfTheMeasureLaw(Fixture& f) {  // d/dt measure = N(q) WᵀV and bias = d/dt (WᵀV), anywhere
  using S = typename Fixture::S;
  const Relative<S> x = random_relative<S>(f.random);
  Mat6UpTo6<S> W;
  VecUpTo6<S> bias;
  f.joint.rates(x, W, bias);
  const VecUpTo6<S> rate = W.transpose() * x.twist();
  const VecUpTo7<S> q = f.joint.measure(x);
  const VecUpTo7<Dual<S>> moved = f.moving.measure(along(x));
  EXPECT_TRUE(near(values(moved), q, law_tolerance));
  EXPECT_TRUE(near(derivatives(moved), f.joint.coordinate_rate(q, rate), law_tolerance));

  Mat6UpTo6<Dual<S>> W_moved;
  VecUpTo6<Dual<S>> unused;
  f.moving.rates(along(x), W_moved, unused);
  EXPECT_TRUE(near(bias, derivatives(W_moved.transpose() * held(x.twist())), law_tolerance));
}
JOINT_LAW(RatesAreDerivativesOfTheMeasure)

template <class J, class Fixture> void FirstThreePositionRowsAreThePointLaw(Fixture& f) {  // φ = p, T = (0, 1), no bias
  using S = typename Fixture::S;
  EXPECT_LE(J::position_rows, 3);
  if (J::position_rows < 3) return;
  const Relative<S> x = random_relative<S>(f.random);
  PairRows<S> rows;
  f.joint.forbid(x, rows);
  EXPECT_TRUE(near(rows.phi.head(3), x.p, 0.0));
  EXPECT_TRUE(near(rows.T.block(3, 0, 3, 3), Mat3<S>::Identity(), 0.0));
  EXPECT_TRUE(near_zero(rows.T.block(0, 0, 3, 3), 0.0));
  EXPECT_TRUE(near_zero(rows.bias.head(3), 0.0));
  EXPECT_TRUE(begins_with_point(sample<J>()));
}
JOINT_LAW(FirstThreePositionRowsAreThePoint)

// The pose of a declared form at q, and its motion: S by the axes, one after the other; c by S along the motion.
template <class J, class S> Pose<S> declared(const VecUpTo7<S>& q, Mat6UpTo6<S>& motion) {
  Pose<S> X;
  motion.setZero(6, J::nv);
  if constexpr (DeclaresAxes<J>) {
    std::array<Vec3<S>, 6> from, along;
    for (std::size_t k = 0; k < std::size(J::axes); ++k) {
      const LinkAxis& axis = J::axes[k];
      const S& by = q[axis.speed];
      along[k] = X.R.col(axis.axis);
      from[k] = X.p;
      const Vec3<S> unit = Vec3<S>::Unit(axis.axis);
      if (axis.motion == LinkAxis::turn)
        X.R = X.R * (axis.axis == 0   ? rotation_about_x<S>(by)
                     : axis.axis == 1 ? rotation_exp<S>(Vec3<S>(by * unit))
                                      : rotation_about_z<S>(by));
      else
        X.p += by * along[k];
    }
    for (std::size_t k = 0; k < std::size(J::axes); ++k) {
      auto column = motion.col(J::axes[k].speed);
      if (J::axes[k].motion == LinkAxis::turn)
        column << along[k], along[k].cross(Vec3<S>(X.p - from[k]));
      else
        column.template tail<3>() = along[k];
    }
  } else if constexpr (J::form == LinkForm::ball || J::form == LinkForm::floating) {
    X.R = rotation_of<S>(q.template head<4>());
    motion.topLeftCorner(3, 3) = X.R;
    if constexpr (J::form == LinkForm::floating) {
      X.p = q.tail(3);
      motion.bottomRightCorner(3, 3).setIdentity();
    }
  }
  return X;
}

template <class J, class Fixture> void DeclaredFormIsPoseAndMotionLaw(Fixture& f) {
  using S = typename Fixture::S;
  EXPECT_EQ(link_form(sample<J>()), Joint(sample<J>()).traits().form);
  if constexpr (DeclaresAxes<J> || DeclaresForm<J>) {
    Mat6UpTo6<S> wanted, allowed;
    Mat6UpTo6<Dual<S>> moving;
    Vec6<S> c;
    const Pose<S> X = declared<J, S>(f.q, wanted), at = f.joint.pose(f.q);
    declared<J, Dual<S>>(f.q_along(), moving);
    f.joint.motion(f.q, f.v, allowed, c);
    EXPECT_TRUE(near(X.R, at.R, law_tolerance));
    EXPECT_TRUE(near(X.p, at.p, law_tolerance));
    EXPECT_TRUE(near(allowed, wanted, law_tolerance));
    EXPECT_TRUE(near(c, derivatives(moving) * f.v, law_tolerance));
  }
}
JOINT_LAW(DeclaredFormIsPoseAndMotion)

template <class J, class Fixture> void RetractAndDifferenceInvertEachOtherLaw(Fixture& f) {
  using S = typename Fixture::S;
  const VecUpTo6<S> delta = f.random.template vector<VecUpTo6<S>>(J::nv, -1.4, 1.4);
  EXPECT_TRUE(near(f.joint.difference(f.joint.retract(f.q, delta), f.q), delta, law_tolerance));
  const VecUpTo7<S> other = random_coordinates<J, S>(f.random);
  EXPECT_TRUE(f.same_coordinates(f.joint.retract(f.q, f.joint.difference(other, f.q)), other));
  EXPECT_TRUE(near(f.joint.retract(f.q, VecUpTo6<S>::Zero(J::nv)), f.q, law_tolerance));
  // and the retraction leaves q with the velocity N(q) v:
  const VecUpTo7<Dual<S>> leaving = f.moving.retract(held(f.q), seed(VecUpTo6<S>::Zero(J::nv), f.v));
  EXPECT_TRUE(near(derivatives(leaving), f.joint.coordinate_rate(f.q, f.v), law_tolerance));
}
JOINT_LAW(RetractAndDifferenceInvertEachOther)

template <class J, class Fixture> void RowsAndRatesTogetherSeeEveryMotionLaw(Fixture& f) {  // [T W] has rank 6
  using S = typename Fixture::S;
  PairRows<S> rows;
  f.joint.forbid(f.at_pose(), rows);
  Mat6UpTo6<S> W;
  VecUpTo6<S> bias;
  f.joint.rates(f.at_pose(), W, bias);
  Mat6<double> all;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6 - J::nv; ++j) all(i, j) = value_of(rows.T(i, j));
    for (int j = 0; j < J::nv; ++j) all(i, 6 - J::nv + j) = value_of(W(i, j));
  }
  EXPECT_GT(singular_values(all).minCoeff(), 0.05);
}
JOINT_LAW(RowsAndRatesTogetherSeeEveryMotion)

TEST(HelicalJoint, CountsItsOwnTurns) {
  const JointKernelOf<Helical, double> joint{sample<Helical>()};
  for (const double angle : {-31.0, -7.0, 0.4, 6.2, 40.0}) {
    const Pose<double> X = joint.pose(VecUpTo7<double>::Constant(1, angle));
    EXPECT_NEAR(joint.measure({X.R, X.p})[0], angle, 1e-12);
    PairRows<double> rows;
    joint.forbid({X.R, X.p}, rows);
    EXPECT_TRUE(near_zero(rows.phi, 1e-12));
  }
}

}  // namespace
}  // namespace tandem::test
