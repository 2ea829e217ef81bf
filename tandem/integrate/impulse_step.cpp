#include "tandem/integrate/impulse_step.hpp"

#include <fmt/format.h>

namespace tandem {

// Laws of force and custom rows do not say whether they look at the time.
static bool may_change_with_time(const Model& model) {
  if (!model.drives.empty() || !model.forces.empty()) return true;
  for (const ModelJoint& joint : model.joints)
    if (!joint.joint()) return true;
  for (const ModelConstraint& constraint : model.constraints) {
    if (std::holds_alternative<CustomConstraint>(constraint.what)) return true;
    if (const auto* pair = std::get_if<PairConstraint>(&constraint.what); pair && pair->constraint.time_dependent())
      return true;
  }
  return false;
}

ImpulseReport ImpulseStep::step(const Model& model, double h, State& state, Workspace& workspace, Solution& result) {
  if (!started_) {
    started_ = true;
    time_matters_ = may_change_with_time(model);
    rows_ = ImpulseRows::make(model, workspace);
  }
  ImpulseReport report;
  const int substeps = options_.substeps;
  const double end = state.t + h, each = h / substeps;
  for (int i = 0; i < substeps; ++i) {
    before_ = state.v();
    substep(model, each, state, workspace, report);
    result.y = (state.v() - before_) / each;
  }
  result.lambda = memory_.impulses / each;
  result.rank = static_cast<int>(workspace.problem.rows.size());
  if (state.t != end) {  // without the round-off of the sum
    state.t = end;
    if (time_matters_) workspace.refresh(model, state);
  }
  return report;
}

void ImpulseStep::refresh(const Model& model, const State& state, Workspace& workspace) {
  if (rows_ && rows_->update(model, state, workspace)) return;
  rows_.reset();
  workspace.refresh(model, state);
}

void ImpulseStep::substep(const Model& model, double h, State& state, Workspace& workspace, ImpulseReport& report) {
  if (time_matters_) {
    ahead_ = state;
    ahead_.t += h;
    workspace.refresh(model, ahead_);
  } else if (rows_ && !rows_->is_at(state)) {
    refresh(model, state, workspace);
  }
  const GaussProblem& problem = this->problem(workspace);
  require_finite(model, problem);
  set_rules(problem, h);
  if (!prepare(problem)) throw NumericalError("a mass matrix is not positive definite");
  v_ = state.v();
  set_target(problem, h, v_);
  sweeper_.add_free_motion(problem.f, h, v_);  // (1)
  if (!options_.warm_start || memory_.impulses.size() != problem.row_count())
    memory_.impulses.setZero(problem.row_count());
  else if (memory_.impulse_h > 0.0 && memory_.impulse_h != h)
    memory_.impulses *= h / memory_.impulse_h;
  memory_.impulse_h = h;
  sweeper_.warm_start(v_, memory_.impulses);
  guess_ = state.v();
  BlockSweeper::Residual rest;
  double scale = 0.0, before = std::numeric_limits<double>::infinity();
  for (int i = 1; i <= options_.iterations; ++i) {
    if (shift_.needed()) take_shift_back();
    sweeper_.sweep(v_, target_, memory_.impulses);  // (2)
    ++report.sweeps;
    // Looked at now and then only: it costs about as much as a sweep.
    if (i % 16 != 0 && i != options_.iterations) continue;
    rest = sweeper_.residual(v_, target_, memory_.impulses);
    scale = sweeper_.scale(v_, target_, memory_.impulses);
    // Done at round-off, or when more sweeps no longer gain.
    if (rest.value <= 1e-15 * scale || (rest.value <= 1e-12 * scale && rest.value > 0.5 * before)) break;
    before = rest.value;
  }
  if (const double relative = scale > 0.0 ? rest.value / scale : 0.0; !(relative <= report.unsolved)) {
    report.unsolved = relative;
    report.worst_row = rest.row;
  }
  state.v() = v_;
  delta_ = h * v_;
  workspace.coordinates->retract(model, delta_, state.q());  // (3)
  state.t += h;
  workspace.coordinates->settle(model, state);
  project_positions(model, state, workspace, report);
}

bool ImpulseStep::prepare(const GaussProblem& problem) {
  if (!shift_.found()) shift_.find(problem);
  if (!shift_.needed()) return sweeper_.prepare(problem) < 0;
  shifted_ = problem;
  shift_.apply(shifted_);
  return sweeper_.prepare(shifted_) < 0;
}

void ImpulseStep::take_shift_back() {  // (6)
  push_ = shift_.diagonal().cwiseProduct(v_ - guess_);
  guess_ = v_;
  sweeper_.add_free_motion(push_, 1.0, v_);
}

void ImpulseStep::set_rules(const GaussProblem& problem, double h) {
  sweeper_.take_structure(problem);
  feedback_.resize(problem.blocks.size(), 0.0);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    RowRule& rule = sweeper_.rule(static_cast<int>(i));
    rule.one_sided = block.one_sided;
    rule.position_rows = block.holonomic;
    if (!block.soft) continue;
    const SoftRow soft = soft_row(block.soft->frequency, block.soft->damping_ratio, h);
    rule.softness = soft.softness;
    feedback_[i] = soft.feedback;
  }
}

