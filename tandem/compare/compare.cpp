#include "tandem/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/tolerances.hpp"
#include "tandem/compare/comparer.hpp"

namespace tandem {

Setup comparable(const Setup& asked, double duration) {
  Setup out = completed(asked);
  if (find_integrator(out.integrator).adaptive || out.by_impulses()) out.integrator = IntegratorName::rk4;
  out.stabilisation = Stabilisation::projection;
  if (duration > 0.0) out.duration = duration;
  out.step = std::min(out.step, out.duration);
  return out;
}

Setup with(const Setup& setup, Choice<MethodName> method, Choice<Cut> cut, Choice<CoordinatesName> coordinates) {
  Setup out = setup;
  out.method = method;
  out.cut = cut;
  out.coordinates = coordinates;
  if (out.by_impulses()) out.integrator = IntegratorName::automatic;
  return out;
}

Comparer::Comparer(const Model& model, const Setup& setup, const CompareOptions& options)
    : options_(options), model_(model), setup_(comparable(setup, options.duration)) {
  model_.stops.clear();
  const Setup asked = completed(setup);
  if (find_integrator(asked.integrator).adaptive) error_control_ = asked.integrator;
  order_ = find_integrator(setup_.integrator).order;
  duration_ = setup_.duration;
  // Equal steps to the end: a shorter last one would spoil every extrapolation in h.
  const double steps = std::max(1.0, std::ceil(duration_ / setup_.step - 1e-9));
  if (std::abs(steps * setup_.step - duration_) > 1e-9 * setup_.step) setup_.step = duration_ / steps;
  choose_interval();
  const double start = start_state(model_).t;
  time_ = std::make_shared<const TimePlan>(model_, start, start + duration_, TimePlan::Depth::peaks);
  exact_ = model_;
  for (ModelConstraint& constraint : exact_.constraints) {
    has_soft_ = has_soft_ || constraint.soft;
    constraint.soft.reset();
  }
  reference_ = with(setup_, MethodName::lagrange, Cut::all);
  out_.tolerance = options.tolerance;
  out_.duration = out_.horizon = duration_;
  out_.step = setup_.step;
}

Comparison Comparer::run() {
  if (find_reference() && find_horizon()) {
    refine();
    check_time();
    compare_methods();
    cross_cuts();
    check_energy();
    check_residuals();
    judge_impulses();
    check_rows_by_duals();
    check_contacts_by_geometry();
  }
  conclude();
  return std::move(out_);
}

void Comparer::compare_methods() {
  for (const MethodInfo& info : all_methods()) {
    if (is_wanted(info.name) && info.id != MethodName::impulses) compare_method(info);
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
  const Setup setup = with(setup_, info.id, result.cut);
  result.refused = obstacles(exact_, setup);
  if (!result.refused.empty()) {
    out_.methods.push_back(std::move(result));
    return;
  }
  say(info.name);
  std::map<int, Trajectory> runs;
  for (const int parts : {1, 2, 4}) {
    if (!by_error_control_ || parts <= parts_)
      runs[parts] = info.id == MethodName::lagrange ? lagrange_at(setup.cut, parts) : follow(setup, parts);
  }
  const Trajectory& a = runs[1];
  result.failed = a.failed ? a.reason : "";
  result.energy_drift = a.health.relative_balance();
  result.constraint_drift = a.health.before.position;
  result.velocity_drift = a.health.before.velocity;
  result.steps_per_second = a.seconds > 0.0 ? static_cast<double>(a.health.steps) / a.seconds : 0.0;
  if (!by_error_control_) {
    const double first = apart(a, runs[2], 0.0).size(), second = apart(runs[2], runs[4], 0.0).size();
    result.order = second > 1e-11 ? order_of(first, second) : 0.0;
  }
  halve_until_they_agree(info, result, runs);
  if (!result.agrees && result.failed.empty()) note_parting(result.difference, result.name);
  out_.methods.push_back(std::move(result));
}

// Off the constraints redundant rows differ, so that methods differ by the error of the step where they treat such rows
// in another way: that difference falls with the order of the integrator.
void Comparer::halve_until_they_agree(const MethodInfo& info, MethodResult& result, std::map<int, Trajectory>& runs) {
  const Setup setup = with(setup_, info.id, result.cut);
  double at_models_step = 0.0, before = 0.0;
  // With error control methods take steps of their own: they are compared where the error of these is small enough.
  for (int parts = by_error_control_ ? parts_ : 1, halvings = 0;; parts *= 2, ++halvings) {
    if (!runs.contains(parts)) runs[parts] = follow(setup, parts);
    const Trajectory& own = runs[parts];
    const Trajectory& other = lagrange_at(setup.cut, parts);
    const Difference here = apart(other, own, result.tolerance, &result.samples);
    const bool whole = !own.failed && own.end() > duration_ - 0.5 * own.step;
    result.step = own.step;
    if (halvings == 0) at_models_step = here.size();
    const double fallen = halvings > 0 ? order_of(at_models_step, here.size()) / halvings : 0.0;
    // On average, or in the last halving: the model's own step may be a long one.
    const double falls = halvings > 0 ? std::max(fallen, order_of(before, here.size())) : 0.0;
    const bool is_the_steps = halvings == 0 || falls >= order_ - tolerances::order_of_fall;
    before = here.size();
    result.difference = here;
    result.agrees = whole && here.size() <= result.tolerance && is_the_steps;
    if (result.agrees && halvings > 0)
      result.note = fmt::format(
          "{:.1e} from lagrange at a step of {:.3g} s, {:.1e} at {:.3g} s: it falls with order {:.1f}, so it is the "
          "error of the step",
          at_models_step, runs[1].step, here.size(), own.step, falls);
    if (result.agrees || !whole || (halvings >= 2 && !is_the_steps)) return;
    if (by_error_control_ || halvings >= options_.most_halvings || is_too_fine(2 * parts)) return;
  }
}

Comparison compare(const Model& model, const Setup& setup, const CompareOptions& options) {
  return Comparer(model, setup, options).run();
}

Comparison compare(const Model& model, const CompareOptions& options) { return compare(model, model.setup, options); }

}  // namespace tandem
