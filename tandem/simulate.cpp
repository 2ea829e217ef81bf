#include "tandem/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tandem/assemble/assemble.hpp"
#include "tandem/base/flush_denormals.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/baumgarte.hpp"
#include "tandem/dynamics/geometry.hpp"
#include "tandem/integrate/tree_flow.hpp"
#include "tandem/model/forest.hpp"

namespace tandem {

static bool has_loops(const Model& model) {
  const std::vector<int> tree = spanning_forest(model).tree;
  return std::any_of(model.blocks.begin(), model.blocks.end(), [&](const RowBlockInfo& block) {
    return block.kind != RowBlockInfo::Kind::joint || std::find(tree.begin(), tree.end(), block.index) == tree.end();
  });
}

Simulation::Simulation(const Model& model, const StartOptions& options) : Simulation(model, model.setup, options) {}
Simulation::~Simulation() = default;

Simulation::Simulation(const Model& model, const Setup& setup, const StartOptions& options)
    : model_(model),
      setup_(with_baumgarte(model, resolve(model, setup), options)),
      method_(find_method(setup_.method).make(memory_)),
      workspace_(model, setup_.cut, setup_.coordinates),
      by_impulses_(setup_.by_impulses()),
      adaptive_(find_integrator(setup_.integrator).adaptive),
      projects_(setup_.projects()),
      drifts_(!projects_ && !by_impulses_),
      integrator_(find_integrator(setup_.integrator).make(memory_)),
      order_(find_integrator(setup_.integrator).order),
      flow_(model, setup_, workspace_, *method_),
      projection_(setup_.stabilisation == Stabilisation::plain_projection ? Projection::Norm::plain
                                                                          : Projection::Norm::mass),
      impulse_step_(setup_.impulses, memory_) {
  workspace_.with_mass = method_->needs_mass();
  projection_.rule.always = adaptive_;
  has_loops_ = has_loops(model);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) all_blocks_.push_back(static_cast<int>(i));
  make_start_consistent(options);
  const double end = state_.t + setup_.duration;
  time_ = std::make_shared<const TimePlan>(model, state_.t, end, TimePlan::Depth::kinks);
}

// On the maximal cut, whatever the coordinates in use, so that all of them start at the same place.
void Simulation::make_start_consistent(const StartOptions& options) {
  Assembly assembly = assemble(
      model_, start_state(model_),
      {.tolerance = options.tolerance, .allow_large = options.assemble, .zero_momentum = options.zero_momentum});
  start_ = {assembly.given, assembly.moved, assembly.speed_moved, assembly.most_moved};
  bodies_ = std::move(assembly.bodies);
  Kinematics<double> kinematics(model_);
  kinematics.update(model_, bodies_.t, bodies_.q(), bodies_.v(), bodies_.angles());
  state_ = workspace_.coordinates->from_bodies(model_, bodies_, kinematics);
  before_ = next_ = first_ = state_;
  fast_ = TreeFlow::make(model_, setup_, flow_, memory_);
  if (!fast_) projection();
  workspace_.update(model_, state_);
  if (fast_) fast_->follow(workspace_.problem);
  bodies_read_ = true;
}

const Workspace& Simulation::here() {
  if (workspace_.holds(state_)) return workspace_;
  if (projects_ && !by_impulses_)
    workspace_.follow(model_, state_);
  else
    workspace_.refresh(model_, state_);
  if (!fast_) read_bodies(workspace_.kinematics);
  return workspace_;
}

const TreeReading* Simulation::read_motions() {
  if (!reading_ && fast_) reading_ = fast_->read_motions(state_);
  return reading_;
}

const TreeReading* Simulation::read_accelerations() {
  if (!read_motions()) return nullptr;
  return reading_->has_tried() ? (reading_->has_accelerations() ? reading_ : nullptr)
                               : fast_->read_accelerations(state_);
}

const Kinematics<double>& Simulation::moving() {
  const TreeReading* reading = read_motions();
  return reading ? reading->kinematics() : here().kinematics;
}

const State& Simulation::bodies() {
  if (!fast_)
    here();
  else if (!bodies_read_)
    read_bodies(moving());
  return bodies_;
}

