#include "tandem/methods/impulses.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <numbers>
#include <vector>

#include "tandem/base/tolerances.hpp"
#include "tandem/methods/weighted_rows.hpp"

namespace tandem {

static constexpr int most_passes = 300;  // a contraction of 0.9 is enough

void Impulses::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  if (!shift_.found()) shift_.find(problem);
  sweeper_.take_structure(problem);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    RowRule& rule = sweeper_.rule(static_cast<int>(i));
    rule.one_sided = block.one_sided;
    rule.active = !block.soft;
    if (block.one_sided)  // (3)
      rule.active =
          problem.phi[block.first_row] >= -tolerances::taut * problem.row_size[block.first_row] &&
          problem.rate[block.first_row] * model.scale.time >= -tolerances::taut * problem.row_size[block.first_row];
  }
  if (shift_.needed()) {
    shifted_ = problem;
    shift_.apply(shifted_);
  }
  if (sweeper_.prepare(shift_.needed() ? shifted_ : problem) >= 0)
    throw NumericalError("a mass matrix is not positive definite");
  solution.y.setZero(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  given_ = problem.f;
  add_soft_rows(problem);
  f_ = given_;
  sweep(model, problem, solution);
  if (shift_.needed()) take_shift_back(model, problem, solution);
  solution.lambda += soft_;
}

// (1), (2) from the forces f_ and the impulses found so far.
void Impulses::sweep(const Model& model, const GaussProblem& problem, Solution& solution) {
  solution.y.setZero();
  sweeper_.add_free_motion(f_, 1.0, solution.y);
  sweeper_.warm_start(solution.y, solution.lambda);
  report_ = sweeper_.solve(solution.y, problem.b, solution.lambda, 1e-12);
  require_finite_accelerations(model, problem, solution.y);
  // Sweeps gain 1/κ² of what is left, κ of J M^-½: light bodies between heavy ones, as E makes them, and rows that are
  // no more than somewhat alike take 1e5 of them.
  if (!report_.converged && follow_gradients(shift_.needed() ? shifted_ : problem, solution)) {
    report_ = sweeper_.solve(solution.y, problem.b, solution.lambda, 1e-12);
    require_finite_accelerations(model, problem, solution.y);
  }
  if (!report_.converged)
    throw NumericalError(
        fmt::format("the sweeps do not converge: after {} of them {} is still off by {:.2g} of its "
                    "terms; it contradicts other rows, or the mechanism is near a singular position",
                    report_.sweeps, row_name(model, problem, report_.worst_row), report_.residual));
}

bool Impulses::follow_gradients(const GaussProblem& problem, Solution& solution) {  // (5)
  const Eigen::VectorXd& b = problem.b;
  for (const GaussProblem::Block& block : problem.blocks)
    if (block.one_sided) return false;
  Eigen::VectorXd in_use = Eigen::VectorXd::Zero(b.size());
  for (const int row : problem.rows) in_use[row] = 1.0;
  std::vector<Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>> K;
  for (const GaussProblem::Block& block : problem.blocks) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(block.rows, block.rows);
    if (!block.soft)
      for (const GaussProblem::Part& part : block.parts)
        if (const Eigen::MatrixXd& M = problem.groups[static_cast<std::size_t>(part.group)].M; M.size() > 0)
          sum += part.J * M.llt().solve(part.J.transpose());
    const auto mine = in_use.segment(block.first_row, block.rows).asDiagonal();
    K.emplace_back(mine * sum * mine);
  }
  const auto each_divided = [&](const Eigen::VectorXd& rest) {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(rest.size());
    for (std::size_t i = 0; i < K.size(); ++i) {
      const GaussProblem::Block& block = problem.blocks[i];
      out.segment(block.first_row, block.rows) = K[i].solve(rest.segment(block.first_row, block.rows));
    }
    return out;
  };
  Eigen::VectorXd product(b.size()), change(solution.y.size());
  const Eigen::Index rows = b.size();
  for (int again = 0; again < 3; ++again) {  // from what is really left, which round-off moves away from `rest`
    sweeper_.multiply_J(solution.y, product);
    Eigen::VectorXd rest = in_use.cwiseProduct(b - product), z = each_divided(rest), along = z;
    double size = rest.dot(z), largest = size;
    for (Eigen::Index k = 0; k < 4 * rows && size > 1e-32 * largest; ++k) {
      change.setZero();
      sweeper_.warm_start(change, along);  // M⁻¹ Jᵀ
      sweeper_.multiply_J(change, product);
      const double curve = along.dot(product);
      if (!(curve > 0.0)) break;
      solution.lambda += size / curve * along;
      solution.y += size / curve * change;
      rest -= size / curve * in_use.cwiseProduct(product);
      z = each_divided(rest);
      along = z + rest.dot(z) / size * along;
      size = rest.dot(z);
      largest = std::max(largest, size);
    }
  }
  return true;
}

// inertia_shift.hpp (1)
void Impulses::take_shift_back(const Model& model, const GaussProblem& problem, Solution& solution) {
  if (const Eigen::VectorXd z = WeightedRows().factor(problem, problem.rows); z.size() > 0)
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));
  const Eigen::VectorXd E = shift_.diagonal().cwiseProduct(problem.unit);
  const double acceleration = 1.0 / (model.scale.time * model.scale.time);
  const double least = std::max(given_.cwiseProduct(problem.unit).cwiseAbs().maxCoeff(),
                                acceleration * E.cwiseProduct(problem.unit).maxCoeff());
  Eigen::VectorXd before = Eigen::VectorXd::Zero(problem.unknowns());
  for (int pass = 0;; ++pass) {
    const double change = E.cwiseProduct(solution.y - before).cwiseAbs().maxCoeff();
    if (change <= 1e-12 * std::max(least, E.cwiseProduct(solution.y).cwiseAbs().maxCoeff())) return;
    if (pass == most_passes)
      throw NumericalError(
          fmt::format("the sweeps do not converge: bodies without inertia still change by {:.2g} of the largest force "
                      "after {} passes; give them some inertia, or take another method",
                      change / least, pass));
    before = solution.y;
    f_ = given_ + shift_.diagonal().cwiseProduct(solution.y);
    sweep(model, problem, solution);
  }
}

void Impulses::add_soft_rows(const GaussProblem& problem) {
  soft_.setZero(problem.row_count());
  for (const GaussProblem::Block& block : problem.blocks) {
    if (!block.soft) continue;
    const double omega = 2.0 * std::numbers::pi * block.soft->frequency, zeta = block.soft->damping_ratio;
    for (int k = 0; k < block.rows; ++k) {  // (4)
      double K = 0.0;
      for (const GaussProblem::Part& part : block.parts) {
        const Eigen::VectorXd row = part.J.row(k);
        K += row.dot(problem.groups[static_cast<std::size_t>(part.group)].M.llt().solve(row));
      }
      const int at = block.first_row + k;
      if (K > 0.0) soft_[at] = -(omega * omega * problem.phi[at] + 2.0 * zeta * omega * problem.rate[at]) / K;
    }
  }
  problem.add_Jt(soft_, given_);
}

}  // namespace tandem
