#include "tandem/integrate/projection.hpp"

namespace tandem {

ResidualNorms residual_norms(const GaussProblem& problem) {
  ResidualNorms norms;
  const auto larger = [](double& most, double value) { most = !(value <= most) ? value : most; };  // keeps NaN
  for (const GaussProblem::Block& block : problem.blocks) {
    if (block.soft) continue;
    for (int row = block.first_row; row < block.first_row + block.rows; ++row) {
      larger(norms.position, block.one_sided ? std::max(problem.phi[row], 0.0) : std::abs(problem.phi[row]));
      if (!block.one_sided) larger(norms.velocity, std::abs(problem.rate[row]));
    }
  }
  return norms;
}

// The shortest δ with J δ = −residual on the given independent rows.
const Eigen::VectorXd& Projection::least_change(const GaussProblem& problem, const std::vector<int>& rows,
                                                const Eigen::VectorXd& residual) {
  if (!system_.analysed()) system_.analyse(problem);
  system_.form(problem, RowSystem::Weight::one);
  system_.factor(rows);
  multipliers_ = -residual;
  system_.solve(multipliers_);
  delta_.setZero(problem.unknowns());
  problem.add_Jt(multipliers_, delta_);
  return delta_;
}

int Projection::project_positions(const Model& model, State& state, Workspace& workspace) {
  workspace.refresh(model, state);
  const GaussProblem& problem = workspace.problem;
  holonomic_.clear();
  for (const int row : problem.rows)
    if (is_holonomic(model, problem, row)) holonomic_.push_back(row);
  if (holonomic_.empty()) return 0;
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    const double size = problem.phi.cwiseAbs().maxCoeff();
    // Done when small, or when Newton has reached round-off and no longer gains.
    if (size <= tolerance || (size < 1e-9 && size > 0.5 * before)) return iteration;
    before = size;
    workspace.coordinates->retract(model, least_change(problem, holonomic_, problem.phi), state.q);  // (1)
    workspace.refresh(model, state);
    if (!problem.phi.allFinite()) throw NumericalError("the projection of the positions did not converge");
  }
  return most_iterations;
}

void Projection::project_velocities(const Model& model, State& state, Workspace& workspace) {
  const GaussProblem& problem = workspace.problem;
  if (problem.row_count() == 0) return;
  workspace.coordinates->add_speeds(least_change(problem, problem.rows, problem.rate), state.v);  // (2)
  workspace.refresh(model, state);
}

void project_velocities_by_mass(const Model& model, State& state, Workspace& workspace, Method& method) {
  GaussProblem impulse = workspace.problem;  // (3)
  impulse.f.setZero();
  impulse.b = -impulse.rate;
  if (impulse.tree) {
    impulse.tree->b = impulse.b;
    for (TreeProblem::Link& link : impulse.tree->links) {
      link.f.setZero();
      link.c.setZero();
    }
  }
  Solution solution;
  method.solve(model, impulse, solution);
  workspace.coordinates->add_speeds(solution.y, state.v);
  workspace.refresh(model, state);
}

}  // namespace tandem
