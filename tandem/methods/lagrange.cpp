#include "tandem/methods/lagrange.hpp"

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
  if (!refine(problem, solution)) return dense_.solve(model, problem, solution);
  correct(problem, solution);  // (4)
  require_finite_accelerations(model, problem, solution.y);
}

// (2) and (3). False when it does not converge.
bool Lagrange::refine(const GaussProblem& problem, Solution& solution) {
  solution.y.setZero(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  free_size_ = 0.0;
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 60; ++pass) {
    const double rest = find_rest(problem, solution);
    if (rest <= 1e-15 || (rest <= 1e-11 && rest > 0.3 * before)) return true;
    // Before the first pass nothing is known about sizes: what it leaves may be large against f alone.
    if (pass > 1 && !(rest <= 2.0 * before)) return false;
    before = rest;
    correct(problem, solution);
  }
  return false;
}

// r₁ and r₂ of (3); the largest of them against the size of their terms.
double Lagrange::find_rest(const GaussProblem& problem, const Solution& solution) {
  problem.multiply_M(solution.y, product_);
  double force = problem.f.cwiseAbs().maxCoeff(), size = std::max(force, product_.cwiseAbs().maxCoeff());
  force_rest_ = problem.f - product_;
  problem.add_Jt(solution.lambda, force_rest_);
  double rest = size > 0.0 ? force_rest_.cwiseAbs().maxCoeff() / size : 0.0;
  if (problem.row_count() == 0) return rest;
  problem.multiply_J(solution.y, row_product_);
  row_rest_ = problem.b - row_product_;
  // What the rows take away from the free accelerations leaves round-off of these.
  size = problem.b.cwiseAbs().maxCoeff() + solution.y.cwiseAbs().maxCoeff() + free_size_;
  for (const int row : problem.rows)
    if (!(std::abs(row_rest_[row]) <= rest * size)) rest = std::abs(row_rest_[row]) / size;
  return rest;
}

void Lagrange::correct(const GaussProblem& problem, Solution& solution) {  // (2)
  system_.weigh(problem, force_rest_);
  free_size_ = std::max(free_size_, force_rest_.cwiseAbs().maxCoeff());
  if (problem.row_count() > 0) {
    problem.multiply_J(force_rest_, row_product_);
    row_rest_ -= row_product_;
    system_.solve(row_rest_);
    solution.lambda += row_rest_;
    product_.setZero(problem.unknowns());
    problem.add_Jt(row_rest_, product_);
    system_.weigh(problem, product_);
    force_rest_ += product_;
  }
  solution.y += force_rest_;
}

// Whether (3) takes E back: a motion without inertia would keep any speed it is given.
bool Lagrange::is_determined(const GaussProblem& problem) {
  Solution motion;
  motion.y.resize(problem.unknowns());
  for (Eigen::Index k = 0; k < motion.y.size(); ++k) motion.y[k] = std::sin(1.0 + 7.3 * static_cast<double>(k));
  motion.lambda.setZero(problem.row_count());
  const auto weight = [&] { return motion.y.cwiseAbs2().dot(shift_.diagonal()); };
  // A few homogeneous passes: (M + E) y − Jᵀλ = E y, J y = 0.
  double before = weight();
  for (int pass = 0; pass < 4; ++pass) {
    before = weight();
    force_rest_ = shift_.diagonal().cwiseProduct(motion.y);
    row_rest_.setZero(problem.row_count());
    motion.y.setZero();
    correct(problem, motion);
  }
  return weight() <= 0.81 * before;
}

}  // namespace tandem
