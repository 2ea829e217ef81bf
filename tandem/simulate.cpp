#include "tandem/simulate.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/analysis/assemble.hpp"
#include "tandem/base/flush_denormals.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/dynamics/geometry.hpp"

namespace tandem {

static void refuse_combination(const Model& model) {
  Faults faults;
  faults.about_table("simulation", model.simulation.source);
  for (std::string& line : integrator_obstacles(model)) faults.error(std::move(line));
  if (faults.any_error()) throw ModelError(std::move(faults));
}

Simulation::Simulation(const Model& model, const StartOptions& options)
    : model_(model),
      method_(make_method(model, model.simulation.method)),
      workspace_(model, cut_of(model, model.simulation.method), model.simulation.coordinates),
      integrator_(find_integrator(integrator_of(model)).make()),
      flow_(model, workspace_, *method_),
      projection_(model.simulation.stabilisation == "plain_projection" ? Projection::Norm::plain
                                                                       : Projection::Norm::mass) {
  refuse_combination(model);
  workspace_.with_mass = method_->needs_mass();
  by_impulses_ = model.simulation.method == "impulses";
  adaptive_ = find_integrator(integrator_of(model)).adaptive;
  order_ = find_integrator(integrator_of(model)).order;
  projects_ = model.simulation.stabilisation.ends_with("projection");
  make_start_consistent(options);
}

// On the maximal cut, whatever the coordinates in use, so that all of them start at the same place.
void Simulation::make_start_consistent(const StartOptions& options) {
  Assembly assembly = assemble(
      model_, start_state(model_),
      {.tolerance = options.tolerance, .allow_large = options.assemble, .zero_momentum = options.zero_momentum});
  start_ = {assembly.given, assembly.moved, assembly.speed_moved, assembly.most_moved};
  bodies_ = std::move(assembly.bodies);
  Kinematics<double> kinematics(model_);
  kinematics.update(model_, bodies_.t, bodies_.q, bodies_.v, bodies_.angles);
  state_ = workspace_.coordinates->from_bodies(model_, bodies_, kinematics);
  before_ = next_ = state_;
  projection_.prepare(model_, state_, workspace_);
  workspace_.update(model_, state_);
  fast_ = TreeStepper::make(model_, state_);
}

void Simulation::catch_up() const {
  if (!behind_) return;
  behind_ = false;
  if (projects_ && !by_impulses_)
    workspace_.update(model_, state_);
  else
    workspace_.refresh(model_, state_);
  read_bodies();
}

void Simulation::set_bodies(const State& bodies) {
  Kinematics<double> kinematics(model_);
  kinematics.update(model_, bodies.t, bodies.q, bodies.v, bodies.angles);
  bodies_ = bodies;
  set_state(workspace_.coordinates->from_bodies(model_, bodies, kinematics));
}

void Simulation::set_state(State state) {
  impulse_step_.forget();
  integrator_->forget();
  next_h_ = 0.0;
  state_ = std::move(state);
  behind_ = was_fast_ = false;
  workspace_.update(model_, state_);
  workspace_.kinematics.read_angles(model_, state_.angles);
  read_bodies();
  solved_ = false;
}

void Simulation::read_bodies() const {
  bodies_.t = state_.t;
  bodies_.angles = state_.angles;
  if (workspace_.coordinates->name() == "quasi") {
    bodies_.q = state_.q;
    bodies_.v = state_.v;
    return;
  }
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    const BodyMotion<double>& motion = workspace_.kinematics.body(static_cast<int>(i));
    bodies_.q.segment<3>(body.q_first + body.nq() - 3) = motion.X_WC.p;
    bodies_.v.segment(body.v_first, body.nv()) = motion.velocity().tail(body.nv());
    if (body.point_mass) continue;
    auto quaternion = bodies_.q.segment<4>(body.q_first);
    const Vec4<double> now = quaternion_of<double>(motion.X_WC.R);
    quaternion = quaternion.dot(now) < 0.0 ? Vec4<double>(-now) : now;  // q and −q are one rotation: no jumps
  }
}

StepReport Simulation::step(double h) {
  if (!adaptive_) return advance(state_.t + h);
  const double until = state_.t + h;
  StepReport sum;
  sum.steps = 0;
  while (state_.t < until) {
    const StepReport report = advance(until);
    keep_larger(sum.before.position, report.before.position);
    keep_larger(sum.before.velocity, report.before.velocity);
    keep_larger(sum.quaternion_error, report.quaternion_error);
    sum.after = report.after;
    sum.iterations += report.iterations;
    sum.steps += report.steps;
    sum.rejected += report.rejected;
  }
  return sum;
}

StepReport Simulation::advance(double until) {
  try {
    if (adaptive_) return advance_adaptively(until);
    StepReport report = attempt(until - state_.t);
    next_.t = until;  // without the round-off of a sum
    accept();
    return report;
  } catch (const NumericalError& error) {
    impulse_step_.forget();
    catch_up();
    workspace_.refresh(model_, state_);
    throw NumericalError(fmt::format("at t = {:.9g} s: {}", state_.t, error.what()));
  }
}

