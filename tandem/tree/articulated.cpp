#include "tandem/tree/articulated.hpp"

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

void Articulated::begin(const Model& model, const GaussProblem& problem) {
  if (auto reason = TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) {
    obstacle_ = std::move(*reason);
    return;
  }
  tree_.emplace(model, TreeDynamics::Acts::everything);
  unknown_of_speed_.assign(static_cast<std::size_t>(tree_->nv()), -1);
  for (int unknown = 0; unknown < static_cast<int>(problem.unknowns()); ++unknown)
    unknown_of_speed_[static_cast<std::size_t>(problem.names->speed_of(unknown))] = unknown;
  row_of_model_.assign(static_cast<std::size_t>(model.rows), -1);
  for (std::size_t row = 0; row < problem.model_row.size(); ++row)
    row_of_model_[static_cast<std::size_t>(problem.model_row[row])] = static_cast<int>(row);
  wanted_.setZero(model.rows);
  rows_.reserve(problem.model_row.size());
}

void Articulated::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  if (!tree_ && obstacle_.empty()) begin(model, problem);
  const bool small = problem.unknowns() <= tolerances::most_dense;
  double rest = 0.0;
  try {
    rest = solve_by_recursion(model, problem, solution);
  } catch (const NumericalError&) {
    if (!small) throw;
    return solve_densely(model, problem, solution);  // which knows whether it is the rows or a lack of inertia
  }
  if (small && !(rest <= tolerances::recursion_met)) solve_densely(model, problem, solution);
}

double Articulated::solve_by_recursion(const Model& model, const GaussProblem& problem, Solution& solution) {
  if (!tree_) throw NumericalError("the recursion does not carry this machine: " + obstacle_);
  const TreeProblem& at = *problem.tree;
  rows_.clear();
  for (const int row : problem.rows) rows_.push_back(problem.model_row[static_cast<std::size_t>(row)]);
  tree_->use_rows(rows_);
  q_ = at.q;
  v_dot_.setZero(tree_->nv());
  tree_->prescribe(at.t, q_, v_dot_);
  solution.y.setZero(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  remainder_ = problem.b;
  add_solution(problem, at.left, solution);  // (1)
  require_finite_accelerations(model, problem, solution.y);
  if (problem.rows.empty()) return 0.0;
  double rest = find_remainder(model, problem, solution);
  const double enough = std::max(tolerances::round_off, tolerances::solved * std::sqrt(tree_->smallest_pivot()));
  none_.assign(at.left.size(), Vec6<double>::Zero());
  for (int pass = 0; pass < 2 && rest > enough; ++pass) {  // (2)
    before_ = solution;
    add_solution(problem, none_, solution);
    const double left = find_remainder(model, problem, solution);
    if (!(left < rest)) {
      solution = before_;
      break;
    }
    rest = left;
  }
  return rest;
}

// What `left` on the bodies and remainder_ on the rows ask for.
void Articulated::add_solution(const GaussProblem& problem, const std::vector<Vec6<double>>& left, Solution& solution) {
  for (Eigen::Index row = 0; row < problem.row_count(); ++row)
    wanted_[problem.model_row[static_cast<std::size_t>(row)]] = remainder_[row];
  tree_->solve(problem.tree->t, q_, left, wanted_, v_dot_);
  for (std::size_t speed = 0; speed < unknown_of_speed_.size(); ++speed)
    if (const int unknown = unknown_of_speed_[speed]; unknown >= 0)
      solution.y[unknown] += v_dot_[static_cast<Eigen::Index>(speed)];
  tree_->loops().visit_multipliers(
      [&](int row, double lambda) { solution.lambda[row_of_model_[static_cast<std::size_t>(row)]] += lambda; });
}

// b − J y, and the largest of it on a row in use, in parts of its terms.
double Articulated::find_remainder(const Model& model, const GaussProblem& problem, const Solution& solution) {
  problem.multiply_J(solution.y, product_);
  problem.term_sizes(solution.y, solution.lambda, sizes_);
  remainder_ = problem.b - product_;
  // At rest all terms vanish but for round-off: then the machine's own accelerations are what counts.
  const double usual = 1.0 / (model.scale.time * model.scale.time);
  double rest = 0.0;
  for (const int row : problem.rows) {
    const double size =
        sizes_.rows[row] + usual * std::sqrt(problem.tree->row_square[row]) + std::abs(problem.tree->b[row]);
    keep_larger(rest, std::abs(remainder_[row]) / size);
  }
  return rest;
}

void Articulated::solve_densely(const Model& model, const GaussProblem& problem, Solution& solution) {
  GaussProblem with_mass = problem;
  problem.names->fill_mass(with_mass);
  dense_.solve(model, with_mass, solution);
}

}  // namespace tandem
