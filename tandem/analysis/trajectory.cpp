#include "tandem/analysis/trajectory.hpp"

#include <chrono>

namespace tandem {

Trajectory follow(const Model& model, int parts, double duration, double interval, const State* start,
                  std::shared_ptr<const TimePlan> time) {
  Model finer = model;
  finer.simulation.step = model.simulation.step / parts;
  Trajectory out;
  out.step = finer.simulation.step;
  const auto clock = std::chrono::steady_clock::now();
  try {
    Simulation simulation(finer);
    if (start) simulation.set_bodies(*start);
    Run run(finer, simulation,
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

namespace {

struct BodyDifference {
  double pose = 0.0, speed = 0.0;
};

BodyDifference body_difference(const Body& body, double L, double T, const State& a, const State& b) {
  BodyDifference out;
  const auto position = [&](const State& s) { return s.q.segment<3>(body.q_first + body.nq() - 3); };
  const auto velocity = [&](const State& s) { return s.v.segment<3>(body.v_first + body.nv() - 3); };
  out.pose = (position(a) - position(b)).norm() / L;
  out.speed = (velocity(a) - velocity(b)).norm() / (L / T + velocity(a).norm());
  if (body.point_mass) return out;
  const Vec4<double> qa = a.q.segment<4>(body.q_first), qb = b.q.segment<4>(body.q_first);
  const Vec4<double> apart = qa.dot(qb) < 0.0 ? Vec4<double>(qa + qb) : Vec4<double>(qa - qb);
  keep_larger(out.pose, 4.0 * std::asin(std::min(1.0, 0.5 * apart.norm())));  // (1)
  const auto wa = a.v.segment<3>(body.v_first), wb = b.v.segment<3>(body.v_first);
  keep_larger(out.speed, (wa - wb).norm() / (1.0 / T + wa.norm()));  // (2)
  return out;
}

}  // namespace

Difference difference(const Model& model, const State& a, const State& b) {
  Difference out;
  out.t = a.t;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyDifference here = body_difference(model.bodies[i], model.scale.of_body[i], model.scale.time, a, b);
    double most = here.pose;
    keep_larger(most, here.speed);
    if (!(most <= out.there) && !std::isnan(out.there)) {
      out.there = most;
      out.body = static_cast<int>(i);
    }
    keep_larger(out.pose, here.pose);
    keep_larger(out.speed, here.speed);
  }
  return out;
}

Difference difference(const Model& model, const Trajectory& a, const Trajectory& b, double tolerance, double until,
                      const std::vector<char>& left_out) {
  Difference most;
  bool beyond = false;
  for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k) {
    // The last row of a run that broke off is of a moment of its own.
    if (a.rows[k].t > until || std::abs(a.rows[k].t - b.rows[k].t) > 0.5 * std::min(a.step, b.step)) break;
    if (k < left_out.size() && left_out[k]) continue;
    const Difference here = difference(model, a.rows[k], b.rows[k]);
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
