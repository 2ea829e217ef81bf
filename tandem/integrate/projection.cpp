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

namespace {

// The mass of the reduced cut costs more than all else, and only this needs it when the method does without.
class WithMass {
 public:
  WithMass(Workspace& workspace, bool wanted) : workspace_(workspace), before_(workspace.with_mass) {
    workspace.with_mass = before_ || wanted;
  }
  ~WithMass() { workspace_.with_mass = before_; }
  WithMass(const WithMass&) = delete;
  WithMass& operator=(const WithMass&) = delete;

 private:
  Workspace& workspace_;
  bool before_;
};

}  // namespace

void Projection::prepare(const Model& model, const State& state, Workspace& workspace) {
  const WithMass mass(workspace, norm_ == Norm::mass);
  workspace.refresh(model, state);
  system_.analyse(workspace.problem);
  if (norm_ == Norm::mass) shift_.find(workspace.problem);
  holonomic_.reserve(static_cast<std::size_t>(workspace.problem.row_count()));
}

// The smallest δ with J δ = −residual on the given independent rows.
const Eigen::VectorXd& Projection::least_change(const GaussProblem& problem, const std::vector<int>& rows,
                                                const Eigen::VectorXd& residual) {
  const bool by_mass = norm_ == Norm::mass && system_.form(problem, RowSystem::Weight::inverse_mass,
                                                           shift_.needed() ? &shift_.diagonal() : nullptr) < 0;  // (3)
  if (!by_mass) system_.form(problem, RowSystem::Weight::one);
  system_.factor(rows);
  multipliers_ = -residual;
  system_.solve(multipliers_);
  delta_.setZero(problem.unknowns());
  problem.add_Jt(multipliers_, delta_);
  system_.weigh(problem, delta_);
  return delta_;
}

int Projection::project_positions(const Model& model, State& state, Workspace& workspace) {
  if (!system_.analysed()) prepare(model, state, workspace);
  const WithMass mass(workspace, norm_ == Norm::mass && workspace.problem.row_count() > 0);
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

}  // namespace tandem