// Steps are lengthened and shortened so that the error of each is what the tolerance allows.
StepReport Simulation::advance_adaptively(double until) {
  const double longest = until - state_.t;
  if (!(longest > 0.0 && std::isfinite(longest)))
    throw NumericalError(fmt::format("an adaptive integrator goes forward to a finite time, not to t = {}", until));
  if (next_h_ <= 0.0) next_h_ = first_step_size(longest);
  const double shortest = 1e-14 * std::max(1.0, std::abs(state_.t));
  std::string trouble;
  for (int rejected = 0;; ++rejected) {
    // A rest that is hardly longer than the step is taken with it.
    const bool last = next_h_ >= 0.999 * longest;
    const double h = last ? longest : std::min(next_h_, std::max(0.5 * longest, longest - next_h_));
    if (!last && !(h >= shortest))
      throw NumericalError(fmt::format("the step size fell below {:.1e} s: {}", shortest,
                                       trouble.empty() ? "the error of a step stays above the tolerance" : trouble));
    double error = std::numeric_limits<double>::infinity();
    StepReport report;
    try {
      report = attempt(h);
      error = integrator_->error(model_.simulation.tolerance, next_);
    } catch (const NumericalError& failure) {
      trouble = failure.what();
    }
    const double factor = error > 0.0 ? 0.9 * std::pow(error, -1.0 / order_) : 5.0;
    if (error <= 1.0) {
      if (last) next_.t = until;
      const double wanted = h * std::clamp(factor, 0.2, 5.0);
      next_h_ = last ? std::max(next_h_, wanted) : wanted;
      report.rejected = rejected;
      accept();
      return report;
    }
    next_h_ = h * (std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.25);
  }
}

// Hairer, Nørsett and Wanner, section II.4: so that the first error is about that of the tolerance.
double Simulation::first_step_size(double longest) {
  Rate here, there;
  flow_.rate(state_, here);
  const auto size = [&](const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) {
    const double q = dq.size() > 0 ? (dq.array().abs() / (1.0 + state_.q.array().abs())).maxCoeff() : 0.0;
    const double v = dv.size() > 0 ? (dv.array().abs() / (1.0 + state_.v.array().abs())).maxCoeff() : 0.0;
    return std::max(q, v) / model_.simulation.tolerance;
  };
  const double slope = size(here.q, here.v);
  const double trial = std::min(longest, slope > 1e-10 ? 0.01 / (model_.simulation.tolerance * slope) : 1e-6);
  State probe = state_;
  add(probe, trial, here);
  probe.t += trial;
  flow_.rate(probe, there);
  const double curve = size(there.q - here.q, there.v - here.v) / trial;
  const double most = std::max(slope, curve);
  const double found = most > 1e-15 ? std::pow(0.01 / most, 1.0 / order_) : std::max(1e-6, 1e-3 * trial);
  return std::min({100.0 * trial, found, longest});
}

StepReport Simulation::attempt(double h) {
  const FlushDenormals flush;
  next_ = state_;
  return by_impulses_ ? step_by_impulses(h) : step_by_equations(h);
}

void Simulation::accept() {
  if (was_fast_) {
    std::swap(before_, state_);
    std::swap(state_, next_);
    fast_->follow_quaternions(bodies_);
    behind_ = true;
    return;
  }
  // On the constraints again, the rows are chosen anew. Without projection the choice of the start is kept.
  if (projects_ && !by_impulses_) workspace_.update(model_, next_);
  integrator_->accept();
  std::swap(before_, state_);
  std::swap(state_, next_);
  behind_ = by_impulses_ && impulse_step_.leaves_workspace_behind();
  if (!behind_) read_bodies();
}

static void require_finite_state(const Model& model, const Workspace& workspace, const State& state, const char* what) {
  if (state.q.allFinite() && state.v.allFinite()) return;
  if (state.v.size() == 0) throw NumericalError(what);
  Eigen::Index worst = 0;  // where only positions are not finite, what is fastest
  for (Eigen::Index k = 1; k < state.v.size() && std::isfinite(state.v[worst]); ++k)
    if (!(std::abs(state.v[k]) <= std::abs(state.v[worst]))) worst = k;
  throw NumericalError(fmt::format("{}, first where {}; look for masses, stiffnesses, forces or steps without measure",
                                   what, workspace.coordinates->motion(model, static_cast<int>(worst))));
}

