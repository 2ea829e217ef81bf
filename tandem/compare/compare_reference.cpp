#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/compare/comparer.hpp"
#include "tandem/run/horizon.hpp"

namespace tandem {

// About two hundred rows.
void Comparer::choose_interval() {
  const double h = setup_.step;
  interval_ = h * std::max(1.0, std::floor(std::round(duration_ / h) / 200.0));
}

const Trajectory& Comparer::lagrange_at(Cut cut, int parts) {
  const auto found = references_.find({cut, parts});
  if (found != references_.end()) return found->second;
  const Setup setup = cut == Cut::all ? reference_ : with(setup_, MethodName::lagrange, cut);
  return references_.emplace(std::pair{cut, parts}, follow(setup, parts)).first->second;
}

// A step that is too long for the model to run at all is halved here already.
bool Comparer::find_reference() {
  const std::vector<std::string> refused = obstacles(exact_, reference_);
  if (!refused.empty()) {
    out_.cause = "refused";
    out_.verdict = fmt::format("nothing to compare with, because {}", fmt::join(refused, "; "));
    return false;
  }
  say("reference");
  for (int halvings = 0; halvings <= options_.most_halvings; ++halvings) {
    references_.clear();
    const Trajectory& run = reference_at(1);
    if (!run.failed) break;
    if (halvings == 0) out_.verdict = run.reason;  // what the model's own step led to
    if (halvings == options_.most_halvings && find_reference_by_error_control()) break;
    if (halvings == options_.most_halvings) {
      const std::string others = who_gets_through();
      out_.cause = others.empty() && run.reason.find("step") != std::string::npos ? "step" : "failure";
      out_.verdict = fmt::format("{}, also with a step of {:.3g} s: {}",
                                 others.empty() ? "no method gets through" : "lagrange on the cut all breaks off",
                                 run.step, out_.verdict);
      if (!others.empty()) out_.verdict += fmt::format("; {} get through at {:.3g} s", others, out_.step);
      return false;
    }
    for (Setup* each : {&setup_, &reference_}) each->step *= 0.5;
  }
  out_.verdict.clear();
  out_.step = setup_.step;
  finest_step_ = out_.step;
  find_singular_poses();
  return true;
}

// A machine may be so much faster at some moments that no step fits all of its motion, such as a light cart that a
// heavy bob whips through below it. There steps follow the motion, by the model's own error control or that of dop853,
// and the tolerance is divided in place of the step.
bool Comparer::find_reference_by_error_control() {
  if (reference_at(1).reason.find("step") == std::string::npos) return false;
  const Setup fixed = setup_;
  setup_.integrator = error_control_;
  setup_.step = out_.step;
  setup_.tolerance = options_.tolerance;
  const auto begin = [&](bool by_error_control) {
    by_error_control_ = by_error_control;
    reference_ = with(setup_, MethodName::lagrange, Cut::all);
    references_.clear();
  };
  begin(true);
  if (!reference_at(1).failed) {
    too_long_ = fixed.step;
    return true;
  }
  setup_ = fixed;
  begin(false);
  return false;
}

// By name, at the model's own step.
std::string Comparer::who_gets_through() const {
  std::vector<std::string> names;
  for (const MethodInfo& info : all_methods()) {
    Setup setup = with(setup_, info.id, info.cuts.front());
    setup.step = out_.step;
    if (info.id != MethodName::lagrange && obstacles(exact_, setup).empty() && !follow(setup, 1).failed)
      names.push_back(info.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// How well the rows hold the machine in a pose.
struct Comparer::Hold {
  double smallest_pivot = 0.0;  // of J Jᵀ over the independent rows
  std::size_t rank = 0;
};

Comparer::Hold Comparer::hold_in(const State& bodies) const {
  Workspace workspace(exact_);
  workspace.update(exact_, bodies);
  return {workspace.smallest_pivot(), workspace.problem.rows.size()};
}

bool Comparer::is_nearly_singular(const Hold& hold) const {
  return hold.rank < most_rank_ || hold.smallest_pivot < tolerances::nearly_singular * most_pivot_;
}
bool Comparer::is_nearly_singular(const State& bodies) const {
  return exact_.rows > 0 && is_nearly_singular(hold_in(bodies));
}

// Rows of the reference in poses where round-off decides on velocities.
void Comparer::find_singular_poses() {
  left_out_.clear();
  if (exact_.rows == 0) return;
  std::vector<Hold> holds;
  for (const State& row : reference_at(1).rows) {
    holds.push_back(hold_in(row));
    most_rank_ = std::max(most_rank_, holds.back().rank);
  }
  for (const Hold& hold : holds)
    if (hold.rank == most_rank_) most_pivot_ = std::max(most_pivot_, hold.smallest_pivot);
  for (const Hold& hold : holds) left_out_.push_back(is_nearly_singular(hold) ? 1 : 0);
}

// The twin starts 1e-7 beside the start. Rounding errors grow as it does; up to the horizon those of a single step stay
// below a tenth of the tolerance.
bool Comparer::find_horizon() {
  say("twin");
  constexpr double beside = 1e-7, round_off = 1e-14;
  const State start = state_beside(exact_, reference_at(1).rows.front(), beside);
  const double from = difference(exact_, reference_at(1).rows.front(), start).size();
  if (!(from > 0.0)) return true;
  for (;;) {
    const Trajectory twin = follow(reference_, 1, &start);
    const Trajectory& run = reference_at(1);
    const std::size_t rows = std::min(twin.rows.size(), run.rows.size());
    std::size_t k = 0;
    double growth = growth_ = 1.0;
    Fastest fastest;
    for (; k < rows; ++k) {
      fastest.see(exact_, run.rows[k]);
      if (is_left_out(k)) continue;
      growth = difference(exact_, run.rows[k], twin.rows[k], fastest).size() / from;
      if (!(growth * round_off <= 0.1 * options_.tolerance && growth * beside < 0.5)) break;
      growth_ = std::max(growth_, growth);
    }
    if (k == rows) return true;
    k = std::max<std::size_t>(k, 1);
    out_.chaotic = !(growth < tolerances::chaotic_growth);
    const bool is_fine = interval_ <= 1.5 * setup_.step;
    const bool is_found = k > 10 || is_fine;
    if (k <= 2 && is_found && !out_.chaotic) {
      out_.cause = "round-off";
      out_.verdict = fmt::format(
          "a tolerance of {:.1e} is below what rounding errors allow from the first steps on; use a larger one",
          options_.tolerance);
      return false;
    }
    // Within the first rows of a long run: look closer.
    duration_ = run.rows[is_found ? std::max<std::size_t>(k, 2) - 1 : k].t;
    out_.horizon = duration_;
    references_.clear();
    if (!is_found) choose_interval();
    find_singular_poses();
    if (is_found) return true;
  }
}

// What the rounding errors of all steps can amount to, with what projection leaves of positions.
bool Comparer::is_round_off(double apart, double step) const {
  constexpr double closed_to = 1e-13;
  const double each = std::numeric_limits<double>::epsilon();
  return apart <= 10.0 * growth_ * (each * duration_ / step + (exact_.rows > 0 ? closed_to : 0.0));
}

// Steps of the same length by an integrator of order eight, shorter ones where its error control asks for them.
Setup Comparer::precise(const Setup& setup, int parts) const {
  Setup out = setup;
  out.integrator = IntegratorName::dop853;
  out.tolerance = tolerances::precise * options_.tolerance;
  out.max_step = std::min(out.max_step, setup_.step / parts);
  return out;
}

// Where a quarter of the step of rk4 is too long still, an integrator of order eight is the shorter way: two of its
// runs, the second at half the step. What is left in the second is less than what lies between them.
bool Comparer::refine_by_dop853() {
  if (setup_.integrator != IntegratorName::rk4) return false;
  by_dop853_ = true;
  say("reference by dop853");
  const Trajectory coarse = follow_finely(reference_, 1);
  Trajectory fine = coarse.failed ? coarse : follow_finely(reference_, 2);
  const double between = apart(coarse, fine, 0.0).size();
  if (coarse.failed || fine.failed || !(between <= 0.1 * options_.tolerance)) return by_dop853_ = false;
  out_.richardson = between;
  out_.step = fine.step;
  refined_ = true;
  fine_parts_ = 1;
  finest_ = std::move(fine);
  return true;
}

// Halves the step of the reference until Richardson's estimate allows a comparison between cuts. Where two halvings in
// a row do not bring its runs nearer to each other any more, rounding errors rule: then a shorter step does not help.
void Comparer::refine() {
  double nearest = std::numeric_limits<double>::infinity();
  int in_vain = 0;
  parts_ = 2;
  for (int halvings = 1;; ++halvings, parts_ *= 2) {
    const Trajectory &coarse = reference_at(parts_ / 2), &fine = reference_at(parts_);
    say(fmt::format("step {:.3g} s", fine.step));
    const double between = apart(coarse, fine, 0.0).size();
    const double estimate = between / (pow(2.0, order_) - 1.0);
    out_.richardson = fine.failed ? std::numeric_limits<double>::infinity() : estimate;
    out_.step = finest_step_ = fine.step;
    refined_ = !fine.failed && estimate <= 0.1 * options_.tolerance;
    in_vain = between <= 0.5 * nearest ? 0 : in_vain + 1;
    nearest = std::min(nearest, between);
    at_round_off_ = !fine.failed && in_vain >= 2 && is_round_off(between, fine.step);
    if (!refined_ && at_round_off_) end_where_round_off_rules(coarse, fine);
    const bool at_least_tolerance = by_error_control_ && tolerance_at(2 * parts_) < tolerances::refined;
    const bool last = halvings >= options_.most_halvings || is_too_fine(2 * parts_);
    if (refined_ || at_round_off_ || at_least_tolerance || last) break;
    const bool converges = between <= tolerances::converging;
    if (parts_ == 4 && !by_error_control_ && converges && refine_by_dop853()) return;
  }
  fine_parts_ = parts_;
  finest_ = reference_at(parts_);
  if (by_error_control_) end_where_the_other_cut_rounds();
}

// Masses that are far apart cost the cut `loops` digits that the cut `all` keeps: the mass matrix of its joints has the
// light body in the difference of large numbers. The error of its steps goes with the tolerance: at 2⁻ᵖ and at half of
// that, p = 4, its runs are 1/30 as far apart as at 1 and 2⁻ᵖ. Where they are not even a quarter, round-off lies
// between.
void Comparer::end_where_the_other_cut_rounds() {
  const Setup loops = with(setup_, MethodName::lagrange, Cut::loops);
  if (!refined_ || !obstacles(exact_, loops).empty() || !combination_obstacles(loops).empty()) return;
  const Trajectory &coarse = lagrange_at(Cut::loops, parts_ / 2), &fine = lagrange_at(Cut::loops, parts_);
  Setup finer = loops;
  finer.tolerance = 0.5 * tolerance_at(parts_);
  auto time = std::make_shared<TimePlan>(*time_);
  time->divide_limits(parts_);
  const Trajectory again = tandem::follow(exact_, finer, parts_, duration_, interval_, nullptr, std::move(time));
  if (coarse.failed || fine.failed || again.failed) return;
  const double left = apart(fine, again, 0.0).size();
  if (left <= 0.1 * options_.tolerance || left <= 0.25 * apart(coarse, fine, 0.0).size()) return;
  const double of_the_reference = out_.richardson;
  end_where_round_off_rules(fine, again);
  out_.richardson = of_the_reference;
}

// Between the last two runs lies nothing but round-off: the time up to which it stays below a tenth of the tolerance.
void Comparer::end_where_round_off_rules(const Trajectory& coarse, const Trajectory& fine) {
  double most = 0.0;
  std::size_t last = 0;
  Fastest fastest;
  for (std::size_t k = 0; k < std::min(coarse.rows.size(), fine.rows.size()); ++k) {
    fastest.see(exact_, coarse.rows[k]);
    const double here = is_left_out(k) ? 0.0 : difference(exact_, coarse.rows[k], fine.rows[k], fastest).size();
    if (!(here <= 0.1 * options_.tolerance)) break;
    most = std::max(most, here);
    last = k;
  }
  if (last < 2) return;
  refined_ = true;
  out_.richardson = most;
  out_.horizon = duration_ = fine.rows[last].t;
}

}  // namespace tandem
