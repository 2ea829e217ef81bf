#include "tandem/analysis/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tandem/analysis/row_check.hpp"

namespace tandem {

namespace {

constexpr double round_off = 1e-14;

bool supports(const Model& model, const std::string& method) {
  return obstacles(model, find_method(method)).empty() && integrator_obstacles(model).empty();
}

Model with(const Model& model, const std::string& method, const std::string& cut,
           const std::string& coordinates = "quasi") {
  Model out = model;
  out.simulation.method = method;
  out.simulation.cut = cut;
  out.simulation.coordinates = coordinates;
  return out;
}

double order_of(double coarse, double fine) { return coarse > 0.0 && fine > 0.0 ? std::log2(coarse / fine) : 0.0; }

}  // namespace

// One comparison, step by step; each part fills what the next ones read.
class Comparer {
 public:
  Comparer(const Model& model, const CompareOptions& options);
  Comparison run();

 private:
  bool find_reference();
  void find_horizon();
  void compare_methods();
  void compare_method(const MethodInfo& info);
  void refine();
  bool cross(const char* name, const Model& other, const std::string& against);
  void cross_cuts();
  void judge_impulses();
  void check_energy();
  void check_residuals();
  void check_rows_by_duals();
  void conclude();
  std::string find_cause() const;

  Trajectory follow(const Model& model, int parts, const State* start = nullptr) const {
    return tandem::follow(model, parts, duration_, interval_, start);
  }
  void say(const std::string& what) const {
    if (options_.on_progress) options_.on_progress(what);
  }
  void check(std::string name, bool asked, bool passed, std::string detail) {
    out_.checks.push_back({std::move(name), asked, passed, std::move(detail)});
  }

