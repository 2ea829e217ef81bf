#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

void DenseLagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  const Eigen::Index n = problem.unknowns();
  const std::vector<int>& chosen = problem.rows;
  const auto m = static_cast<Eigen::Index>(chosen.size());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(m);
  solution.y.resize(n);
  if (n == 0) return;
  problem.copy_M(M_);
  problem.copy_J(J_);

  inertia_scale(M_, speed_scale_);  // (2)
  scale_.resize(n + m);
  scale_.head(n) = speed_scale_;
  K_.setZero(n + m, n + m);
  right_.resize(n + m);
  for (Eigen::Index k = 0; k < n; ++k) K_.col(k).head(n) = scale_[k] * speed_scale_.cwiseProduct(M_.col(k));
  right_.head(n) = scale_.head(n).cwiseProduct(problem.f);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = chosen[static_cast<std::size_t>(k)];
    auto scaled = K_.row(n + k).head(n);
    scaled = J_.row(row).cwiseProduct(scale_.head(n).transpose());
    scale_[n + k] = 1.0 / scaled.norm();
    scaled *= scale_[n + k];
    K_.col(n + k).head(n) = scaled.transpose();
    right_[n + k] = scale_[n + k] * problem.b[row];
  }
  lu_.setThreshold(1e-15);  // below the smallest pivot that solving_tolerance lets through
  lu_.compute(K_);          // (3)
  if (!lu_.isInvertible()) {
    const Eigen::VectorXd z = scale_.head(n).cwiseProduct(lu_.kernel().col(0).head(n));
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));
  }
  unknown_.noalias() = lu_.solve(right_);
  unknown_.array() *= scale_.array();
  solution.y = unknown_.head(n);
  for (Eigen::Index k = 0; k < m; ++k) solution.lambda[chosen[static_cast<std::size_t>(k)]] = -unknown_[n + k];  // (1)
  require_finite_accelerations(model, problem, solution.y);
}

}  // namespace tandem
