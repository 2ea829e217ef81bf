// How a simulation goes through time: by steps of one length, or by steps whose error is what the tolerance allows. The
// rest of simulate.hpp is in simulate.cpp, observe.cpp and resume.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tandem/base/elementary.hpp"
#include "tandem/base/flush_denormals.hpp"
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
  if (until > time_->end() && std::isfinite(until)) {  // stepped by hand beyond the duration of the model
    auto longer = std::make_shared<TimePlan>(*time_);
    longer->extend(model_, std::max(until, time_->end() + setup_.duration));
    time_ = std::move(longer);
  }
  try {
    return adaptive_ ? advance_adaptively(until) : advance_fixed(until);
  } catch (const NumericalError& error) {
    impulse_step_.forget();
    here();
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
    if (h > setup_.max_step) h /= std::ceil(h / setup_.max_step * (1.0 - tolerances::kink_at_end));
    if (h < reach.end - state_.t - near) reach = {state_.t + h, state_.t + h};
  }
  StepReport report = attempt(reach.end - state_.t);
  next_.t = reach.end;  // without the round-off of a sum
  accept(report, reach);
  return report;
}

namespace {

// Of a step through a singular pose: one stage near it is enough for a large error, and a step of another length has
// none there. Longer and shorter ones are tried, then the best of them again.
class OtherLengths {
 public:
  bool all_tried() const { return tried_ > lengths.size(); }
  double best() const { return tried_ == lengths.size() ? error_ : -1.0; }  // when it is tried again
  double next(double h, double error) {
    if (tried_ == 0) first_ = h;
    if (error < error_) {
      error_ = error;
      best_ = h;
    }
    ++tried_;
    if (tried_ < lengths.size()) return first_ * lengths[tried_];
    return tried_ == lengths.size() && best_ > 0.0 ? best_ : 0.7 * first_;
  }

 private:
  static constexpr std::array lengths{1.0, 0.85, 1.18, 0.72, 1.4, 0.61, 1.65, 0.52, 2.0, 0.44};
  std::size_t tried_ = 0;
  double first_ = 0.0, best_ = 0.0, error_ = std::numeric_limits<double>::infinity();
};

}  // namespace

// The largest angular velocity of a body.
double Simulation::fastest_turn() {
  if (fast_ && fast_->usable()) return fast_->fastest_turn(state_);
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
  OtherLengths others;
  for (int rejected = 0;; ++rejected) {
    // A rest that is hardly longer than the step is taken with it.
    bool last = next_h_ >= 0.999 * longest;
    double h = last ? longest : std::min(next_h_, std::max(0.5 * longest, longest - next_h_));
    const double allowed =
        std::min({setup_.max_step, longest_turn, time_->longest_step(state_.t, h, tolerances::adaptive_peak_step)});
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
      error = integrator_->error(setup_.tolerance);
    } catch (const NumericalError& failure) {
      trouble = failure.what();
    }
    const Attempt attempt = judge(error, others.best());
    const double factor = error > 0.0 ? 0.9 * pow(error, -1.0 / order_) : 5.0;
    if (attempt == Attempt::good || (attempt == Attempt::lands && others.all_tried())) {
      if (last) next_.t = reach.end;
      const double wanted = h * std::clamp(factor, error <= 1.0 ? 0.2 : 1.0, rejected > 0 ? 1.0 : 5.0);
      next_h_ = cut ? std::max(next_h_, wanted) : wanted;
      report.rejected = rejected;
      accept(report, last ? reach : Reach{next_.t, next_.t});
      return report;
    }
    if (attempt == Attempt::bad || others.all_tried())
      next_h_ = h * (std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.25);
    else
      next_h_ = others.next(h, attempt == Attempt::lands ? std::numeric_limits<double>::infinity() : error);
  }
}

// Whether the last attempt goes through a singular pose, or fast towards or away from one that is near: pivots go with
// the square of the distance. Looked at the closer the nearer to the ends, on the straight way between them.
bool Simulation::is_near_singular_pose(double from, double to) {
  if ((from < tolerances::singular_near && to < 0.5 * from) || (from < tolerances::sure_pivot && to > 2.0 * from))
    return true;
  State between = state_;
  const auto falls_at = [&](double x) {
    between.t = state_.t + x * (next_.t - state_.t);
    between.q = state_.q + x * (next_.q - state_.q);
    workspace_.coordinates->settle(model_, between);
    return workspace_.pivot_at(model_, between) < 0.25 * std::min(from, to);
  };
  bool falls = false;
  for (double x = 0.5; x > 1e-4 && !falls; x *= 0.5) falls = falls_at(x) || falls_at(1.0 - x);
  workspace_.refresh(model_, next_);
  return falls;
}

// Steps towards a singular pose must neither end near it, where the next one would begin with few digits, nor become
// ever shorter before it. `error`: of the last attempt, against what is allowed; `best`: the least of those before.
Simulation::Attempt Simulation::judge(double error, double best) {
  const Attempt usual = error <= 1.0 ? Attempt::good : Attempt::bad;
  if (was_fast_) return usual;  // which it is far from such poses alone
  const double tolerance = setup_.tolerance, from = workspace_.smallest_pivot();
  if (!(tolerance < tolerances::singular_step && from < tolerances::singular_reach) || !std::isfinite(error) ||
      workspace_.problem.row_count() == 0)
    return usual;
  const double to = workspace_.pivot_at(model_, next_);
  if (std::sqrt(to) < 0.25 * (std::sqrt(from) - std::sqrt(to)))
    return usual == Attempt::good ? Attempt::lands : Attempt::passes;
  if (usual == Attempt::good || !is_near_singular_pose(from, to)) return usual;
  const bool is_best = error <= best && error * tolerance <= tolerances::singular_step_at_most;
  return error * tolerance <= tolerances::singular_step || is_best ? Attempt::good : Attempt::passes;
}

// Hairer, Nørsett and Wanner, section II.4: so that the first error is about that of the tolerance.
double Simulation::first_step_size(double longest) {
  const FlushDenormals flush;
  here();
  Rate at_start, there;
  flow_.rate(state_, at_start);
  const auto size = [&](const Eigen::VectorXd& dq, const Eigen::VectorXd& dv) {
    const auto least = [](const Eigen::VectorXd& of) { return tolerances::size_share * of.array(); };
    const auto &of_q = workspace_.q_size, &of_v = workspace_.v_size;
    const double q = dq.size() > 0 ? (dq.array().abs() / (least(of_q) + state_.q.array().abs())).maxCoeff() : 0.0;
    const double v = dv.size() > 0 ? (dv.array().abs() / (least(of_v) + state_.v.array().abs())).maxCoeff() : 0.0;
    return std::max(q, v) / setup_.tolerance;
  };
  const double slope = size(at_start.q, at_start.v);
  const double time = model_.scale.time;
  const double trial = std::min(longest, slope * time > 1e-10 ? 0.01 / (setup_.tolerance * slope) : 1e-6 * time);
  State probe = state_;
  add(probe, trial, at_start);
  probe.t += trial;
  flow_.rate(probe, there);
  const double curve = size(there.q - at_start.q, there.v - at_start.v) / trial;
  const double most = std::max(slope * time, curve * time * time);
  const double found = most > 1e-15 ? time * pow(0.01 / most, 1.0 / order_) : std::max(1e-6 * time, 1e-3 * trial);
  return std::min({100.0 * trial, found, longest});
}

}  // namespace tandem
