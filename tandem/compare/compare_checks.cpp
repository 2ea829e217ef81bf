#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tandem/compare/comparer.hpp"

namespace tandem {

static bool supports(const Model& model, const Setup& setup) {
  return obstacles(model, setup).empty() && combination_obstacles(setup).empty();
}

// Other coordinates may need a shorter step than the reference, such as Euler angles near their singularity. So the
// step is halved as long as that brings them nearer. `finely`: by the integrator of the reference, whatever that is.
void Comparer::cross(const char* name, const Setup& other, const std::string& against, bool finely) {
  say(against);
  const auto run = [&](int parts) { return finely ? follow_finely(other, parts) : follow(other, parts); };
  const int first = finely ? fine_parts_ : parts_;
  Trajectory a = run(first);
  // In a singular pose a run may end that is none of the reference's: what it did before counts.
  const bool at_singular_pose = a.failed && a.rows.size() > 2 && is_nearly_singular(a.rows.back());
  Difference most = apart(finest_, a, options_.tolerance);
  const int most_parts = by_error_control_ ? first : 32 * first;
  for (int parts = 2 * first; !a.failed && most.size() > options_.tolerance && parts <= most_parts; parts *= 2) {
    if (is_too_fine(parts)) break;
    Trajectory finer = run(parts);
    // (1) of trajectory.hpp: what both leave in common is taken off where the reference does not have it too.
    const bool extrapolates = by_dop853_ && !finely && !finer.failed;
    const Difference nearer =
        apart(finest_, extrapolates ? extrapolated(exact_, a, finer, order_) : finer, options_.tolerance);
    a = std::move(finer);
    const bool gains = nearer.size() < 0.25 * most.size();
    most = nearer;
    if (!gains) break;
  }
  if (a.failed && !at_singular_pose) return check(name, true, false, fmt::format("{} broke off {}", against, a.reason));
  check(name, true, most.size() <= options_.tolerance && refined_,
        fmt::format("{}: {:.2e} apart at {}{} (error of the reference: {:.1e}){}", against, most.size(),
                    by_error_control_ ? "" : "a step of ", fineness(a), out_.richardson,
                    at_singular_pose ? fmt::format(", up to a singular pose: there it broke off {}", a.reason) : ""));
  if (most.size() > options_.tolerance) note_parting(most, against);
}

std::string Comparer::fineness(const Trajectory& of) const {
  if (by_error_control_) return fmt::format("a tolerance of {:.1e}", of.tolerance);
  return fmt::format("{:.3g} s{}", of.step, of.adaptive ? " by dop853" : "");
}

void Comparer::cross_cuts() {
  const Setup loops = with(setup_, MethodName::lagrange, Cut::loops);
  if (supports(exact_, loops))
    cross("cut", loops, "joints as coordinates");
  else
    check("cut", false, true, "the model has no second cut");
  const Setup quaternion = with(setup_, MethodName::lagrange, Cut::all, CoordinatesName::quaternion);
  if (supports(exact_, quaternion)) cross("quaternion", quaternion, "quaternion rates");
  const Setup euler = with(setup_, MethodName::lagrange, Cut::all, CoordinatesName::euler312);
  if (supports(exact_, euler)) {
    const Trajectory probe = follow(euler, 1);
    if (probe.failed)
      check("euler312", false, true, "3-1-2 angles meet their singularity here: " + probe.reason);
    else
      cross("euler312", euler, "Euler 3-1-2 rates");
  }
  Setup half_explicit = reference_;
  half_explicit.integrator = IntegratorName::herk;
  if (exact_.rows > 0 && order_ == 4 && !by_error_control_)
    cross("herk", half_explicit, "herk, which never uses the bias", false);
  else
    check("herk", false, true,
          exact_.rows == 0    ? "there are no rows whose bias could be wrong"
          : by_error_control_ ? "herk takes steps of one length, and none is short enough"
                              : "herk is of order four, this run is not");
}

void Comparer::check_energy() {
  const Trajectory &at_first = reference_at(1), &at_half = reference_at(2);
  const double fine = at_half.health.relative_balance(), coarse = at_first.health.relative_balance();
  const double finest = finest_.health.relative_balance(), order = order_of(coarse, fine);
  const bool passed = finest <= options_.tolerance || order >= order_ - 0.5;
  check("energy", true, passed,
        fmt::format("balance {:.2e} of the energy that moved at {}, {:.2e} at {}{}", coarse, fineness(at_first), finest,
                    fineness(finest_), fine > 1e-13 && !by_error_control_ ? fmt::format("; order {:.2f}", order) : ""));
}

void Comparer::check_residuals() {
  // At steps where the order shows: short enough to be in its range, long enough to be above round-off.
  if (exact_.rows == 0) return check("residuals", false, true, "there are no rows");
  if (by_error_control_) return check("residuals", false, true, "steps that differ have no order in common");
  constexpr double round_off = 1e-12;  // of the machine's length and speed
  double best = 0.0, seen = 0.0;
  std::string detail = "at round-off";
  bool measured = false;
  for (int parts = 4; parts <= 64; parts *= 2) {
    const Trajectory &coarse = reference_at(parts / 2), &fine = reference_at(parts);
    const auto order = [&](double a, double b, double size) { return b > round_off * size ? order_of(a, b) : 1e9; };
    const ResidualNorms &first = coarse.health.before, &second = fine.health.before;
    const double position = order(first.position, second.position, exact_.scale.length);
    const double velocity = order(first.velocity, second.velocity, exact_.scale.speed());
    const double least = std::min(position, velocity);
    if (least > 1e8) break;
    measured = true;
    seen = least;
    if (least > best) {
      best = least;
      detail = fmt::format("before projection they fall with order {:.2f} per step", best);
    }
    if (best >= order_ + 0.5) break;
  }
  if (measured && best < order_ + 0.5)
    detail = fmt::format("before projection they fall with order {:.2f} per step, not {}", seen, order_ + 1);
  check("residuals", true, !measured || best >= order_ + 0.5, detail);
}

void Comparer::judge_impulses() {
  if (!is_wanted("impulses")) return check("impulses", false, true, "not asked for");
  MethodResult result;
  result.name = "impulses";
  Setup setup = with(setup_, MethodName::impulses, Cut::all);
  result.cut = setup.cut.word();
  result.refused = obstacles(model_, setup);
  if (!result.refused.empty()) {
    out_.methods.push_back(std::move(result));
    return check("impulses", false, true, "impulses cannot solve the model");
  }
  // Exact in each step: what is judged is the step, not the number of sweeps.
  setup.impulses.iterations = std::max(setup.impulses.iterations, 2000);
  std::string detail = judge_impulses(setup, 1, result);
  if (!result.agrees || impulses_until_ < 0.5 * duration_) detail = judge_impulses(setup, 4, result);
  check("impulses", true, result.agrees, std::move(detail));
  if (!result.agrees && result.failed.empty()) note_parting(result.difference, result.name);
  out_.methods.push_back(std::move(result));
}

// Where something of time jumps, speeds have two values, and a row there has one of them: impulses moves bodies at the
// speeds that a step ends with, so it has that from before the jump, and the others have that from behind it.
std::vector<char> Comparer::rows_at_jumps() const {
  std::vector<char> out = left_out_;
  out.resize(std::max(out.size(), finest_.rows.size()), 0);
  for (std::size_t k = 0; k < finest_.rows.size(); ++k) {
    const double t = finest_.rows[k].t;
    for (const TimeBreak& each : time_->breaks())
      if (each.is_jump() && each.before <= t && t <= each.after) out[k] = 1;
  }
  return out;
}

// The last moment up to which a trajectory stays so near to the finest that its error is proportional to h.
double Comparer::first_order_horizon(const Trajectory& a, const std::vector<char>& left_out) const {
  constexpr double near = 0.05;
  const std::size_t rows = std::min(a.rows.size(), finest_.rows.size());
  std::size_t k = 1;
  while (k + 1 < rows && (left_out[k + 1] || difference(model_, finest_.rows[k + 1], a.rows[k + 1]).size() <= near))
    ++k;
  return k < rows ? a.rows[k].t : a.end();
}

// Three runs, each at half the step: x(h) = x + C h + D h², so two extrapolations leave h³. Between breakpoints that
// are less apart than a step its length does not halve by itself: there it is a hundredth, of each.
std::string Comparer::judge_impulses(const Setup& setup, int parts, MethodResult& result) {
  std::vector<Trajectory> runs;
  result.failed.clear();
  const double longest = setup.step / parts, start = finest_.rows.front().t;
  for (int i = 0; i < 3; ++i, parts *= 2) {
    const double h = setup.step / parts;
    say(fmt::format("impulses, step {:.3g} s", h));
    auto finer = std::make_shared<TimePlan>(*time_);
    finer->divide_limits(parts);
    finer->add_limits(
        steps_with_changes(model_, start, start + duration_, longest, tolerances::change_in_a_step, 0.01 * h));
    runs.push_back(tandem::follow(model_, setup, parts, duration_, interval_, nullptr, std::move(finer)));
    if (runs.back().failed) result.failed = runs.back().reason;
  }
  const Trajectory& first = runs.front();
  result.step = first.step;
  result.energy_drift = first.health.relative_balance();
  result.constraint_drift = first.health.before.position;
  result.velocity_drift = first.health.before.velocity;
  result.steps_per_second = first.seconds > 0.0 ? static_cast<double>(first.health.steps) / first.seconds : 0.0;
  if (!result.failed.empty() && !by_error_control_) return result.failed;
  if (!result.failed.empty()) {
    // No fixed step gets through here: what it did before counts. The last row is of a moment of its own.
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (const Trajectory& run : runs) rows = std::min(rows, run.rows.size() - (run.failed ? 1 : 0));
    for (Trajectory& run : runs) run.rows.resize(rows);
    if (rows < 3) return result.failed;
    result.failed.clear();
  }
  const std::vector<char> left_out = rows_at_jumps();
  const double until = impulses_until_ = first_order_horizon(first, left_out);
  const auto from_finest = [&](const Trajectory& a, double tolerance) {
    return difference(exact_, finest_, a, tolerance, std::min(until, duration_ + 0.5 * finest_step_), left_out,
                      &result.samples);
  };
  const auto error = [&](const Trajectory& a) { return from_finest(a, 0.0).size(); };
  Trajectory limit = runs[2];
  for (std::size_t k = 0; k < limit.rows.size(); ++k) {
    const State &a = runs[0].rows[k], &b = runs[1].rows[k], &c = runs[2].rows[k];
    limit.rows[k].q() = (8.0 * c.q() - 6.0 * b.q() + a.q()) / 3.0;
    limit.rows[k].v() = (8.0 * c.v() - 6.0 * b.v() + a.v()) / 3.0;
    normalise_quaternions(model_, limit.rows[k].q());
  }
  result.order = order_of(error(runs[1]), error(runs[2]));
  // Its own tolerance: a tenth of what its first order leaves at the shortest step.
  result.tolerance = options_.tolerance + 0.1 * error(runs[2]);
  result.difference = from_finest(limit, result.tolerance);
  // As near as the others have to be: what the sweeps leave may be all there is, and has no order.
  const bool exact = result.difference.size() <= options_.tolerance;
  result.agrees = result.difference.size() <= result.tolerance && (exact || (result.order > 0.7 && result.order < 1.5));
  return fmt::format("order {:.2f}; extrapolated to h = 0 it is {:.2e} from the rest (its tolerance {:.1e}){}",
                     result.order, result.difference.size(), result.tolerance,
                     until < duration_ ? fmt::format(" up to t = {:.3g} s, while it is near", until) : "");
}

void Comparer::check_rows_by_duals() {
  if (exact_.rows == 0) return check("rows", false, true, "there are no rows");
  for (std::size_t k = 0; k < 10 && row_faults_.empty(); ++k)
    row_faults_ = check_rows(exact_, finest_.rows[k * (finest_.rows.size() - 1) / 9]);
  check("rows", true, row_faults_.empty(),
        row_faults_.empty() ? "J and b equal to dual numbers at ten states"
                            : fmt::format("{}: {} (off by {:.1e})", row_faults_.front().block, row_faults_.front().what,
                                          row_faults_.front().error));
}

// Every row of the run by its motion, ten of them by what their rows leave free.
void Comparer::check_contacts_by_geometry() {
  const ContactCover cover = contact_cover(exact_);
  const std::string rest =
      cover.not_checked.empty()
          ? ""
          : fmt::format("; not covered, because nothing is declared about it: {}", fmt::join(cover.not_checked, ", "));
  if (cover.checked == 0) return check("contact", false, true, "nothing rolls or glides on a plane" + rest);
  const std::vector<State>& rows = finest_.rows;
  for (std::size_t k = 0; k < 10 && contact_faults_.empty(); ++k)
    contact_faults_ = check_contact_rows(exact_, rows[k * (rows.size() - 1) / 9]);
  for (std::size_t k = 0; k < rows.size() && contact_faults_.empty(); ++k)
    contact_faults_ = check_contacts(exact_, rows[k]);
  std::string detail =
      fmt::format("what rolls or glides ({}) does so, by geometry from poses and twists", cover.checked);
  if (!contact_faults_.empty()) {
    const ContactFault& fault = contact_faults_.front();
    detail = fmt::format("{}: {} (by {:.1e} at t = {:.4g} s)", fault.block, fault.what, fault.error, fault.t);
  }
  check("contact", true, contact_faults_.empty(), detail + rest);
}

}  // namespace tandem
