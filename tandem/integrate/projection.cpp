#include "tandem/integrate/projection.hpp"

namespace tandem {

ResidualNorms residual_norms(const GaussProblem& problem, const Eigen::VectorXd& v) {
  if (problem.J.rows() == 0) return {};
  return {problem.phi.cwiseAbs().maxCoeff(), (problem.J * v + problem.phi_t).cwiseAbs().maxCoeff()};
}

// The shortest δ with J δ = target on the given independent rows.
Eigen::VectorXd& Projection::least_change(const GaussProblem& problem, const std::vector<int>& rows,
                                          const Eigen::VectorXd& target) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  A_.resize(m, problem.J.cols());
  multipliers_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    A_.row(k) = problem.J.row(rows[static_cast<std::size_t>(k)]);
    multipliers_[k] = target[rows[static_cast<std::size_t>(k)]];
  }
  AAt_.noalias() = A_ * A_.transpose();
  ldlt_.compute(AAt_);
  ldlt_.solveInPlace(multipliers_);
  delta_.noalias() = A_.transpose() * multipliers_;
  return delta_;
}

int Projection::project_positions(const Model& model, State& state, Workspace& workspace) {
  workspace.refresh(model, state);
  holonomic_.clear();
  for (const int row : workspace.problem.rows)
    if (model.is_holonomic(row)) holonomic_.push_back(row);
  if (holonomic_.empty()) return 0;
  const GaussProblem& problem = workspace.problem;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double size = problem.phi.cwiseAbs().maxCoeff();
    // Done when small, or when Newton has reached round-off and no longer gains.
    if (size <= tolerance || (size < 1e-9 && size > 0.5 * before)) return iteration;
    before = size;
    target_ = -problem.phi;
    retract(model, least_change(problem, holonomic_, target_), state.q);  // (1)
    workspace.refresh(model, state);
    if (!problem.phi.allFinite()) throw NumericalError("the projection of the positions did not converge");
  }
  return most_iterations;
}

void Projection::project_velocities(const Model& model, State& state, Workspace& workspace) {
  if (model.rows == 0) return;
  const GaussProblem& problem = workspace.problem;
  target_.noalias() = -(problem.J * state.v);
  target_ -= problem.phi_t;
  state.v += least_change(problem, problem.rows, target_);  // (2)
  workspace.refresh(model, state);
}

void project_velocities_by_mass(const Model& model, State& state, Workspace& workspace, Method& method) {
  GaussProblem impulse = workspace.problem;
  impulse.f = impulse.M * state.v;  // (3)
  impulse.b = -impulse.phi_t;
  Solution solution;
  method.solve(model, impulse, solution);
  state.v = solution.y;
  workspace.refresh(model, state);
}

}  // namespace tandem
