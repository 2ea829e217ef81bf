#include "tandem/analysis/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tandem/analysis/comparer.hpp"

namespace tandem {

static constexpr double round_off = 1e-14;

Model with(const Model& model, const std::string& method, const std::string& cut, const std::string& coordinates) {
  Model out = model;
  out.simulation.method = method;
  out.simulation.cut = cut;
  out.simulation.coordinates = coordinates;
  return out;
}

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
  // Equal steps to the end: a shorter last one would spoil every extrapolation in h.
  const double steps = std::max(1.0, std::ceil(duration_ / simulation.step - 1e-9));
  if (std::abs(steps * simulation.step - duration_) > 1e-9 * simulation.step) simulation.step = duration_ / steps;
  choose_interval();
  const double start = start_state(model_).t;
  time_ = std::make_shared<const TimePlan>(model_, start, start + duration_, TimePlan::Depth::peaks);
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

// About two hundred rows.
void Comparer::choose_interval() {
  const double h = model_.simulation.step;
  interval_ = h * std::max(1.0, std::floor(std::round(duration_ / h) / 200.0));
}

Comparison Comparer::run() {
  if (find_reference()) {
    find_horizon();
    compare_methods();
    refine();
    check_time();
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
  const std::vector<std::string> refused = obstacles(reference_, find_method("lagrange"));
  if (!refused.empty()) {
    out_.cause = "refused";
    out_.verdict = fmt::format("nothing to compare with, because {}", fmt::join(refused, "; "));
    return false;
  }
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

// The twin starts 1e-7 beside the start, on the constraints. Rounding errors grow as it does; up to the horizon they
// stay below a tenth of the tolerance.
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
  const double from = difference(reference_, coarse_.rows.front(), start).size();
  if (!(from > 0.0)) return;
  const auto is_beyond = [&](double apart) {
    const double growth = apart / from;
    return growth * round_off > 0.1 * options_.tolerance || growth * beside >= 0.5;
  };
  for (;;) {
    const Trajectory twin = follow(reference_, 1, &start);
    const std::size_t rows = std::min(twin.rows.size(), coarse_.rows.size());
    std::size_t k = 0;
    while (k < rows && !is_beyond(difference(reference_, coarse_.rows[k], twin.rows[k]).size())) ++k;
    if (k == rows) return;
    k = std::max<std::size_t>(k, 1);
    out_.chaotic = true;
    const bool is_fine = interval_ <= 1.5 * model_.simulation.step;
    // Within the first rows of a long run: look closer.
    duration_ = coarse_.rows[k > 10 || is_fine ? std::max<std::size_t>(k, 2) - 1 : k].t;
    out_.horizon = duration_;
    if (k <= 10 && !is_fine) choose_interval();
    coarse_ = follow(reference_, 1);
    fine_ = follow(reference_, 2);
    if (k > 10 || is_fine) return;
  }
}

void Comparer::compare_methods() {
  for (const MethodInfo& info : all_methods()) {
    if (is_wanted(info.name) && info.name != "impulses") compare_method(info);
  }
}

bool Comparer::is_wanted(const std::string& method) const {
  const auto& list = options_.methods;
  return list.empty() || std::find(list.begin(), list.end(), method) != list.end();
}

void Comparer::note_parting(const Difference& difference, const std::string& in) {
  if (!parted_in_.empty()) return;
  parting_ = difference;
  parted_in_ = in;
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
  if (!result.agrees && result.failed.empty()) note_parting(result.difference, result.name);
  out_.methods.push_back(std::move(result));
}

Comparison compare(const Model& model, const CompareOptions& options) { return Comparer(model, options).run(); }

}  // namespace tandem
