#include "tandem/methods/udwadia_kalaba.hpp"

#include "tandem/linalg/independent_rows.hpp"

namespace tandem {

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
  Pseudo B;
  B.setThreshold(rank_tolerance);
  B.compute(J_ * half_inverse);
  const Eigen::VectorXd force = B.solve(b_ - J_ * solution.y);
  solution.y += half_inverse * force;  // (2)
  solution.rank = static_cast<int>(B.rank());
  Pseudo B_transposed;
  B_transposed.setThreshold(rank_tolerance);
  B_transposed.compute((J_ * half_inverse).transpose());
  solution.lambda = B_transposed.solve(force);
}

void UdwadiaKalaba::solve_singular(const Model& model, const GaussProblem& problem, Solution& solution) {
  const Eigen::Index n = problem.M.rows(), m = problem.J.rows();
  // Equilibrated by the diagonal of M, so that grams and tonnes in one model do not decide about rank.
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = problem.M(i, i) > 0.0 ? 1.0 / std::sqrt(problem.M(i, i)) : 1.0;
  const Eigen::MatrixXd M = scale.asDiagonal() * problem.M * scale.asDiagonal();
  const Eigen::VectorXd f = scale.cwiseProduct(problem.f);
  const Eigen::MatrixXd J = J_ * scale.asDiagonal();
  Eigen::MatrixXd across = Eigen::MatrixXd::Identity(n, n);  // 1 − J⁺J
  solution.rank = 0;
  if (m > 0) {
    Pseudo rows;
    rows.setThreshold(rank_tolerance);
    rows.compute(J);
    across -= rows.solve(J);
    solution.rank = static_cast<int>(rows.rank());
  }
  Eigen::MatrixXd stacked(n + m, n);  // (3)
  stacked << across * M, J;
  Eigen::VectorXd right(n + m);
  right << across * f, b_;
  Pseudo both;
  both.setThreshold(rank_tolerance);
  both.compute(stacked);
  if (both.rank() < n) {
    const Eigen::MatrixXd kernel = Eigen::FullPivLU<Eigen::MatrixXd>(stacked).setThreshold(rank_tolerance).kernel();
    throw NumericalError("the accelerations are not determined: " +
                         free_direction(model, scale.cwiseProduct(kernel.col(0))));
  }
  solution.y = scale.cwiseProduct(both.solve(right));
  solution.lambda.setZero(m);
  if (m == 0) return;
  Pseudo transposed;
  transposed.setThreshold(rank_tolerance);
  transposed.compute(J_.transpose());
  solution.lambda = transposed.solve(problem.M * solution.y - problem.f);
}

}  // namespace tandem
