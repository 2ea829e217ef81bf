// How a simulation goes through time: by steps of one length, or by steps whose error is what the tolerance allows. The
// rest of simulate.hpp is in simulate.cpp, observe.cpp and resume.cpp.
//
// Error control through singular poses. In such a pose J loses a row and branches of the constraints cross, φ ≈ x z
// along two of them. The motion x = u t, z = 0 is smooth, but off it, by z, φ̈ = 0 says z̈ = −2 u ż/x: a pole in the
// pose. So stages, which lie off the constraints by h² and more, have errors of low order however short the step; and
// round-off ε of φ is z = ε/x, with an acceleration of 2 u² ε/x³ across the branch. Hence
//   (1)  σ² the smallest pivot of J Jᵀ, rows of unit length: σ ≈ |x| falls evenly, so the pose lies σ/(−dσ/dt) ahead
//   (2)  while it is near, rates are taken at stages brought onto the constraints, (q̇, v̇)(Π x): along the branch that
//        is smooth, and a step has its order again (flow.hpp, (6))
//   (3)  only the error along the constraints counts (integrator.hpp, (3)): what is across is taken out at the end
//   (4)  no stage and no end of a step comes near the pose: it is put into the widest gap between the stages, which is
//        0.27 of a step of dop853, a half of one of dopri5,
//   (5)  and a step for which it would lie behind that gap, or shortly after its end, ends well before it
//   (6)  what round-off leaves of a step: ε/x of a stage that is brought onto the constraints, and the speed
//        2 u² h ε/x³ across the branch, of the stage that is nearest to the pose, turned into the branch by as much as
//        that turns in the step: ε (u h)²/x³ of u. Less is not asked for. The second falls with h where the truncation
//        rises, so that short steps (small tolerances of dopri5) do not end it all
//   (7)  from far away σ falls slower than it will (as sin x does), and (1) has the pose too late: a step that ends as
//        near to it as no stage may be is taken again, by where its end has the pose
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/base/elementary.hpp"
#include "tandem/base/flush_denormals.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/integrate/tree_flow.hpp"
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
  sum.general += report.general;
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

// The largest angular velocity of a body.
double Simulation::fastest_turn() {
  if (fast_ && fast_->usable()) return fast_->fastest_turn(state_);
  double most = 0.0;
  for (const BodyMotion<double>& body : motions()) most = std::max(most, body.w_B.norm());
  return most;
}

// Steps are lengthened and shortened so that the error of each is what the tolerance allows. The step after one that
// was rejected is not lengthened: what made it fail is still near.
StepReport Simulation::advance_adaptively(double until) {
  if (!(until > state_.t && std::isfinite(until)))
    throw NumericalError(fmt::format("an adaptive integrator goes forward to a finite time, not to t = {}", until));
  const Reach reach = furthest(until, 4.0 * std::numeric_limits<double>::epsilon() * std::abs(state_.t));
  const double longest = reach.end - state_.t;
  flow_.project_stages(nullptr);
  if (memory_.h <= 0.0) memory_.h = first_step_size(longest);
  const double shortest = tolerances::shortest_step * std::max(model_.scale.time, std::abs(state_.t));
  const double longest_turn = tolerances::adaptive_turn * tolerances::largest_turn / fastest_turn();
  PoseAhead pose;
  if (has_loops_ && projects_ && workspace_.problem.row_count() > 0) {
    here();
    pose = singular_pose_ahead(state_, next_);
  }
  flow_.project_stages(pose.is_near ? &projection() : nullptr);  // (2)
  std::string trouble;
  for (int rejected = 0;; ++rejected) {
    // A rest that is hardly longer than the step is taken with it.
    bool last = memory_.h >= 0.999 * longest;
    double h = last ? longest : std::min(memory_.h, std::max(0.5 * longest, longest - memory_.h));
    const double allowed =
        std::min({setup_.max_step, longest_turn, time_->longest_step(state_.t, h, tolerances::adaptive_peak_step)});
    bool cut = last || allowed < h;  // the error would allow for more
    if (allowed < h) {
      h = allowed;
      last = false;
    }
    if (const double shorter = placed(pose, h, last); shorter < h && shorter >= shortest) {
      h = shorter;
      last = false;
      cut = true;
    }
    if (!cut && !(h >= shortest))
      throw NumericalError(fmt::format("the step size fell below {:.1e} s: {}", shortest,
                                       trouble.empty() ? "the error of a step stays above the tolerance" : trouble));
    double error = std::numeric_limits<double>::infinity();
    StepReport report;
    try {
      report = attempt(h);
      error = integrator_->error(std::max(setup_.tolerance, round_off_beside(pose, h)));
    } catch (const NumericalError& failure) {
      trouble = failure.what();
    }
    if (error <= 1.0 && !last && !pose.is_near) {
      if (const PoseAhead there = pose_beside_end(pose, report, h); there.is_near) {  // (7)
        pose = there;
        flow_.project_stages(&projection());
        continue;
      }
    }
    const double factor = error > 0.0 ? 0.9 * pow(error, -1.0 / order_) : 5.0;
    if (error <= 1.0) {
      if (last) next_.t = reach.end;
      const double wanted = h * std::clamp(factor, 0.2, rejected > 0 ? 1.0 : 5.0);
      memory_.h = cut ? std::max(memory_.h, wanted) : wanted;
      report.rejected = rejected;
      accept(report, last ? reach : Reach{next_.t, next_.t});
      return report;
    }
    memory_.h = h * (std::isfinite(error) ? std::clamp(factor, 0.1, 0.9) : 0.25);
  }
}

