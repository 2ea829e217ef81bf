#include "tandem/methods/udwadia_kalaba.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "tandem/linalg/independent_rows.hpp"

namespace tandem {

namespace {

// The pseudo-inverse of a matrix whose rank is known: what lies beyond it is round-off, or a stage off the constraints.
class Truncated {
 public:
  Truncated(const Eigen::MatrixXd& A, std::size_t rank) : rows_(A.rows()), columns_(A.cols()) {
    rank_ = static_cast<Eigen::Index>(rank);
    if (rank_ == 0) return;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    U_ = svd.matrixU().leftCols(rank_);
    V_ = svd.matrixV().leftCols(rank_);
    inverse_ = svd.singularValues().head(rank_).cwiseInverse();
  }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const {  // A⁺ b
    if (rank_ == 0) return Eigen::VectorXd::Zero(columns_);
    return V_ * (inverse_.asDiagonal() * (U_.transpose() * b));
  }
  Eigen::VectorXd solve_transposed(const Eigen::VectorXd& f) const {  // (Aᵀ)⁺ f
    if (rank_ == 0) return Eigen::VectorXd::Zero(rows_);
    return U_ * (inverse_.asDiagonal() * (V_.transpose() * f));
  }
  Eigen::MatrixXd row_space() const {  // A⁺A
    return rank_ == 0 ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(columns_, columns_))
                      : Eigen::MatrixXd(V_ * V_.transpose());
  }
  Eigen::MatrixXd project_rows() const {  // A A⁺
    return rank_ == 0 ? Eigen::MatrixXd(Eigen::MatrixXd::Zero(rows_, rows_)) : Eigen::MatrixXd(U_ * U_.transpose());
  }

 private:
  Eigen::Index rows_, columns_, rank_ = 0;
  Eigen::MatrixXd U_, V_;
  Eigen::VectorXd inverse_;
};

}  // namespace

void UdwadiaKalaba::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  row_scale_ = problem.J.rowwise().norm();
  for (double& length : row_scale_) length = length > 0.0 ? 1.0 / length : 1.0;
  J_ = row_scale_.asDiagonal() * problem.J;
  b_ = row_scale_.cwiseProduct(problem.b);
  mass_.compute(problem.M);
  const Eigen::VectorXd& eigenvalues = mass_.eigenvalues();
  if (eigenvalues[0] > 1e-12 * eigenvalues[eigenvalues.size() - 1])
    solve_regular(problem, solution);
  else
    solve_singular(model, problem, solution);
  solution.lambda = solution.lambda.cwiseProduct(row_scale_);
  if (!solution.y.allFinite()) throw NumericalError("the accelerations are not finite");
}

void UdwadiaKalaba::solve_regular(const GaussProblem& problem, Solution& solution) {
  const Eigen::MatrixXd half_inverse = mass_.operatorInverseSqrt();
  solution.y = half_inverse * (half_inverse * problem.f);  // (1)
  solution.lambda.setZero(problem.J.rows());
  solution.rank = 0;
  if (problem.J.rows() == 0) return;
  const Truncated B(J_ * half_inverse, problem.rows.size());
  const Eigen::VectorXd force = B.solve(b_ - J_ * solution.y);
  solution.y += half_inverse * force;  // (2)
  solution.lambda = B.solve_transposed(force);
  solution.rank = static_cast<int>(problem.rows.size());
}

void UdwadiaKalaba::solve_singular(const Model& model, const GaussProblem& problem, Solution& solution) {
  const Eigen::Index n = problem.M.rows(), m = problem.J.rows();
  // Equilibrated by the diagonal of M, so that grams and tonnes in one model do not decide about rank.
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = problem.M(i, i) > 0.0 ? 1.0 / std::sqrt(problem.M(i, i)) : 1.0;
  const Eigen::MatrixXd M = scale.asDiagonal() * problem.M * scale.asDiagonal();
  const Eigen::VectorXd f = scale.cwiseProduct(problem.f);
  const Eigen::MatrixXd J = J_ * scale.asDiagonal();
  const Truncated rows(J, problem.rows.size());
  const Eigen::MatrixXd across = Eigen::MatrixXd::Identity(n, n) - rows.row_space();  // 1 − J⁺J
  const Eigen::MatrixXd met = rows.project_rows();                                    // the part of b that can be met
  solution.rank = static_cast<int>(problem.rows.size());
  Eigen::MatrixXd stacked(n + m, n);  // (3)
  stacked << across * M, met * J;
  Eigen::VectorXd right(n + m);
  right << across * f, met * b_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> both;
  both.setThreshold(rank_tolerance);
  both.compute(stacked);
  if (both.rank() < n) {
    const Eigen::MatrixXd kernel = Eigen::FullPivLU<Eigen::MatrixXd>(stacked).setThreshold(rank_tolerance).kernel();
    throw NumericalError("the accelerations are not determined: " +
                         free_direction(model, scale.cwiseProduct(kernel.col(0))));
  }
  solution.y = scale.cwiseProduct(both.solve(right));
  solution.lambda = Truncated(J_, problem.rows.size()).solve_transposed(problem.M * solution.y - problem.f);
}

}  // namespace tandem