  CompareOptions options_;
  Model model_;      // with projection, by a fixed-step integrator
  Model exact_;      // soft constraints made exact
  Model reference_;  // exact_ by lagrange on the cut all
  bool has_soft_ = false;
  int order_ = 4;
  double duration_ = 0.0, interval_ = 0.0;
  Trajectory coarse_, fine_;  // of the reference, at h and h/2
  Trajectory finest_;         // where Richardson is satisfied
  int parts_ = 1;             // of finest_
  bool refined_ = false;
  Comparison out_;
  Difference parting_;  // the first that goes beyond its tolerance
  std::string parted_in_;
  std::vector<RowFault> row_faults_;
};

Comparer::Comparer(const Model& model, const CompareOptions& options) : options_(options), model_(model) {
  SimulationDescription& simulation = model_.simulation;
  simulation.stabilisation = "projection";
  model_.stops.clear();
  const std::string integrator = integrator_of(model);
  const bool usable = !find_integrator(integrator).adaptive && simulation.method != "impulses";
  simulation.integrator = usable ? integrator : "rk4";
  order_ = find_integrator(simulation.integrator).order;
  duration_ = options.duration > 0.0 ? options.duration : simulation.duration;
  simulation.step = std::min(simulation.step, duration_);
  simulation.duration = duration_;
  const double steps = std::ceil(duration_ / simulation.step - 1e-9);
  interval_ = simulation.step * std::max(1.0, std::floor(steps / 200.0));
  exact_ = model_;
  for (ModelConstraint& constraint : exact_.constraints) {
    has_soft_ = has_soft_ || constraint.soft;
    constraint.soft.reset();
  }
  reference_ = with(exact_, "lagrange", "all");
  out_.tolerance = options.tolerance;
  out_.duration = out_.horizon = duration_;
  out_.step = simulation.step;
}

Comparison Comparer::run() {
  if (find_reference()) {
    find_horizon();
    compare_methods();
    refine();
    cross_cuts();
    check_energy();
    check_residuals();
    judge_impulses();
    check_rows_by_duals();
  }
  conclude();
  return std::move(out_);
}

// A step that is too long for the model to run at all is halved here already.
bool Comparer::find_reference() {
  say("reference");
  for (int halvings = 0; halvings <= options_.most_halvings; ++halvings) {
    coarse_ = follow(reference_, 1);
    if (!coarse_.failed) break;
    if (halvings == 0) out_.verdict = coarse_.reason;  // what the model's own step led to
    if (halvings == options_.most_halvings) {
      out_.cause = coarse_.reason.find("step") != std::string::npos ? "step" : "failure";
      out_.verdict =
          fmt::format("no method gets through, also with a step of {:.3g} s: {}", coarse_.step, out_.verdict);
      return false;
    }
    for (Model* each : {&model_, &exact_, &reference_}) each->simulation.step *= 0.5;
  }
  out_.verdict.clear();
  out_.step = model_.simulation.step;
  fine_ = follow(reference_, 2);
  return true;
}

// The twin starts 1e-7 beside the start, on the constraints.
void Comparer::find_horizon() {
  say("twin");
  constexpr double beside = 1e-7;
  State start = coarse_.rows.front();
  Eigen::VectorXd delta(start.v.size());
  for (Eigen::Index i = 0; i < delta.size(); ++i) delta[i] = beside * std::sin(2.0 + 5.1 * static_cast<double>(i));
  retract(reference_, delta, start.q);
  start.v += delta;
  Workspace workspace(reference_);
  Projection projection;
  workspace.update(reference_, coarse_.rows.front());
  projection.project_positions(reference_, start, workspace);
  projection.project_velocities(reference_, start, workspace);
  const Trajectory twin = follow(reference_, 1, &start);
  const double from = difference(reference_, coarse_.rows.front(), start).size();
  if (!(from > 0.0)) return;
  for (std::size_t k = 0; k < std::min(twin.rows.size(), coarse_.rows.size()); ++k) {
    const double growth = difference(reference_, coarse_.rows[k], twin.rows[k]).size() / from;
    if (growth * round_off <= 0.1 * options_.tolerance && growth * beside < 0.5) continue;
    out_.chaotic = true;
    out_.horizon = k > 0 ? coarse_.rows[k - 1].t : 0.0;
    duration_ = out_.horizon;
    coarse_ = follow(reference_, 1);
    fine_ = follow(reference_, 2);
    return;
  }
}

void Comparer::compare_methods() {
  for (const MethodInfo& info : all_methods()) {
    const bool wanted = options_.methods.empty() || std::find(options_.methods.begin(), options_.methods.end(),
                                                              info.name) != options_.methods.end();
    if (wanted && info.name != "impulses") compare_method(info);
  }
}

void Comparer::compare_method(const MethodInfo& info) {
  MethodResult result;
  result.name = info.name;
  result.cut = info.cuts.front();
  result.tolerance = options_.tolerance;
  const Model model = with(exact_, info.name, result.cut);
  result.refused = obstacles(model, info);
  if (!result.refused.empty()) {
    out_.methods.push_back(std::move(result));
    return;
  }
  say(info.name);
  const Trajectory a = follow(model, 1), b = follow(model, 2), c = follow(model, 4);
  result.failed = a.failed ? a.reason : "";
  const bool same_cut = result.cut == "all";
  const Trajectory lagrange = same_cut ? coarse_ : follow(with(exact_, "lagrange", result.cut), 1);
  result.difference = difference(model, lagrange, a, options_.tolerance);
  result.energy_drift = a.health.relative_balance();
  result.constraint_drift = a.health.before.position;
  result.velocity_drift = a.health.before.velocity;
  result.steps_per_second = a.seconds > 0.0 ? static_cast<double>(a.health.steps) / a.seconds : 0.0;
  const double first = difference(model, a, b, 0.0).size(), second = difference(model, b, c, 0.0).size();
  result.order = second > 1e-11 ? order_of(first, second) : 0.0;
  result.agrees = !a.failed && result.difference.size() <= result.tolerance && a.rows.size() == lagrange.rows.size();
  if (!result.agrees && parted_in_.empty() && result.failed.empty()) {
    parting_ = result.difference;
    parted_in_ = result.name;
  }
  out_.methods.push_back(std::move(result));
}

// Halves the step of the reference until Richardson's estimate allows a comparison between cuts.
void Comparer::refine() {
  Trajectory coarse = coarse_, fine = fine_;
  double before = std::numeric_limits<double>::infinity();
  parts_ = 2;
  for (int halvings = 1;; ++halvings) {
    say(fmt::format("step {:.3g} s", fine.step));
    const double estimate = difference(reference_, coarse, fine, 0.0).size() / (std::pow(2.0, order_) - 1.0);
    out_.richardson = fine.failed ? std::numeric_limits<double>::infinity() : estimate;
    out_.step = fine.step;
    refined_ = estimate <= 0.1 * options_.tolerance;
    // Once rounding errors rule, a shorter step does not help.
    const bool stuck = estimate > 0.5 * before && estimate < options_.tolerance;
    if (refined_ || stuck || halvings >= options_.most_halvings) break;
    before = estimate;
    parts_ *= 2;
    coarse = std::move(fine);
    fine = follow(reference_, parts_);
  }
  finest_ = std::move(fine);
}

bool Comparer::cross(const char* name, const Model& other, const std::string& against) {
  say(against);
  const Trajectory a = follow(other, parts_);
  if (a.failed) {
    check(name, true, false, fmt::format("{} broke off {}", against, a.reason));
    return false;
  }
  const Difference apart = difference(exact_, finest_, a, options_.tolerance);
  const bool passed = apart.size() <= options_.tolerance && refined_;
  check(name, true, passed,
        fmt::format("{}: {:.2e} apart at a step of {:.3g} s (its error: {:.1e})", against, apart.size(), finest_.step,
                    out_.richardson));
  if (apart.size() > options_.tolerance && parted_in_.empty()) {
    parting_ = apart;
    parted_in_ = against;
  }
  return passed;
}

void Comparer::cross_cuts() {
  const Model loops = with(exact_, "lagrange", "loops");
  if (supports(loops, "lagrange"))
    cross("cut", loops, "joints as coordinates");
  else
    check("cut", false, true, "the model has no second cut");
  const Model quaternion = with(exact_, "lagrange", "all", "quaternion");
  if (supports(quaternion, "lagrange")) cross("quaternion", quaternion, "quaternion rates");
  Model euler = with(exact_, "lagrange", "all", "euler312");
  if (supports(euler, "lagrange")) {
    const Trajectory probe = follow(euler, 1);
    if (probe.failed)
      check("euler312", false, true, "3-1-2 angles meet their singularity here: " + probe.reason);
    else
      cross("euler312", euler, "Euler 3-1-2 rates");
  }
  Model half_explicit = reference_;
  half_explicit.simulation.integrator = "herk";
  if (exact_.rows > 0 && order_ == 4)
    cross("herk", half_explicit, "herk, which never uses the bias");
  else
    check("herk", false, true, "there are no rows whose bias could be wrong");
}

void Comparer::check_energy() {
  const double fine = fine_.health.relative_balance(), coarse = coarse_.health.relative_balance();
  const double finest = finest_.health.relative_balance(), order = order_of(coarse, fine);
  const bool passed = finest <= options_.tolerance || order >= order_ - 0.5;
  check("energy", true, passed,
        fmt::format("balance {:.2e} of the energy that moved at {:.3g} s, {:.2e} at {:.3g} s{}", coarse, coarse_.step,
                    finest, finest_.step, fine > 1e-13 ? fmt::format("; order {:.2f}", order) : ""));
}

void Comparer::check_residuals() {
  // At steps where the order shows: short enough to be in its range, long enough to be above round-off.
  if (exact_.rows == 0) return check("residuals", false, true, "there are no rows");
  double best = 0.0, seen = 0.0;
  std::string detail = "at round-off";
  bool measured = false;
  Trajectory coarse = fine_;
  for (int parts = 4; parts <= 64; parts *= 2) {
    const Trajectory fine = follow(reference_, parts);
    const auto order = [&](double a, double b) { return b > 1e-12 ? order_of(a, b) : 1e9; };
    const double position = order(coarse.health.before.position, fine.health.before.position);
    const double velocity = order(coarse.health.before.velocity, fine.health.before.velocity);
    const double least = std::min(position, velocity);
    if (least > 1e8) break;
    measured = true;
    seen = least;
    if (least > best) {
      best = least;
      detail = fmt::format("before projection they fall with order {:.2f} a step", best);
    }
    if (best >= order_ + 0.5) break;
    coarse = fine;
  }
  if (measured && best < order_ + 0.5)
    detail = fmt::format("before projection they fall with order {:.2f} a step, not {}", seen, order_ + 1);
  check("residuals", true, !measured || best >= order_ + 0.5, detail);
}

// Steps are halved from the model's; x(h) = x + C h + D h², so two extrapolations leave h³.
void Comparer::judge_impulses() {
  const bool wanted = options_.methods.empty() ||
                      std::find(options_.methods.begin(), options_.methods.end(), "impulses") != options_.methods.end();
  if (!wanted) return check("impulses", false, true, "not asked for");
  MethodResult result;
  result.name = "impulses";
  Model model = with(model_, "impulses", "all");
  model.simulation.integrator.clear();
  result.cut = model.simulation.cut;
  result.refused = obstacles(model, find_method("impulses"));
  if (!result.refused.empty()) {
    out_.methods.push_back(std::move(result));
    return check("impulses", false, true, "impulses cannot solve the model");
  }
  // Exact in each step: what is judged is the step, not the number of sweeps.
  model.simulation.impulses.iterations = std::max(model.simulation.impulses.iterations, 2000);
  std::vector<Trajectory> runs;
  for (int parts = 4; parts <= 16; parts *= 2) {
    say(fmt::format("impulses, step {:.3g} s", model.simulation.step / parts));
    runs.push_back(follow(model, parts));
    if (runs.back().failed) result.failed = runs.back().reason;
  }
  if (result.failed.empty()) {
    // A large error of order one is no longer proportional to h: it is judged up to where it is a tenth.
    double until = std::max(0.05 * duration_, interval_);
    for (std::size_t k = 0; k < std::min(finest_.rows.size(), runs[0].rows.size()); ++k)
      if (difference(model_, finest_.rows[k], runs[0].rows[k]).size() <= 0.1)
        until = std::max(until, finest_.rows[k].t);
      else if (finest_.rows[k].t > until)
        break;
    const double e0 = difference(model_, finest_, runs[0], 0.0, until).size();
    const double e1 = difference(model_, finest_, runs[1], 0.0, until).size();
    const double e2 = difference(model_, finest_, runs[2], 0.0, until).size();
    Trajectory limit = runs[2];
    for (std::size_t k = 0; k < limit.rows.size(); ++k) {
      State& x = limit.rows[k];
      const auto extrapolate = [&](auto part) {
        part(x) = (8.0 * part(runs[2].rows[k]) - 6.0 * part(runs[1].rows[k]) + part(runs[0].rows[k])) / 3.0;
      };
      extrapolate([](auto& s) -> auto& { return s.q; });
      extrapolate([](auto& s) -> auto& { return s.v; });
      normalise_quaternions(model_, x.q);
    }
    result.order = order_of(e1, e2);
    // Its own tolerance: a tenth of what its first order leaves at the shortest step.
    result.tolerance = options_.tolerance + 0.1 * e2;
    result.difference = difference(model_, finest_, limit, result.tolerance, until);
    const bool exact = e0 <= options_.tolerance;
    result.agrees =
        result.difference.size() <= result.tolerance && (exact || (result.order > 0.7 && result.order < 1.5));
  }
  const Trajectory& last = runs.front();
  result.energy_drift = last.health.relative_balance();
  result.constraint_drift = last.health.before.position;
  result.velocity_drift = last.health.before.velocity;
  result.steps_per_second = last.seconds > 0.0 ? static_cast<double>(last.health.steps) / last.seconds : 0.0;
  check("impulses", true, result.agrees,
        result.failed.empty()
            ? fmt::format("order {:.2f}; extrapolated to h = 0 it is {:.2e} from the rest (its tolerance {:.1e})",
                          result.order, result.difference.size(), result.tolerance)
            : result.failed);
  if (!result.agrees && result.failed.empty() && parted_in_.empty()) {
    parting_ = result.difference;
    parted_in_ = "impulses";
  }
  out_.methods.push_back(std::move(result));
}

void Comparer::check_rows_by_duals() {
  if (exact_.rows == 0) return check("rows", false, true, "there are no rows");
  for (std::size_t k = 0; k < 10 && row_faults_.empty(); ++k)
    row_faults_ = check_rows(exact_, coarse_.rows[k * (coarse_.rows.size() - 1) / 9]);
  check("rows", true, row_faults_.empty(),
        row_faults_.empty() ? "J and b equal to dual numbers at ten states"
                            : fmt::format("{}: {} (off by {:.1e})", row_faults_.front().block, row_faults_.front().what,
                                          row_faults_.front().error));
}

// The most specific explanation first.
std::string Comparer::find_cause() const {
  if (!row_faults_.empty()) return "bias";
  if (has_soft_) return "soft";
  if (coarse_.health.rank_changed >= 0.0 || finest_.health.rank_changed >= 0.0) return "rank";
  for (const MethodResult& method : out_.methods)
    if (!method.failed.empty()) return "failure";
  if (!refined_) return "step";
  return "unknown";
}

void Comparer::conclude() {
  out_.agree = !out_.methods.empty() && out_.cause.empty();
  for (const MethodResult& method : out_.methods) out_.agree = out_.agree && (method.agrees || !method.refused.empty());
  for (const Check& each : out_.checks) out_.agree = out_.agree && (each.passed || !each.asked);
  if (out_.agree) {
    out_.verdict = fmt::format("agree to {:.1e}", options_.tolerance);
    if (out_.chaotic)
      out_.verdict +=
          fmt::format(" up to t = {:.4g} s: the model is chaotic, beyond that rounding errors grow past the tolerance",
                      out_.horizon);
    return;
  }
  if (!out_.cause.empty()) return;  // told already
  out_.cause = find_cause();
  std::string where = "the methods agree with each other";
  if (!parted_in_.empty())
    where = fmt::format("part at t = {:.6g} s in body \"{}\" by {:.2e}, first seen in {}", parting_.t,
                        parting_.body >= 0 ? exact_.bodies[static_cast<std::size_t>(parting_.body)].name : "",
                        parting_.there, parted_in_);
  std::string because;
  if (out_.cause == "bias") {
    because = fmt::format("{}: {}", row_faults_.front().block, row_faults_.front().what);
  } else if (out_.cause == "soft") {
    std::vector<std::string> soft;
    for (const ModelConstraint& constraint : model_.constraints)
      if (constraint.soft) soft.push_back(fmt::format("\"{}\"", constraint.name));
    because = fmt::format("constraint {} is soft: it gives way in impulses, the other methods hold it exactly",
                          fmt::join(soft, ", "));
  } else if (out_.cause == "rank") {
    const double t = coarse_.health.rank_changed >= 0.0 ? coarse_.health.rank_changed : finest_.health.rank_changed;
    because = fmt::format(
        "the rows lose rank at t = {:.6g} s (between {} and {} are independent): there the constraints leave more than "
        "one way to go on",
        t, std::min(coarse_.health.least_rank, finest_.health.least_rank),
        std::max(coarse_.health.most_rank, finest_.health.most_rank));
  } else if (out_.cause == "failure") {
    for (const MethodResult& method : out_.methods)
      if (!method.failed.empty() && because.empty())
        because = fmt::format("{} broke off {}", method.name, method.failed);
  } else if (out_.cause == "step") {
    because = fmt::format(
        "the step is too long: at {:.3g} s its error is still {:.1e}, and the tolerance needs {:.0e}; use a smaller "
        "step",
        out_.step, out_.richardson, 0.1 * options_.tolerance);
  } else {
    for (const Check& each : out_.checks)
      if (each.asked && !each.passed && because.empty()) because = fmt::format("{}: {}", each.name, each.detail);
    if (because.empty()) because = "no check tells";
  }
  out_.verdict = fmt::format("{}, because {}", where, because);
}

Comparison compare(const Model& model, const CompareOptions& options) { return Comparer(model, options).run(); }

}  // namespace tandem