void Simulation::set_bodies(const State& bodies) {
  Kinematics<double> kinematics(model_);
  kinematics.update(model_, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  bodies_ = bodies;
  set_state(workspace_.coordinates->from_bodies(model_, bodies, kinematics));
}

void Simulation::set_state(State state) {
  impulse_step_.forget();
  integrator_->forget();
  memory_.h = 0.0;
  state_ = std::move(state);
  moved();
  was_fast_ = false;
  workspace_.update(model_, state_);
  if (fast_) fast_->follow(workspace_.problem);
  workspace_.kinematics.read_angles(model_, state_.angles());
  read_bodies(workspace_.kinematics);
  solved_ = false;
}

void Simulation::stand_beside(const Simulation& other, State state) {
  impulse_step_.forget();
  integrator_->forget();
  memory_.h = 0.0;
  state_ = std::move(state);
  moved();
  was_fast_ = solved_ = false;
  workspace_.forget();
  workspace_.problem.rows = other.workspace_.problem.rows;
  workspace_.problem.position_rows = other.workspace_.problem.position_rows;
  workspace_.most_rows = other.workspace_.most_rows;
  bodies_.q() = other.bodies_.q();
  if (fast_) fast_->stand_beside(*other.fast_);
}

void Simulation::read_bodies(const Kinematics<double>& from) {
  bodies_read_ = true;
  bodies_.t = state_.t;
  bodies_.angles() = state_.angles();
  if (workspace_.holds_bodies()) {
    bodies_.q() = state_.q();
    bodies_.v() = state_.v();
    return;
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    const BodyMotion<double>& motion = from.body(static_cast<int>(i));
    bodies_.q().segment<3>(body.q_first + body.nq() - 3) = motion.X_WC.p;
    bodies_.v().segment(body.v_first, body.nv()) = motion.velocity().tail(body.nv());
    if (body.point_mass) continue;
    auto quaternion = bodies_.q().segment<4>(body.q_first);
    const Vec4<double> now = quaternion_of<double>(motion.X_WC.R);
    quaternion = quaternion.dot(now) < 0.0 ? Vec4<double>(-now) : now;  // q and −q are one rotation: no jumps
  }
}

static void require_finite_state(const Model& model, const Workspace& workspace, const State& state, const char* what) {
  if (state.x.allFinite()) return;
  const auto v = state.v();
  if (v.size() == 0) throw NumericalError(what);
  Eigen::Index worst = 0;  // where only positions are not finite, what is fastest
  for (Eigen::Index k = 1; k < v.size() && std::isfinite(v[worst]); ++k)
    if (!(std::abs(v[k]) <= std::abs(v[worst]))) worst = k;
  throw NumericalError(
      fmt::format("{}, first where {}; check for unreasonably large masses, stiffnesses, forces or steps", what,
                  workspace.coordinates->motion(model, static_cast<int>(worst))));
}

StepReport Simulation::attempt(double h) {
  const FlushDenormals flush;
  next_ = state_;
  StepReport report = by_impulses_ ? step_by_impulses(h) : step_by_equations(h);
  if (!std::isfinite(next_.work().total()))
    require_finite_state(model_, workspace_, next_, "the state is no longer finite");
  return report;
}

void Simulation::accept(StepReport& report, const Reach& reach) {
  reached_ = reach.end;
  if (!was_fast_) {
    follow_rows(report);
    integrator_->accept();
  }
  std::swap(before_, state_);
  std::swap(state_, next_);
  moved();
  if (was_fast_)
    fast_->follow_quaternions(bodies_);
  else if (workspace_.holds(state_))
    read_bodies(workspace_.kinematics);
  if (reach.is_jump()) pass_jump(report, reach.after);
}

// On the constraints again, the rows are looked at anew. Without projection the choice of the start is kept.
void Simulation::follow_rows(StepReport& report) {
  if (!projects_ || by_impulses_) return;
  workspace_.follow(model_, next_);
  report.pivot = workspace_.smallest_pivot();
  if (fast_) fast_->follow(workspace_.problem);
}

// What is out of the ordinary is left to the plain step, which finds out and names it.
bool Simulation::step_by_tree(double h, StepReport& report) {
  TreeFlow::Report end;
  try {
    integrator_->step(*fast_, h, next_);
    if (!fast_->finish(h, next_, end)) return false;
  } catch (const NumericalError&) {
    return false;
  }
  report.before = end.before;
  report.after = end.after;
  report.iterations = end.iterations;
  report.quaternion_error = integrator_->quaternion_error();
  report.turn = end.turn;
  report.pivot = end.pivot;
  return true;
}

StepReport Simulation::step_by_equations(double h) {
  StepReport report;
  solved_ = false;
  was_fast_ = fast_ && fast_->usable() && !flow_.projects_stages() && step_by_tree(h, report);
  if (was_fast_) return report;
  if (fast_) next_ = state_;
  report = {};
  report.general = fast_ ? 1 : 0;
  here();
  integrator_->step(flow_, h, next_);
  require_finite_state(model_, workspace_, next_, "the state is no longer finite");
  workspace_.refresh(model_, next_);
  workspace_.kinematics.read_angles(model_, next_.angles());
  report.before = residual_norms(workspace_.problem);
  report.quaternion_error = integrator_->quaternion_error();
  require_sane_step(h, report);
  if (projects_) {
    report.iterations = project(next_);
    // A row that was left out and is not met follows from the others no longer.
    if (left_out_unmet()) {
      workspace_.choose_rows();
      report.iterations += project(next_);
    }
    workspace_.kinematics.read_angles(model_, next_.angles());  // where they are now
  }
  report.after = residual_norms(workspace_.problem);
  require_finite_state(model_, workspace_, next_, "the projection did not converge");
  if (projects_) require_met();
  return report;
}

int Simulation::project(State& state) {
  if (workspace_.problem.row_count() == 0) {
    workspace_.refresh(model_, state);
    return 0;
  }
  const int iterations = projection().project_positions(model_, state, workspace_);
  projection_.project_velocities(model_, state, workspace_);
  return iterations;
}

Projection& Simulation::projection() {
  if (!projection_.is_prepared()) projection_.prepare(model_, first_, workspace_);
  return projection_;
}

// The largest speed after a step, in parts of the machine's.
double Simulation::fastest() const {
  return next_.parts.v.size > 0 ? next_.v().cwiseQuotient(workspace_.v_size()).cwiseAbs().maxCoeff() : 0.0;
}

bool Simulation::left_out_unmet() const {
  const GaussProblem& problem = workspace_.problem;
  const auto off = [&](const Eigen::VectorXd& residual, const std::vector<int>& rows, double allowed) {
    if (static_cast<Eigen::Index>(rows.size()) == residual.size()) return false;
    std::size_t next = 0;
    for (int row = 0; row < static_cast<int>(residual.size()); ++row) {
      if (next < rows.size() && rows[next] == row)
        ++next;
      else if (!(std::abs(residual[row]) <= allowed * problem.row_size[row]))
        return true;
    }
    return false;
  };
  return off(problem.phi, problem.position_rows, tolerances::left_out_met) ||
         off(problem.rate, problem.rows, tolerances::left_out_met * (1.0 + fastest()) / model_.scale.time);
}

StepReport Simulation::step_by_impulses(double h) {
  StepReport report;
  if (h == 0.0) return report;  // or less than 2.2e-308: no impulse has that long to act
  report.impulses = impulse_step_.step(model_, h, next_, workspace_, reduced_);
  require_finite_state(model_, workspace_, next_, "the state is no longer finite");
  report.before = report.after = residual_norms(impulse_step_.problem(workspace_));
  report.before.position = report.impulses.position_gap;
  report.before.share = report.impulses.gap_share;
  report.iterations = report.impulses.position_iterations;
  require_sane_step(h, report);  // its gaps are reported, not refused
  // What the bodies did in the step, and the forces that made them: λ/h.
  workspace_.expand(model_, next_, reduced_, solution_);
  solved_ = true;
  next_.add_work(h, flow_.power(solution_));
  return report;
}

bool Simulation::interpolate(double t, State& out) {
  out = before_;
  if (was_fast_ && interpolate_by_tree(t, out)) return true;
  here();
  out = before_;
  if (by_impulses_) {
    const double x = (t - before_.t) / (reached_ - before_.t);
    out.x += x * (state_.x - before_.x);
    out.t = t;
    workspace_.coordinates->settle(model_, out);
  } else {
    integrator_->interpolate(flow_, state_, t, out);
  }
  return false;
}

bool Simulation::interpolate_by_tree(double t, State& out) {
  try {
    integrator_->interpolate(*fast_, state_, t, out);
  } catch (const NumericalError&) {
    return false;
  }
  return true;
}

State Simulation::glance(double t) {
  if (t == state_.t) return state_;
  const FlushDenormals flush;
  State out;
  if (!interpolate(t, out)) workspace_.refresh(model_, state_);
  return out;
}

State Simulation::at(double t) {
  if (t == state_.t) return state_;
  const FlushDenormals flush;
  State out;
  if (interpolate(t, out)) {
    TreeFlow::Report report;
    State closed = out;
    if (fast_->finish(0.0, closed, report)) return closed;
    here();
  }
  if (projects_ && !by_impulses_) project(out);
  workspace_.refresh(model_, out);
  workspace_.kinematics.read_angles(model_, out.angles());
  workspace_.refresh(model_, state_);
  return out;
}

void Simulation::go_back(double t) {
  const bool stays_solved = by_impulses_ && solved_;
  set_state(at(t));
  solved_ = stays_solved;
}

// Where geometry degenerates, or one step leaves the constraints by a hundredth of the machine, the numbers that follow
// mean nothing. A run that nothing brings back to its constraints was asked for, and is watched instead
// (run/trust.hpp).
void Simulation::require_sane_step(double h, StepReport& report) const {
  for (const RowBlockInfo& block : model_.blocks)
    if (const std::string trouble = geometry_trouble(model_, block, workspace_.kinematics); !trouble.empty())
      throw NumericalError(trouble);
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const double turn = std::abs(h) * workspace_.kinematics.body(static_cast<int>(i)).w_B.norm();
    keep_larger(report.turn, turn);
    if (turn > tolerances::largest_turn && !drifts_)
      throw NumericalError(
          fmt::format("a step of {:.3g} s is too long here: body \"{}\" turns by {:.3g} rad in it; use a "
                      "smaller step",
                      h, model_.bodies[i].name, turn));
  }
  if (!projects_ || by_impulses_ || workspace_.problem.largest_gap() <= tolerances::step) return;
  const GaussProblem& problem = workspace_.problem;
  int worst = 0;
  problem.phi.cwiseQuotient(problem.row_size).cwiseAbs().maxCoeff(&worst);
  throw NumericalError(
      fmt::format("a step of {:.3g} s is too long here: it leaves {} off by {:.3g}; use a smaller step", h,
                  row_name(model_, problem, worst), std::abs(problem.phi[worst])));
}