// How far the machine moves in a second, in radians or parts of its size.
double Simulation::speed() const {
  double most = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const BodyMotion<double>& body = workspace_.kinematics.body(static_cast<int>(i));
    most = std::max({most, body.w_B.norm(), body.v.norm() / model_.scale.of_body[i]});
  }
  return most;
}

Simulation::PoseAhead Simulation::singular_pose_ahead(const State& from, State& probe) {
  const double sigma = std::sqrt(workspace_.pivot_at(model_, from));
  const double speed = this->speed(), dt = tolerances::singular_probe / speed;
  if (!(speed > 0.0 && std::isfinite(dt))) return {};
  q_dot_.resize(from.parts.q.size);
  workspace_.coordinates->rate(model_, from, q_dot_);
  probe = from;
  probe.t += dt;
  probe.q() += dt * q_dot_;
  workspace_.coordinates->settle(model_, probe);
  const double in = sigma * dt / (sigma - std::sqrt(workspace_.pivot_at(model_, probe)));  // (1)
  return {in, std::abs(in) * speed < tolerances::singular_reach, sigma / std::abs(in), speed};
}

// The nearest that a pose may come to a stage, in parts of the step: what placed() lets be.
static double nearest_stage(const Integrator::Gap& gap) { return 0.25 * (gap.to - gap.from); }

// The pose that the last attempt ended beside, as seen from where it began; near only if it is one. Along a way x σ
// changes by about x at most, so where more is left there is none.
Simulation::PoseAhead Simulation::pose_beside_end(const PoseAhead& from_start, const StepReport& report, double h) {
  const double near = nearest_stage(integrator_->widest_gap()) * h;
  if (!(from_start.speed > 0.0)) return {};
  const double pivot = was_fast_ ? report.pivot : workspace_.pivot_at(model_, next_);
  if (!(std::sqrt(pivot) < near * from_start.speed)) return {};
  State probe;
  PoseAhead pose = singular_pose_ahead(next_, probe);
  workspace_.forget();
  pose.is_near = pose.is_near && std::abs(pose.in) < near;
  pose.in += h;
  return pose;
}

double Simulation::round_off_beside(const PoseAhead& pose, double h) const {
  if (!pose.is_near) return 0.0;
  const Integrator::Gap gap = integrator_->widest_gap();
  double nearest = std::numeric_limits<double>::infinity();
  for (const double stage : {0.0, gap.from, gap.to, 1.0}) nearest = std::min(nearest, std::abs(pose.in - stage * h));
  const double way = pose.speed * h, sigma = pose.falls * nearest;
  const double across = way / sigma;
  const double noise = (tolerances::step_round_off + tolerances::round_off * across * across) / sigma;  // (6)
  return std::min(noise, tolerances::singular_noise);
}

// `must_end`: the step may be shortened, but where it would end one has to.
double Simulation::placed(const PoseAhead& pose, double h, bool must_end) const {
  const Integrator::Gap gap = integrator_->widest_gap();
  const double middle = 0.5 * (gap.from + gap.to), x = pose.in / h;
  if (!pose.is_near || !(x > 0.0 && x < 1.0 + middle)) return h;
  if (std::abs(x - middle) <= nearest_stage(gap)) return h;
  if (x < middle) return h * x / middle;                                 // (4)
  if (must_end) return x < 1.0 ? h * (x - middle) / (1.0 - middle) : h;  // (5), so that the last one has it there
  return h * std::max(x - middle, 0.5 * x);                              // (5)
}

// Hairer, Nørsett and Wanner, section II.4: so that the first error is about that of the tolerance.
double Simulation::first_step_size(double longest) {
  const FlushDenormals flush;
  here();
  Eigen::VectorXd at_start, there;
  flow_.rate(state_, at_start);
  const Eigen::VectorXd& scale = workspace_.layout.error_scale;
  const auto size = [&](const Eigen::VectorXd& change) {
    double most = 0.0;
    for (Eigen::Index i = 0; i < change.size(); ++i)
      if (scale[i] > 0.0)
        most = std::max(most, std::abs(change[i]) / (tolerances::size_share * scale[i] + std::abs(state_.x[i])));
    return most / setup_.tolerance;
  };
  const double slope = size(at_start);
  const double time = model_.scale.time;
  const double trial = std::min(longest, slope * time > 1e-10 ? 0.01 / (setup_.tolerance * slope) : 1e-6 * time);
  State probe = state_;
  probe.x += trial * at_start;
  probe.t += trial;
  flow_.rate(probe, there);
  const double curve = size(there - at_start) / trial;
  const double most = std::max(slope * time, curve * time * time);
  const double found = most > 1e-15 ? time * pow(0.01 / most, 1.0 / order_) : std::max(1e-6 * time, 1e-3 * trial);
  return std::min({100.0 * trial, found, longest});
}

}  // namespace tandem
