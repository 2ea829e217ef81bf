// How a simulation goes through time: by steps of one length, or by steps whose error is what the tolerance allows. The
// rest of simulate.hpp is in simulate.cpp, observe.cpp and resume.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

// What a call of several steps did.
static void add(StepReport& sum, const StepReport& report) {
  keep_larger(sum.before.position, report.before.position);
  keep_larger(sum.before.velocity, report.before.velocity);
  keep_larger(sum.quaternion_error, report.quaternion_error);
  keep_larger(sum.turn, report.turn);
  sum.pivot = std::min(sum.pivot, report.pivot);
  sum.after = report.after;
  sum.iterations += report.iterations;
  sum.steps += report.steps;
  sum.rejected += report.rejected;
  sum.impulses.sweeps += report.impulses.sweeps;
  sum.impulses.position_iterations += report.impulses.position_iterations;
  keep_larger(sum.impulses.position_gap, report.impulses.position_gap);
  if (!(report.impulses.unsolved <= sum.impulses.unsolved)) {
    sum.impulses.unsolved = report.impulses.unsolved;
    sum.impulses.worst_row = report.impulses.worst_row;
  }
}

StepReport Simulation::step(double h) {
  const double until = state_.t + h;
  StepReport sum = advance(until);
  while (h > 0.0 && state_.t < until) add(sum, advance(until));
  return sum;
}

StepReport Simulation::advance(double until) {
  try {
    return adaptive_ ? advance_adaptively(until) : advance_fixed(until);
  } catch (const NumericalError& error) {
    impulse_step_.forget();
    catch_up();
    workspace_.refresh(model_, state_);
    throw NumericalError(fmt::format("at t = {:.9g} s: {}", state_.t, error.what()));
  }
}

// To `until`, or to a jump, or to a kink that is further than `near` from both ends.
Simulation::Reach Simulation::furthest(double until, double near) const {
  for (const TimeBreak* next = time_->next_break(state_.t); next; next = time_->next_break(next->before)) {
    if (next->before > until || (!next->is_jump() && next->before >= until - near)) break;
    if (next->is_jump() || next->before > state_.t + near) return {next->before, next->after};
  }
  return {until, until};
}

StepReport Simulation::advance_fixed(double until) {
  Reach reach{until, until};
  if (const double wanted = until - state_.t; wanted > 0.0) {
    const double near = tolerances::kink_at_end * wanted;
    reach = furthest(until, near);
    double h = time_->longest_step(state_.t, reach.end - state_.t, 1.0);
    if (h > model_.simulation.max_step)
      h /= std::ceil(h / model_.simulation.max_step * (1.0 - tolerances::kink_at_end));
    if (h < reach.end - state_.t - near) reach = {state_.t + h, state_.t + h};
  }
  StepReport report = attempt(reach.end - state_.t);
  next_.t = reach.end;  // without the round-off of a sum
  accept(report, reach);
  return report;
}

// The largest angular velocity of a body.
double Simulation::fastest_turn() const {
  double most = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    most = std::max(most, workspace().kinematics.body(static_cast<int>(i)).w_B.norm());
  return most;
}

// Steps are lengthened and shortened so that the error of each is what the tolerance allows. The step after one that
// was rejected is not lengthened: what made it fail is still near.
StepReport Simulation::advance_adaptively(double until) {
  if (!(until > state_.t && std::isfinite(until)))
    throw NumericalError(fmt::format("an adaptive integrator goes forward to a finite time, not to t = {}", until));
  const Reach reach = furthest(until, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(state_.t));
  const double longest = reach.end - state_.t;
  if (next_h_ <= 0.0) next_h_ = first_step_size(longest);
  const double shortest = tolerances::shortest_step * std::max(model_.scale.time, std::abs(state_.t));
  const double longest_turn = tolerances::adaptive_turn * tolerances::largest_turn / fastest_turn();
  std::string trouble;
  for (int rejected = 0;; ++rejected) {
    // A rest that is hardly longer than the step is taken with it.
    bool last = next_h_ >= 0.999 * longest;
    double h = last ? longest : std::min(next_h_, std::max(0.5 * longest, longest - next_h_));
    const double allowed = std::min(
        {model_.simulation.max_step, longest_turn, time_->longest_step(state_.t, h, tolerances::adaptive_peak_step)});
    const bool cut = last || allowed < h;  // the error would allow for more
    if (allowed < h) {
      h = allowed;
      last = false;
    }
    if (!cut && !(h >= shortest))
      throw NumericalError(fmt::format("the step size fell below {:.1e} s: {}", shortest,
                                       trouble.empty() ? "the error of a step stays above the tolerance" : trouble));
    double error = std::numeric_limits<double>::infinity();
    StepReport report;
    try {
      report = attempt(h);
      error = integrator_->error(std::max(model_.simulation.tolerance, tolerances::step_round_off));
    } catch (const NumericalError& failure) {
      trouble = failure.what();
    }
    const double factor = error > 0.0 ? 0.9 * std::pow(error, -1.0 / order_) : 5.0;
    if (error <= 1.0) {
      if (last) next_.t = reach.end;
      const double wanted = h * std::clamp(factor, 0.2, rejected > 0 ? 1.0 : 5.0);
      next_h_ = cut ? std::max(next_h_, wanted) : wanted;
      report.rejected = rejected;
      accept(report, last ? reach : Reach{next_.t, next_.t});
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
    const auto &of_q = workspace_.q_size.array(), &of_v = workspace_.v_size.array();
    const double q = dq.size() > 0 ? (dq.array().abs() / (of_q + state_.q.array().abs())).maxCoeff() : 0.0;
    const double v = dv.size() > 0 ? (dv.array().abs() / (of_v + state_.v.array().abs())).maxCoeff() : 0.0;
    return std::max(q, v) / model_.simulation.tolerance;
  };
  const double slope = size(here.q, here.v);
  const double time = model_.scale.time;
  const double trial =
      std::min(longest, slope * time > 1e-10 ? 0.01 / (model_.simulation.tolerance * slope) : 1e-6 * time);
  State probe = state_;
  add(probe, trial, here);
  probe.t += trial;
  flow_.rate(probe, there);
  const double curve = size(there.q - here.q, there.v - here.v) / trial;
  const double most = std::max(slope * time, curve * time * time);
  const double found = most > 1e-15 ? time * std::pow(0.01 / most, 1.0 / order_) : std::max(1e-6 * time, 1e-3 * trial);
  return std::min({100.0 * trial, found, longest});
}

}  // namespace tandem
