#include "tandem/methods/lagrange.hpp"

namespace tandem {

void Lagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  const Eigen::Index n = problem.M.rows();
  const std::vector<int>& chosen = problem.rows;
  const auto m = static_cast<Eigen::Index>(chosen.size());

  scale_.resize(n + m);  // (2)
  for (Eigen::Index i = 0; i < n; ++i) scale_[i] = problem.M(i, i) > 0.0 ? 1.0 / std::sqrt(problem.M(i, i)) : 1.0;
  K_.setZero(n + m, n + m);
  right_.resize(n + m);
  K_.topLeftCorner(n, n) = scale_.head(n).asDiagonal() * problem.M * scale_.head(n).asDiagonal();
  right_.head(n) = scale_.head(n).cwiseProduct(problem.f);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = chosen[static_cast<std::size_t>(k)];
    auto scaled = K_.row(n + k).head(n);
    scaled = problem.J.row(row).cwiseProduct(scale_.head(n).transpose());
    scale_[n + k] = 1.0 / scaled.norm();
    scaled *= scale_[n + k];
    K_.col(n + k).head(n) = scaled.transpose();
    right_[n + k] = scale_[n + k] * problem.b[row];
  }
  lu_.setThreshold(1e-15);  // below the smallest pivot that solving_tolerance lets through
  lu_.compute(K_);          // (3)
  if (!lu_.isInvertible()) {
    const Eigen::VectorXd z = scale_.head(n).cwiseProduct(lu_.kernel().col(0).head(n));
    throw NumericalError("the accelerations are not determined: " + free_direction(model, z));
  }
  unknown_.noalias() = lu_.solve(right_);
  unknown_ = unknown_.cwiseProduct(scale_);
  solution.y = unknown_.head(n);
  solution.lambda.setZero(problem.J.rows());
  for (Eigen::Index k = 0; k < m; ++k) solution.lambda[chosen[static_cast<std::size_t>(k)]] = -unknown_[n + k];  // (1)
  solution.rank = static_cast<int>(m);
  if (!solution.y.allFinite()) throw NumericalError("the accelerations are not finite");
}

}  // namespace tandem
