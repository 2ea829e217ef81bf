// Every joint and every pair constraint between two moving bodies, and between the world and one, through Rows.
#include "support/dense.hpp"
#include "support/pair_model.hpp"

namespace tandem::test {
namespace {

constexpr double row_tolerance = 1e-11;

class PairRowLaws : public testing::TestWithParam<PairCase> {
 public:
  Random random{11};
  PairModel draw(First first, unsigned seed_number) {
    return pair_model(GetParam(), first, GetParam().motion(random), seed_number);
  }
};
INSTANTIATE_TEST_SUITE_P(All, PairRowLaws, testing::ValuesIn(all_pairs()), PairName());

TEST_P(PairRowLaws, HoldByDuals) {
  for (unsigned i = 0; i < 3; ++i)
    for (const First first : {First::body, First::world}) {
      SCOPED_TRACE(testing::Message() << "state " << i << (first == First::world ? ", world first" : ", two bodies"));
      const PairModel pair = draw(first, 100 + i);
      check_rows_by_duals(pair.model, pair.state, row_tolerance);
    }
}

TEST_P(PairRowLaws, HoldWithTheWorldSecond) {
  if (GetParam().type == PointOnCurve::type) return;  // holds on its curve only, which the exchange leaves
  const PairModel pair = pair_model(GetParam(), First::world, GetParam().motion(random), 120, true);
  check_rows_by_duals(pair.model, pair.state, row_tolerance);
}

TEST_P(PairRowLaws, ActionIsReaction) {
  const PairModel pair = draw(First::body, 200);
  check_momentum_balance(pair.model, pair.state, 1e-12);
}

// The rows are blind to a motion of both bodies as one.
TEST_P(PairRowLaws, CommonMotionIsFree) {
  const PairModel pair = draw(First::body, 300);
  const Vector3 w = random.vec3<double>(), v = random.vec3<double>();
  Eigen::VectorXd together(12);
  for (const Body& body : pair.model.bodies) {
    const Matrix3 R = rotation_of<double>(pair.state.q().segment<4>(body.q_first));
    const Vector3 p = pair.state.q().segment<3>(body.q_first + 4);
    together.segment<3>(body.v_first) = R.transpose() * w;
    together.segment<3>(body.v_first + 3) = v + w.cross(p);
  }
  EXPECT_TRUE(near_zero(equations(pair.model, pair.state).J * together, 1e-12));
}

// A motion that J lets pass keeps φ by duals, and takes no power from any reaction.
TEST_P(PairRowLaws, Workless) {
  PairModel pair = draw(First::body, 400);
  const Equations<double> e = equations(pair.model, pair.state);
  const Eigen::VectorXd wish = random.vector<Eigen::VectorXd>(12);
  pair.state.v() = wish;
  if (pair.model.rows > 0) pair.state.v() -= shortest_solution(e.J, e.J * wish);
  const Eigen::VectorXd phi_dot = derivatives(equations_along(pair.model, pair.state).phi) - e.phi_t;
  EXPECT_TRUE(near_zero(phi_dot.head(GetParam().holonomic), 1e-12));
  const Eigen::VectorXd lambda = random.vector<Eigen::VectorXd>(pair.model.rows);
  EXPECT_NEAR((e.J.transpose() * lambda).dot(pair.state.v()), 0.0, 1e-12);
}

// Where the constraint holds, exchanging the bodies leaves the same forbidden motions and the same accelerations.
TEST_P(PairRowLaws, SwappingTheBodiesChangesNothingElse) {
  if (!GetParam().symmetric || GetParam().rows == 0) return;
  const Relative<double> x = GetParam().allowed(random);
  const PairModel given = pair_model(GetParam(), First::body, x, 500);
  const PairModel swapped = pair_model(GetParam(), First::body, x, 500, true);
  ASSERT_TRUE(near(given.state.q(), swapped.state.q(), 1e-15));
  const Equations<double> e = equations(given.model, given.state), s = equations(swapped.model, given.state);
  ASSERT_EQ(e.J.rows(), s.J.rows());
  // s.J = C e.J and s.b = C e.b with one matrix C: the same rows in another basis.
  const Eigen::MatrixXd C = e.J.transpose().colPivHouseholderQr().solve(s.J.transpose()).transpose();
  EXPECT_TRUE(near(C * e.J, s.J, 1e-11));
  EXPECT_TRUE(near(C * e.b, s.b, 1e-11));
  if (GetParam().joint()) {
    EXPECT_TRUE(near_zero(e.phi, 1e-12));
    EXPECT_TRUE(near_zero(s.phi, 1e-12));
    return;
  }
  EXPECT_TRUE(near(s.J, e.J, 1e-12));  // distance and rope: the very same row
  EXPECT_TRUE(near(s.phi, e.phi, 1e-12));
}

}  // namespace
}  // namespace tandem::test
