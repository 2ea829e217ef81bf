// The row space by QR: null spaces, shortest solutions and multipliers, against an SVD; ranks, scales and the edges.
#include "tandem/linalg/row_space.hpp"

#include <Eigen/SVD>

#include "support/numbers.hpp"

namespace tandem::test {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

struct Size {
  Index rows, columns, rank;
};
const std::vector<Size> sizes{{1, 1, 1}, {3, 7, 3}, {7, 3, 3}, {5, 5, 5}, {6, 8, 4}, {9, 6, 2}, {4, 4, 0}};

MatrixXd rows_of(Random& random, const Size& size) {
  return random.matrix(size.rows, size.rank) * random.matrix(size.rank, size.columns);
}

TEST(RowSpace, NullSpaceIsOrthonormalAndAllThatTheRowsLeaveFree) {
  Random random(3);
  for (const Size& size : sizes) {
    const MatrixXd J = rows_of(random, size);
    const RowSpace space(J);
    const MatrixXd& Z = space.null();
    EXPECT_EQ(space.rank(), size.rank);
    ASSERT_EQ(Z.rows(), size.columns);
    ASSERT_EQ(Z.cols(), size.columns - size.rank);
    EXPECT_TRUE(near_zero(J * Z, law_tolerance));
    EXPECT_TRUE(near(Z.transpose() * Z, MatrixXd::Identity(Z.cols(), Z.cols()), law_tolerance));
  }
}

TEST(RowSpace, ShortestSolutionMeetsTheRowsAndHasNoFreePart) {
  Random random(4);
  for (const Size& size : sizes) {
    const MatrixXd J = rows_of(random, size);
    const RowSpace space(J);
    const VectorXd r = J * random.vector<VectorXd>(size.columns);  // what the rows can meet
    const VectorXd x = space.shortest(r);
    EXPECT_TRUE(near(J * x, r, law_tolerance));
    EXPECT_TRUE(near_zero(space.null().transpose() * x, law_tolerance));
  }
}

TEST(RowSpace, MultipliersAreALeastSquaresSolution) {
  Random random(5);
  for (const Size& size : sizes) {
    const MatrixXd J = rows_of(random, size);
    const RowSpace space(J);
    const VectorXd f = random.vector<VectorXd>(size.columns);
    const VectorXd lambda = space.multipliers(f);
    ASSERT_EQ(lambda.size(), size.rows);
    EXPECT_TRUE(near_zero(J * (J.transpose() * lambda - f), law_tolerance));
    // What is left is the part that the rows cannot carry.
    EXPECT_TRUE(near(f - J.transpose() * lambda, space.null() * (space.null().transpose() * f), law_tolerance));
  }
}

TEST(RowSpace, RowsOfVeryDifferentLengthCountAlike) {
  Random random(6);
  const MatrixXd plain = random.matrix(4, 9);
  const VectorXd lengths{{1e8, 1.0, 1e-8, 3.0}};
  const MatrixXd J = lengths.asDiagonal() * plain;
  const RowSpace space(J), other(plain);
  EXPECT_EQ(space.rank(), 4);
  EXPECT_TRUE(near_zero(plain * space.null(), law_tolerance));
  const VectorXd x = other.shortest(plain * random.vector<VectorXd>(9));
  EXPECT_TRUE(near(space.shortest(J * x), x, law_tolerance));
  const VectorXd f = plain.transpose() * random.vector<VectorXd>(4);
  EXPECT_TRUE(near(lengths.cwiseProduct(space.multipliers(f)), other.multipliers(f), 1e-11));
}

TEST(RowSpace, NearlyEqualRowsAreOneWithinTheTolerance) {
  MatrixXd J = MatrixXd::Zero(2, 3);
  J << 1.0, 2.0, 3.0, 1.0, 2.0, 3.0 + 1e-7;
  EXPECT_EQ(RowSpace(J).rank(), 2);
  EXPECT_EQ(RowSpace(J, 1e-6).rank(), 1);
  J(1, 2) = 3.0 + 1e-12;
  EXPECT_EQ(RowSpace(J).rank(), 1);
}

TEST(RowSpace, WithoutRowsOrUnknownsNothingIsHeld) {
  const RowSpace no_rows(MatrixXd(0, 4));
  EXPECT_EQ(no_rows.rank(), 0);
  EXPECT_EQ(no_rows.null(), MatrixXd::Identity(4, 4));
  EXPECT_EQ(no_rows.shortest(VectorXd(0)), VectorXd::Zero(4));
  EXPECT_EQ(no_rows.multipliers(VectorXd::Ones(4)).size(), 0);
  const RowSpace no_unknowns(MatrixXd(3, 0));
  EXPECT_EQ(no_unknowns.rank(), 0);
  EXPECT_EQ(no_unknowns.null().rows(), 0);
  EXPECT_EQ(no_unknowns.multipliers(VectorXd(0)), VectorXd::Zero(3));
  MatrixXd with_zero = MatrixXd::Zero(2, 2);
  with_zero(1, 0) = 2.0;
  const RowSpace one(with_zero);
  EXPECT_EQ(one.rank(), 1);
  EXPECT_TRUE(near(one.shortest(VectorXd{{0.0, 6.0}}), VectorXd{{3.0, 0.0}}, law_tolerance));
}

TEST(RowSpace, AgreesWithAnSvd) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const MatrixXd J = rows_of(random, {7, 9, 5});
    const RowSpace space(J);
    Eigen::JacobiSVD<MatrixXd> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
    svd.setThreshold(1e-9);
    const MatrixXd V = svd.matrixV().rightCols(4);
    EXPECT_TRUE(near(space.null() * space.null().transpose(), V * V.transpose(), 1e-11));
    const VectorXd r = J * random.vector<VectorXd>(9);
    EXPECT_TRUE(near(space.shortest(r), svd.solve(r), 1e-10));
  }
}

}  // namespace
}  // namespace tandem::test
