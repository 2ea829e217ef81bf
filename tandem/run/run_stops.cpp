// How a run finds the moment of its stops; the rest of run.hpp is in run.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/run/run.hpp"

namespace tandem {

// How many parts of a step are looked at. A fixed step is short beside the motion, or its numbers mean nothing. One
// with error control may hold a whole oscillation, of high order more than one.
static int parts_of_a_step(const Setup& setup) {
  const IntegratorInfo& integrator = find_integrator(setup.integrator);
  return integrator.adaptive && integrator.order > 5 ? 12 : integrator.adaptive ? 6 : 4;
}

// A step with error control may hold many samples: nothing that a sample would show is stepped over. So it is looked at
// in stretches of which no part is longer than a quarter of the time between samples.
static std::optional<Rise> rise_within(const OfMoment& of, const Moment& from, const Moment& to, const Setup& setup) {
  const int parts = parts_of_a_step(setup);
  const double h = to.t - from.t, stretch = 0.25 * parts * setup.step;
  const bool adaptive = find_integrator(setup.integrator).adaptive;
  const long stretches = adaptive ? std::max(1L, static_cast<long>(std::ceil(h / stretch - 1e-9))) : 1;
  Moment begin = from;
  for (long i = 1; i <= stretches; ++i) {
    Moment end = to;
    if (i < stretches) {
      end.t = from.t + h * static_cast<double>(i) / static_cast<double>(stretches);
      end.value = of(end.t);
    }
    if (const std::optional<Rise> rise = first_rise(of, begin, end, parts)) return rise;
    begin = end;
  }
  return std::nullopt;
}

bool Run::met_a_stop() {
  if (model_.stops.empty()) return false;
  const double from = simulation_.before(), to = simulation_.state().t, h = to - from;
  double earliest = to;
  const ModelStop* met = nullptr;
  for (std::size_t i = 0; i < model_.stops.size(); ++i) {
    const double before = margins_[i], now = stop_margin(model_, model_.stops[i], simulation_);
    const bool is_sure_below =
        !simulation_.is_adaptive() && now <= 0.0 && !may_rise(before - rates_[i] * h, before, now);
    margins_[i] = now;
    rates_[i] = (now - before) / h;
    if (is_sure_below) continue;
    const std::optional<double> t = locate(i, {from, before}, {to, now});
    if (t && (!met || *t < earliest)) {
      met = &model_.stops[i];
      earliest = *t;
    }
  }
  if (!met) return false;
  reason_ = fmt::format("{}: {}", met->name, met->when);
  if (earliest < to) simulation_.go_back(earliest);
  end(RunStatus::stopped);
  return true;
}

double Run::margin_at(const ModelStop& stop, double t) { return stop_margin(model_, stop, view(t)); }

// It is looked for on dense output as it is, which costs little; what is found is settled on the constraints.
std::optional<double> Run::locate(std::size_t index, const Moment& from, const Moment& to) {
  const ModelStop& stop = model_.stops[index];
  const auto glance = [&](double t) { return stop_margin(model_, stop, view(simulation_.glance(t))); };
  const auto exact = [&](double t) { return t == from.t ? from.value : t == to.t ? to.value : margin_at(stop, t); };
  std::optional<Rise> rise = rise_within(glance, from, to, simulation_.setup());
  if (!rise) return std::nullopt;
  const double seen = rise->above.value;
  rise->below.value = exact(rise->below.t);
  rise->above.value = exact(rise->above.t);
  if (!(rise->above.value > 0.0)) {
    Moment end = to;  // the part of the step after it, as long as the one before
    end.t = std::min(to.t, 2.0 * rise->above.t - rise->below.t);
    end.value = exact(end.t);
    rise->above = end.value > 0.0 ? end : find_largest(exact, rise->below, end);
    if (!(rise->above.value > 0.0)) {
      // Seen on dense output and not on the constraints: by more than digits, and the steps are too long to tell.
      if (seen > tolerances::stop_seen * std::max(std::abs(from.value), std::abs(to.value)))
        health_.note(HealthEvent::Kind::stop, static_cast<int>(index), from.t, to.t - from.t);
      return std::nullopt;
    }
  }
  return find_moment(exact, *rise).t;
}

}  // namespace tandem
