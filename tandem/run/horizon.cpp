#include "tandem/run/horizon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/observe/difference.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

State state_beside(const Model& model, const State& bodies, double distance) {
  State out = bodies;
  Eigen::VectorXd delta(bodies.v().size());
  for (std::size_t index = 0; index < model.bodies.size(); ++index) {
    const Body& body = model.bodies[index];
    for (int i = body.v_first; i < body.v_first + body.nv(); ++i)
      delta[i] = (i < body.v_first + body.nv() - 3 ? 1.0 : model.scale.of_body[index]) * distance *
                 sin(2.0 + 5.1 * static_cast<double>(i));
  }
  retract(model, delta, out.q());
  out.v() += delta / model.scale.time;
  Workspace workspace(model);
  Projection projection;
  workspace.update(model, bodies);
  projection.project_positions(model, out, workspace);
  projection.project_velocities(model, out, workspace);
  return out;
}

std::string HorizonRecord::sentence() const {
  std::string text = fmt::format("a small error grows {:.1e} times up to t = {:.6g} s, so {:.0f} of 15 digits last",
                                 pow(10.0, std::min(growth, 300.0)), end, std::floor(digits));
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (until[i] >= 0.0)
      text += counted[i] == 0 ? fmt::format(", and none beyond t = {:.4g} s", until[i])
                              : fmt::format("{} {} until t = {:.4g} s", i == 0 ? ";" : ",", counted[i], until[i]);
  return text;
}

Horizon::Horizon(const Model& model, Simulation& run)
    : model_(model), twin_(std::make_unique<Simulation>(model, run.setup(), StartOptions{.assemble = true})) {
  record_.end = run.state().t;
  record_.digits = tolerances::digits_at_start;
  try {
    const State beside = state_beside(model, run.bodies(), tolerances::twin_distance);
    from_ = difference(model, run.bodies(), beside).size();
    over_ = !(from_ > 0.0);  // nothing can move
    twin_->set_bodies(beside);
  } catch (const NumericalError&) {
    over_ = true;
  }
}
Horizon::~Horizon() = default;

void Horizon::follow(Simulation& run) {
  const double t = run.state().t;
  if (over_ || !(t > record_.end)) return;
  try {
    while (twin_->state().t < t) twin_->advance(t);
  } catch (const NumericalError&) {
    over_ = true;
    return;
  }
  const double apart = difference(model_, run.bodies(), twin_->bodies()).size();
  over_ = !std::isfinite(apart);
  if (over_) return;
  record_.end = t;
  if (apart > 0.0) record_.growth = std::max(record_.growth, grown_ + log(apart / from_) / std::numbers::ln10);  // (1)
  count(t);
  if (apart > tolerances::twin_far) bring_back(run.bodies(), apart);
}

void Horizon::count(double t) {
  const double left = tolerances::digits_at_start - record_.growth;  // (3)
  record_.digits = std::max(0.0, left);
  for (std::size_t i = 0; i < HorizonRecord::counted.size(); ++i)
    if (record_.until[i] < 0.0 && left < HorizonRecord::counted[i]) record_.until[i] = t;
}

void Horizon::bring_back(const State& run, double apart) {  // (2)
  State twin = twin_->bodies();
  const double share = tolerances::twin_distance / apart;
  for (const Body& body : model_.bodies) {
    auto q = twin.q().segment(body.q_first, body.nq());
    const auto from = run.q().segment(body.q_first, body.nq());
    // q and −q are one rotation.
    if (!body.point_mass && q.head<4>().dot(from.head<4>()) < 0.0) q.head<4>() *= -1.0;
    q = from + share * (q - from);
  }
  twin.v() = run.v() + share * (twin.v() - run.v());
  normalise_quaternions(model_, twin.q());
  grown_ += log(apart / from_) / std::numbers::ln10;
  from_ = difference(model_, run, twin).size();
  over_ = !(from_ > 0.0);
  if (!over_) twin_->set_bodies(twin);
}

}  // namespace tandem
