#include "tandem/methods/impulses.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <numbers>

#include "tandem/base/tolerances.hpp"

namespace tandem {

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
  if (!report_.converged)
    throw NumericalError(
        fmt::format("the sweeps do not converge: after {} of them {} is still off by {:.2g} of its "
                    "terms; it contradicts other rows, or the mechanism is near a singular position",
                    report_.sweeps, row_name(model, problem, report_.worst_row), report_.residual));
}

// inertia_shift.hpp (1). A motion that nothing determines would keep whatever it is given, so it is given something.
void Impulses::take_shift_back(const Model& model, const GaussProblem& problem, Solution& solution) {
  const auto refuse = [&] {
    Eigen::Index without = 0;
    (solution.y.cwiseAbs().cwiseProduct(shift_.diagonal()).cwiseProduct(problem.unit)).maxCoeff(&without);
    Eigen::VectorXd z = Eigen::VectorXd::Zero(problem.unknowns());
    z[without] = 1.0;
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));
  };
  const Eigen::VectorXd first = solution.y;
  const Eigen::VectorXd at = shift_.diagonal().cwiseSign();
  const double push =
      1.0 / (model.scale.time * model.scale.time) + first.cwiseQuotient(problem.unit).cwiseAbs().maxCoeff();
  shift_.take_back(given_, first + push * at.cwiseProduct(problem.unit), f_);
  sweep(model, problem, solution);
  const Eigen::VectorXd moved = (solution.y - first).cwiseQuotient(problem.unit).cwiseProduct(at);
  if (!(moved.cwiseAbs().maxCoeff() <= 0.5 * push)) refuse();
  for (int pass = 0; !(shift_.take_back(given_, solution.y, f_) <= 1e-12); ++pass) {
    if (pass == 100) refuse();
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
