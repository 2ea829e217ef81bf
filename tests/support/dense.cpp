#include "support/dense.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace tandem::test {

using Eigen::MatrixXd, Eigen::VectorXd;

VectorXd singular_values(const MatrixXd& A) { return Eigen::JacobiSVD<MatrixXd>(A).singularValues(); }

VectorXd shortest_solution(const MatrixXd& A, const VectorXd& b) {
  return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).solve(b);
}

VectorXd shortest_solution(const MatrixXd& A, const VectorXd& b, double rank_threshold) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(rank_threshold);
  solver.compute(A);
  return solver.solve(b);
}

VectorXd pivoted_solution(const MatrixXd& A, const VectorXd& b) { return Eigen::FullPivLU<MatrixXd>(A).solve(b); }

}  // namespace tandem::test