// A row that projection cannot meet is a failure, however finite the numbers look.
void Simulation::require_met() const {
  const GaussProblem& problem = workspace_.problem;
  const double speed = (1.0 + fastest()) / model_.scale.time;
  const auto round_off = [&](int row) {  // of positions far from the origin, in parts of the machine
    double most = 0.0;
    const int of_model = problem.model_row[static_cast<std::size_t>(row)];
    for (const RowBlockInfo& block : model_.blocks) {
      if (of_model < block.first_row || of_model >= block.first_row + block.rows) continue;
      for (const int body : block.bodies)
        keep_larger(most, workspace_.kinematics.body(body).X_WC.p.norm() /
                              model_.scale.of_body[static_cast<std::size_t>(body)]);
    }
    return tolerances::round_off_of_places * most;
  };
  for (int row = 0; row < static_cast<int>(problem.row_count()); ++row) {
    const double least = tolerances::met * problem.row_size[row];
    if (!(std::abs(problem.phi[row]) <= least) &&
        !(std::abs(problem.phi[row]) <= round_off(row) * problem.row_size[row]))
      throw NumericalError(
          fmt::format("{} cannot be met: it stays off by {:.3g}", row_name(model_, problem, row), problem.phi[row]));
    if (!(std::abs(problem.rate[row]) <= least * speed))
      throw NumericalError(fmt::format("{} cannot be met by any speed: its rate stays off by {:.3g}",
                                       row_name(model_, problem, row), problem.rate[row]));
  }
}

const Solution& Simulation::reduced_solution() {
  solution();
  return reduced_;
}

const Solution& Simulation::solution() {
  const FlushDenormals flush;
  here();
  if (!solved_) {
    method_->solve(model_, workspace_.problem, reduced_);
    if (unmet_row(model_, workspace_.problem, reduced_) && projects_) {
      workspace_.choose_rows();
      method_->solve(model_, workspace_.problem, reduced_);
    }
    // Where constraints have drifted apart, rows that say the same on them contradict each other: drift is reported.
    if (!drifts_ || !(residual_norms(workspace_.problem).share > tolerances::projected))
      require_rows_met(model_, workspace_.problem, reduced_);
    workspace_.expand(model_, state_, reduced_, solution_);
  }
  solved_ = true;
  return solution_;
}

}  // namespace tandem
