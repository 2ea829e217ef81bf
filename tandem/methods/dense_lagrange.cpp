#include "tandem/methods/dense_lagrange.hpp"

#include <cmath>
#include <limits>

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

void DenseLagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  solution.rank = static_cast<int>(problem.rows.size());
  solution.lambda.setZero(problem.row_count());
  solution.y.resize(problem.unknowns());
  if (problem.unknowns() == 0) return;
  if (const Eigen::VectorXd z = rows_.factor(problem, problem.rows); z.size() > 0)
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));  // (2)
  rows_.solve(problem.f, problem.b, solution.y, solution.lambda);                                        // (1)
  refine(problem, solution);
  require_finite_accelerations(model, problem, solution.y);
}

void DenseLagrange::refine(const GaussProblem& problem, Solution& solution) {  // (3)
  constexpr int most = 20;
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0, poor = 0; pass <= most && poor < 2; ++pass) {
    const double rest = remainder_.find(problem, solution);
    poor = rest <= 0.5 * best ? 0 : poor + 1;
    if (rest < best) {
      best = rest;
      best_ = solution;
    }
    if (rest <= tolerances::round_off || !std::isfinite(rest)) break;
    rows_.solve(remainder_.force, remainder_.row, y_change_, lambda_change_);
    solution.y += y_change_;
    solution.lambda += lambda_change_;
  }
  if (std::isfinite(best)) solution = best_;
}

static void keep_part(double left, double size, double& rest) {
  if (!(left <= rest * size)) rest = size > 0.0 ? left / size : std::numeric_limits<double>::infinity();
}

double Remainder::find(const GaussProblem& problem, const Solution& solution, bool find_sizes) {
  problem.multiply_M(solution.y, product_);
  force = problem.f - product_;
  problem.add_Jt(solution.lambda, force);
  problem.multiply_J(solution.y, row_product_);
  row = problem.b - row_product_;
  if (find_sizes) problem.term_sizes(solution.y, solution.lambda, sizes);
  double rest = largest_force(problem);
  keep_larger(rest, largest_row(problem));
  return rest;
}

double Remainder::largest_row(const GaussProblem& problem) const {
  double rest = 0.0;
  for (const int k : problem.rows) keep_part(std::abs(row[k]), sizes.rows[k], rest);
  return rest;
}

double Remainder::largest_force(const GaussProblem& problem) const {
  double rest = 0.0;
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const GaussProblem::Group& group = problem.groups[g];
    double left = 0.0;
    for (int k = group.first; k < group.first + group.size; ++k)
      keep_larger(left, problem.unit[k] * std::abs(force[k]));
    keep_part(left, sizes.forces[static_cast<Eigen::Index>(g)], rest);
  }
  return rest;
}

}  // namespace tandem
