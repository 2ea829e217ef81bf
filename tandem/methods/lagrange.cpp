#include "tandem/methods/lagrange.hpp"

#include <fmt/format.h>

namespace tandem {

// Which row or body brought a number that is not finite.
static std::string not_finite(const Model& model, const GaussProblem& problem) {
  for (int row = 0; row < model.rows; ++row)
    if (!problem.J.row(row).allFinite() || !std::isfinite(problem.b[row])) return model.row_name(row);
  for (const Body& body : model.bodies)
    if (!problem.f.segment(body.v_first, body.nv()).allFinite())
      return fmt::format("a force on body \"{}\"", body.name);
  return "the equations of motion";
}

void Lagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  const Eigen::Index n = problem.M.rows();
  if (order_.size() != static_cast<std::size_t>(problem.J.rows())) order_ = all_rows(problem.J.rows());
  const std::vector<int>& chosen = rows_.select(problem.J, order_);
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
  if (!K_.allFinite() || !right_.allFinite())
    throw NumericalError(not_finite(model, problem) + " is not a finite number");

  lu_.compute(K_);  // (3)
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

std::string free_direction(const Model& model, const Eigen::VectorXd& z) {
  Eigen::Index largest = 0;
  z.cwiseAbs().maxCoeff(&largest);
  for (const Body& body : model.bodies) {
    const auto k = static_cast<int>(largest) - body.v_first;
    if (k < 0 || k >= body.nv()) continue;
    constexpr const char* axes[3] = {"x", "y", "z"};
    if (!body.point_mass && k < 3)
      return fmt::format(
          "body \"{}\" can turn about its {} axis with no inertia to resist; give it a moment of inertia "
          "there, or a joint that forbids the turn",
          body.name, axes[k]);
    return fmt::format(
        "body \"{}\" can move along {} with no mass to resist; give it mass, or a joint that forbids the motion",
        body.name, axes[k % 3]);
  }
  return "some motion has no inertia";
}

}  // namespace tandem
