#include "tandem/integrate/integrator.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/larger.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/integrate/dop853.hpp"
#include "tandem/integrate/dopri5.hpp"
#include "tandem/integrate/euler.hpp"
#include "tandem/integrate/herk.hpp"
#include "tandem/integrate/implicit.hpp"
#include "tandem/integrate/rk4.hpp"
#include "tandem/integrate/semi_implicit_euler.hpp"

namespace tandem {

void add(Work& work, double w, const Work& power) {
  work.dampers += w * power.dampers;
  work.drives += w * power.drives;
  work.forces += w * power.forces;
}

void add(State& state, double w, const Rate& rate) {
  state.q += w * rate.q;
  state.v += w * rate.v;
  add(state.work, w, rate.work);
}

void Integrator::begin(const State& state, double h) {
  start_ = state;
  h_ = h;
  has_last_ = false;
}

void Integrator::end(Flow& flow, State& state) {
  quaternion_error_ = flow.coordinates().settle(flow.model(), state);
  finish_ = state;
  q_size_ = &flow.q_size();
  v_size_ = &flow.v_size();
}

double Integrator::scaled(double tolerance, const Eigen::VectorXd& error_q, const Eigen::VectorXd& error_v) const {
  const double of_x = std::max(tolerance, tolerances::step_round_off);
  const double of_size = std::max(tolerance * tolerances::size_share, tolerances::size_round_off);
  double most = 0.0;  // (2)
  const auto measure = [&](const Eigen::VectorXd& error, const Eigen::VectorXd& from, const Eigen::VectorXd& to,
                           const Eigen::VectorXd& size) {
    for (Eigen::Index i = 0; i < error.size(); ++i) {
      keep_larger(most, std::abs(error[i]) / (of_size * size[i] + of_x * std::max(std::abs(from[i]), std::abs(to[i]))));
    }
  };
  measure(error_q, start_.q, finish_.q, *q_size_);
  measure(error_v, start_.v, finish_.v, *v_size_);
  return most;
}

void Integrator::interpolate(Flow& flow, const State& end, double t, State& out) {
  if (!has_last_) {
    if (!knows_first_) flow.rate(start_, first_);
    State last = end;
    last.t = start_.t + h_;  // on this side of a jump
    flow.rate(last, last_);
  }
  has_last_ = true;
  const double x = (t - start_.t) / h_;
  const double of_end = x * x * (3.0 - 2.0 * x);  // (1)
  const double of_first = h_ * x * (1.0 - x) * (1.0 - x), of_last = -h_ * x * x * (1.0 - x);
  out = start_;
  out.t = t;
  out.q += of_end * (end.q - start_.q);
  out.v += of_end * (end.v - start_.v);
  add(out.work, of_end, end.work);
  add(out.work, -of_end, start_.work);
  add(out, of_first, first_);
  add(out, of_last, last_);
  flow.coordinates().settle(flow.model(), out);
}

template <class Kind> static std::unique_ptr<Integrator> make() { return std::make_unique<Kind>(); }

const std::vector<IntegratorInfo>& all_integrators() {
  static const std::vector<IntegratorInfo> all{
      {"rk4", "classical Runge-Kutta, order 4, fixed step", 4, false, make<RungeKutta4>},
      {"dopri5", "Dormand-Prince, order 5, adaptive", 5, true, make<Dopri5>},
      {"dop853", "Dormand-Prince, order 8, adaptive: for high accuracy", 8, true, make<Dop853>},
      {"herk", "half-explicit Runge-Kutta on velocity level, order 4, fixed step; never uses the bias", 4, false,
       make<HalfExplicit>},
      {"implicit", "implicit Runge-Kutta, order 4, fixed step, L-stable: for stiff springs and dampers", 4, false,
       make<Implicit>},
      {"semi_implicit_euler", "order 1, fixed step; what impulses uses", 1, false, make<SemiImplicitEuler>},
      {"euler", "explicit Euler, order 1, fixed step: to learn from", 1, false, make<Euler>},
  };
  return all;
}

const IntegratorInfo& find_integrator(std::string_view name) {
  std::vector<std::string> names;
  for (const IntegratorInfo& each : all_integrators()) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  throw std::invalid_argument(
      fmt::format("there is no integrator \"{}\"; known are {}{}", name, list_of(names), did_you_mean(name, names)));
}

std::string integrator_of(const Model& model) {
  if (!model.simulation.integrator.empty()) return model.simulation.integrator;
  return model.simulation.method == "impulses" ? "semi_implicit_euler" : "rk4";
}

std::vector<std::string> integrator_obstacles(const Model& model) {
  std::vector<std::string> lines;
  const std::string name = integrator_of(model);
  if (model.simulation.method == "impulses" && name != "semi_implicit_euler")
    lines.push_back(
        fmt::format("the method impulses steps by semi_implicit_euler and has no accelerations for the "
                    "integrator {}; leave the integrator out, or take another method",
                    name));
  if (name == "herk" && model.simulation.stabilisation == "baumgarte")
    lines.emplace_back(
        "the integrator herk meets the rows at velocity level and has no accelerations of rows for Baumgarte to "
        "change; use the stabilisation projection or none");
  if (name == "implicit" && model.simulation.stabilisation == "baumgarte" &&
      model.simulation.coordinates == "quaternion")
    lines.emplace_back(
        "the integrator implicit does not know how Baumgarte changes the length of quaternions; use the stabilisation "
        "projection, or leave the coordinates at quasi");
  return lines;
}

static const Tableau* table_of(std::string_view name) {
  if (name == "rk4") return &RungeKutta4::table();
  if (name == "euler") return &Euler::table();
  if (name == "dopri5") return &Dopri5::table();
  if (name == "dop853") return &Dop853::table();
  return nullptr;
}

std::vector<std::string> integrator_warnings(const Model& model) {
  const SimulationDescription& simulation = model.simulation;
  if (find_integrator(integrator_of(model)).adaptive && simulation.tolerance < tolerances::step_round_off)
    return {fmt::format(
        "round-off is reached: no error of a step is known below {:.1e}, and the tolerance of {:g} is taken "
        "as that",
        tolerances::step_round_off, simulation.tolerance)};
  const Tableau* table = table_of(integrator_of(model));
  if (simulation.stabilisation != "baumgarte" || !table || find_integrator(integrator_of(model)).adaptive) return {};
  // Roots of s² + α s + β.
  const std::complex<double> root =
      std::sqrt(std::complex<double>(simulation.alpha * simulation.alpha / 4.0 - simulation.beta));
  for (const double sign : {-1.0, 1.0}) {
    const std::complex<double> s = -simulation.alpha / 2.0 + sign * root;
    if (std::abs(amplification(*table, simulation.step * s)) <= 1.0) continue;
    return {
        fmt::format("a step of {} s is too long for Baumgarte's alpha = {} and beta = {}: the constraints will blow "
                    "up. {} needs a smaller step or constants (h √β is {:.3g})",
                    simulation.step, simulation.alpha, simulation.beta, integrator_of(model),
                    simulation.step * std::sqrt(simulation.beta))};
  }
  return {};
}

}  // namespace tandem