StepReport Simulation::step_by_equations(double h) {
  StepReport report;
  solved_ = false;
  TreeStepper::Report fast;
  was_fast_ = fast_ && fast_->step(h, next_, fast);
  if (was_fast_) {
    report.before = fast.before;
    report.after = fast.after;
    report.iterations = fast.iterations;
    report.quaternion_error = fast.quaternion_error;
    return report;
  }
  if (fast_) next_ = state_;
  catch_up();
  integrator_->step(flow_, h, next_);
  require_finite_state(model_, workspace_, next_, "the state is no longer finite");
  workspace_.refresh(model_, next_);
  workspace_.kinematics.read_angles(model_, next_.angles);
  report.before = residual_norms(workspace_.problem);
  report.quaternion_error = integrator_->quaternion_error();
  require_sane_step(h, report.before.position);
  if (projects_) {
    report.iterations = projection_.project_positions(model_, next_, workspace_);
    projection_.project_velocities(model_, next_, workspace_);
  }
  report.after = residual_norms(workspace_.problem);
  require_finite_state(model_, workspace_, next_, "the projection did not converge");
  if (projects_) require_met();
  return report;
}

StepReport Simulation::step_by_impulses(double h) {
  StepReport report;
  report.impulses = impulse_step_.step(model_, h, next_, workspace_, reduced_);
  require_finite_state(model_, workspace_, next_, "the state is no longer finite");
  report.before = report.after = residual_norms(impulse_step_.problem(workspace_));
  report.before.position = report.impulses.position_gap;
  report.iterations = report.impulses.position_iterations;
  require_sane_step(h, 0.0);  // its gaps are reported, not refused
  // What the bodies did in the step, and the forces that made them: λ/h.
  workspace_.expand(model_, next_, reduced_, solution_);
  solved_ = true;
  add(next_.work, h, flow_.power(solution_));
  return report;
}

State Simulation::at(double t) {
  if (t == state_.t) return state_;
  catch_up();
  if (was_fast_) {  // what lies between is the integrator's business
    was_fast_ = false;
    State again = before_;
    integrator_->step(flow_, state_.t - before_.t, again);
  }
  State out = before_;
  if (by_impulses_) {
    const double x = (t - before_.t) / (state_.t - before_.t);
    out.q += x * (state_.q - before_.q);
    out.v += x * (state_.v - before_.v);
    add(out.work, x, state_.work);
    add(out.work, -x, before_.work);
    out.t = t;
    workspace_.coordinates->settle(model_, out);
  } else {
    integrator_->interpolate(flow_, state_, t, out);
    if (projects_) {
      projection_.project_positions(model_, out, workspace_);
      projection_.project_velocities(model_, out, workspace_);
    }
  }
  workspace_.refresh(model_, out);
  workspace_.kinematics.read_angles(model_, out.angles);
  workspace_.refresh(model_, state_);
  return out;
}

// Where geometry degenerates, or one step leaves the constraints by centimetres, the numbers that follow mean nothing.
void Simulation::require_sane_step(double h, double position_residual) const {
  for (const ModelConstraint& constraint : model_.constraints)
    if (const std::string trouble = geometry_trouble(constraint, workspace_.kinematics); !trouble.empty())
      throw NumericalError(trouble);
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const double turn = std::abs(h) * workspace_.kinematics.body(static_cast<int>(i)).w_B.norm();
    if (turn > largest_turn)
      throw NumericalError(
          fmt::format("a step of {:.3g} s is too long here: body \"{}\" turns by {:.3g} rad in it; use a "
                      "smaller step",
                      h, model_.bodies[i].name, turn));
  }
  if (position_residual <= largest_step_residual) return;
  int worst = 0;
  workspace_.problem.phi.cwiseAbs().maxCoeff(&worst);
  throw NumericalError(
      fmt::format("a step of {:.3g} s is too long here: it leaves {} off by {:.3g}; use a smaller step", h,
                  row_name(model_, workspace_.problem, worst), position_residual));
}

// A row that projection cannot meet is a failure, however finite the numbers look.
void Simulation::require_met() const {
  const GaussProblem& problem = workspace_.problem;
  const double fastest = next_.v.size() > 0 ? next_.v.cwiseAbs().maxCoeff() : 0.0;
  for (int row = 0; row < static_cast<int>(problem.row_count()); ++row) {
    if (!(std::abs(problem.phi[row]) <= 1e-8))
      throw NumericalError(
          fmt::format("{} cannot be met: it stays off by {:.3g}", row_name(model_, problem, row), problem.phi[row]));
    if (!(std::abs(problem.rate[row]) <= 1e-8 * (1.0 + fastest)))
      throw NumericalError(fmt::format("{} cannot be met by any speed: its rate stays off by {:.3g}",
                                       row_name(model_, problem, row), problem.rate[row]));
  }
}

const Solution& Simulation::reduced_solution() {
  solution();
  return reduced_;
}

const Solution& Simulation::solution() {
  catch_up();
  if (!solved_) {
    method_->solve(model_, workspace_.problem, reduced_);
    require_rows_met(model_, workspace_.problem, reduced_);
    workspace_.expand(model_, state_, reduced_, solution_);
  }
  solved_ = true;
  return solution_;
}

}  // namespace tandem
