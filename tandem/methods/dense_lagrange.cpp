#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

void DenseLagrange::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  solution.rank = static_cast<int>(problem.rows.size());
  solution.lambda.setZero(problem.row_count());
  solution.y.resize(problem.unknowns());
  if (problem.unknowns() == 0) return;
  if (const Eigen::VectorXd z = rows_.factor(problem, problem.rows); z.size() > 0)
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));  // (2)
  rows_.solve(problem, solution.y, solution.lambda);                                                     // (1)
  require_finite_accelerations(model, problem, solution.y);
}

}  // namespace tandem
