#include "tandem/compare/trajectory.hpp"

#include <chrono>

#include "tandem/base/elementary.hpp"

namespace tandem {

Trajectory follow(const Model& model, const Setup& setup, int parts, double duration, double interval,
                  const State* start, std::shared_ptr<const TimePlan> time) {
  Setup finer = setup;
  finer.step = setup.step / parts;
  Trajectory out;
  out.step = finer.step;
  out.tolerance = finer.tolerance;
  const auto clock = std::chrono::steady_clock::now();
  try {
    Simulation simulation(model, finer);
    out.adaptive = find_integrator(simulation.setup().integrator).adaptive;
    if (start) simulation.set_bodies(*start);
    Run run(model, simulation,
            {.duration = duration,
             .interval = interval,
             .time = std::move(time),
             .on_row = [&](Simulation& at, const HealthRow&) { out.rows.push_back(at.bodies()); }});
    while (run.advance()) {
    }
    out.failed = run.status() == RunStatus::failed;
    out.reason = run.reason();
    out.health = run.health();
  } catch (const NumericalError& error) {
    out.failed = true;
    out.reason = error.what();
  }
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - clock).count();
  return out;
}

Trajectory extrapolated(const Model& model, const Trajectory& coarse, const Trajectory& fine, int order) {
  Trajectory out = fine;
  const double share = 1.0 / (pow(2.0, order) - 1.0);
  for (std::size_t k = 0; k < std::min(coarse.rows.size(), fine.rows.size()); ++k) {
    State& row = out.rows[k];
    row.q() += share * (fine.rows[k].q() - coarse.rows[k].q());
    row.v() += share * (fine.rows[k].v() - coarse.rows[k].v());
    normalise_quaternions(model, row.q());
  }
  return out;
}

Difference difference(const Model& model, const Trajectory& a, const Trajectory& b, double tolerance, double until,
                      const std::vector<char>& left_out, std::vector<ComparedSample>* samples) {
  Difference most;
  if (samples) samples->clear();
  bool beyond = false;
  Fastest fastest;
  for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k) {
    // The last row of a run that broke off is of a moment of its own.
    if (a.rows[k].t > until || std::abs(a.rows[k].t - b.rows[k].t) > 0.5 * std::min(a.step, b.step)) break;
    fastest.see(model, a.rows[k]);
    if (k < left_out.size() && left_out[k]) continue;
    const Difference here = difference(model, a.rows[k], b.rows[k], fastest);
    if (samples) samples->push_back({a.rows[k], b.rows[k], here});
    if (!beyond && !(here.there <= most.there)) {
      most.t = here.t;
      most.body = here.body;
      most.there = here.there;
      beyond = !(here.there <= tolerance);
    }
    keep_larger(most.pose, here.pose);
    keep_larger(most.speed, here.speed);
  }
  return most;
}

}  // namespace tandem
