#include "tandem/methods/lagrange.hpp"

#include "tandem/base/elementary.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

void Lagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  factored_ = false;
  const bool first = !shift_.found();
  if (first) {
    system_.analyse(problem);
    shift_.find(problem);
  }
  if (problem.unknowns() == 0 ||
      system_.form(problem, RowSystem::Weight::inverse_mass, shift_.needed() ? &shift_.diagonal() : nullptr) >= 0 ||
      !system_.factor(problem.rows))
    return dense_.solve(model, problem, solution);
  if (first && shift_.needed()) determined_ = is_determined(problem);
  if (!determined_) return dense_.solve(model, problem, solution);
  factored_ = true;
  if (!refine(problem, solution)) return dense_.solve(model, problem, solution);
  require_finite_accelerations(model, problem, solution.y);
}

void Lagrange::solve_again(const Model& model, const GaussProblem& problem, Solution& solution) {
  if (!factored_) return solve(model, problem, solution);
  // Right sides of a derivative may be round-off in some equations: then the largest terms of all are what counts.
  if (!refine(problem, solution) && !is_met_as_a_whole(problem)) return dense_.solve(model, problem, solution);
  correct(problem, solution);  // (4)
  require_finite_accelerations(model, problem, solution.y);
}

// (2) and (3). False when it does not converge.
bool Lagrange::refine(const GaussProblem& problem, Solution& solution) {
  solution.y.setZero(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  remainder_.force = problem.f;
  remainder_.row = problem.b;
  correct(problem, solution);
  // Taking a shift back is a series of its own, about two digits a pass.
  const int most = shift_.needed() ? 60 : 3;
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < most; ++pass) {
    const double rest = remainder_.find(problem, solution, pass < 2 || shift_.needed());
    if (rest <= tolerances::round_off && pass > 0) return true;  // differences of what it finds need the last digits
    if (rest <= tolerances::refined && rest > 0.3 * before) return true;
    if (pass + 1 == most || (pass > 1 && !(rest <= 2.0 * before)))
      return rest <= (problem.unknowns() > tolerances::most_dense ? tolerances::refined_large : tolerances::refined);
    before = rest;
    correct(problem, solution);
  }
  return false;
}

// What is left of all equations, against the largest terms of any.
bool Lagrange::is_met_as_a_whole(const GaussProblem& problem) const {
  double left = 0.0;
  for (Eigen::Index k = 0; k < remainder_.force.size(); ++k)
    keep_larger(left, problem.unit[k] * std::abs(remainder_.force[k]));
  if (!(left <=
        tolerances::refined_large * (remainder_.sizes.forces.size() > 0 ? remainder_.sizes.forces.maxCoeff() : 0.0)))
    return false;
  left = 0.0;
  for (const int row : problem.rows) keep_larger(left, std::abs(remainder_.row[row]) / problem.row_size[row]);
  const double most =
      remainder_.sizes.rows.size() > 0 ? remainder_.sizes.rows.cwiseQuotient(problem.row_size).maxCoeff() : 0.0;
  return left <= tolerances::refined_large * most;
}

void Lagrange::correct(const GaussProblem& problem, Solution& solution) {  // (2)
  system_.weigh(problem, remainder_.force);
  if (problem.row_count() > 0) {
    problem.multiply_J(remainder_.force, row_product_);
    remainder_.row -= row_product_;
    system_.solve(remainder_.row);
    solution.lambda += remainder_.row;
    product_.setZero(problem.unknowns());
    problem.add_Jt(remainder_.row, product_);
    system_.weigh(problem, product_);
    remainder_.force += product_;
  }
  solution.y += remainder_.force;
}

// Whether (3) takes E back: a motion without inertia would keep any speed it is given.
bool Lagrange::is_determined(const GaussProblem& problem) {
  Solution motion;
  motion.y.resize(problem.unknowns());
  for (Eigen::Index k = 0; k < motion.y.size(); ++k)
    motion.y[k] = problem.unit[k] * sin(1.0 + 7.3 * static_cast<double>(k));
  motion.lambda.setZero(problem.row_count());
  const auto weight = [&] { return motion.y.cwiseAbs2().dot(shift_.diagonal()); };
  // A few homogeneous passes: (M + E) y − Jᵀλ = E y, J y = 0.
  double before = weight();
  for (int pass = 0; pass < 4; ++pass) {
    before = weight();
    remainder_.force = shift_.diagonal().cwiseProduct(motion.y);
    remainder_.row.setZero(problem.row_count());
    motion.y.setZero();
    correct(problem, motion);
  }
  return weight() <= 0.81 * before;
}

}  // namespace tandem