void ImpulseStep::set_target(const GaussProblem& problem, double h, const Eigen::VectorXd& v) {
  sweeper_.multiply_J(v, target_);
  target_ -= problem.rate;  // −φ_t
  for (std::size_t i = 0; i < problem.blocks.size(); ++i) {
    const GaussProblem::Block& block = problem.blocks[i];
    for (int row = block.first_row; row < block.first_row + block.rows; ++row) {  // (4)
      const double phi = problem.phi[row];
      const bool slack = block.one_sided && phi < 0.0;
      target_[row] -= (block.soft ? feedback_[i] : (slack ? 1.0 : options_.baumgarte) / h) * phi;
    }
  }
}

[[noreturn]] static void refuse_positions(const Model& model, const GaussProblem& problem) {
  int row = 0;
  while (row + 1 < static_cast<int>(problem.row_count()) && std::isfinite(problem.phi[row])) ++row;
  throw NumericalError(fmt::format("the positions are no longer finite: {} is off by {}", row_name(model, problem, row),
                                   problem.phi[row]));
}

void ImpulseStep::project_positions(const Model& model, State& state, Workspace& workspace, ImpulseReport& report) {
  refresh(model, state, workspace);
  if (rows_)
    rows_->read_angles(state.angles());
  else
    workspace.kinematics.read_angles(model, state.angles());
  const ResidualNorms before = residual_norms(problem(workspace));
  double gap = before.position;
  if (!(gap <= report.position_gap)) report.position_gap = gap;
  if (!(before.share <= report.gap_share)) report.gap_share = before.share;
  for (int iteration = 0; iteration < options_.position_iterations; ++iteration) {
    const GaussProblem& problem = this->problem(workspace);
    if (iteration > 0) gap = residual_norms(problem).position;
    if (!std::isfinite(gap)) refuse_positions(model, problem);
    if (gap <= std::max(options_.slop, tolerances::projected * model.scale.length)) break;
    if (!prepare(problem)) break;
    delta_.setZero(problem.unknowns());
    double moved = 0.0;
    phi_ = problem.phi;
    for (std::size_t i = 0; i < problem.blocks.size(); ++i) {  // (5)
      const int block = static_cast<int>(i);
      sweeper_.add_J(block, delta_, phi_);
      moved = std::max(moved, sweeper_.correct(block, phi_, options_.slop, options_.largest_correction, delta_));
    }
    ++report.position_iterations;
    if (moved == 0.0) break;
    workspace.coordinates->retract(model, delta_, state.q());
    refresh(model, state, workspace);
  }
}

}  // namespace tandem
