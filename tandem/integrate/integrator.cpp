#include "tandem/integrate/integrator.hpp"

#include <stdexcept>

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/integrate/dop853.hpp"
#include "tandem/integrate/dopri5.hpp"
#include "tandem/integrate/euler.hpp"
#include "tandem/integrate/flow.hpp"
#include "tandem/integrate/herk.hpp"
#include "tandem/integrate/implicit.hpp"
#include "tandem/integrate/rk4.hpp"
#include "tandem/integrate/semi_implicit_euler.hpp"

namespace tandem {

void Integrator::begin(const State& state, double h) {
  start_ = state;
  h_ = h;
  has_last_ = false;
}

void Integrator::end(System& system, State& state) {
  quaternion_error_ = system.settle(state);
  finish_ = state;
  system_ = &system;
  has_projected_ = false;
}

double Integrator::scaled(double tolerance, Eigen::VectorXd& error) {
  if (Flow& flow = system_->equations(); flow.projects_stages()) {  // (3)
    if (!has_projected_) {
      projected_ = finish_;
      flow.bring_onto_constraints(projected_);
      has_projected_ = true;
    }
    flow.keep_along_constraints(projected_, error);
  }
  const double of_x = std::max(tolerance, tolerances::step_round_off);
  const double of_scale = std::max(tolerance * tolerances::size_share, tolerances::size_round_off);
  const Eigen::VectorXd &scale = system_->layout().error_scale, &from = start_.x, &to = finish_.x;
  double most = 0.0;
  for (Eigen::Index i = 0; i < error.size(); ++i)  // (2)
    if (scale[i] > 0.0)
      keep_larger(most,
                  std::abs(error[i]) / (of_scale * scale[i] + of_x * std::max(std::abs(from[i]), std::abs(to[i]))));
  return most;
}

void Integrator::interpolate(System& system, const State& end, double t, State& out) {
  if (!has_last_) {
    if (!knows_first_) system.rate(start_, first_);
    State last = end;
    last.t = start_.t + h_;  // on this side of a jump
    system.rate(last, last_);
  }
  has_last_ = true;
  const double x = (t - start_.t) / h_;
  const double of_end = x * x * (3.0 - 2.0 * x);  // (1)
  const double of_first = h_ * x * (1.0 - x) * (1.0 - x), of_last = -h_ * x * x * (1.0 - x);
  out = start_;
  out.t = t;
  out.x += of_end * (end.x - start_.x);
  out.x += of_first * first_;
  out.x += of_last * last_;
  system.settle(out);
}

template <class Kind> static std::unique_ptr<Integrator> make(StepMemory& memory) {
  if constexpr (std::is_constructible_v<Kind, StepMemory&>)
    return std::make_unique<Kind>(memory);
  else
    return std::make_unique<Kind>();
}

const std::vector<IntegratorInfo>& all_integrators() {
  static const std::vector<IntegratorInfo> all{
      {IntegratorName::rk4, "rk4", "classical Runge-Kutta, order 4, fixed step", 4, false, make<RungeKutta4>},
      {IntegratorName::dopri5, "dopri5", "Dormand-Prince, order 5, adaptive", 5, true, make<Dopri5>},
      {IntegratorName::dop853, "dop853", "Dormand-Prince, order 8, adaptive: for high accuracy", 8, true, make<Dop853>},
      {IntegratorName::herk, "herk",
       "half-explicit Runge-Kutta on velocity level, order 4, fixed step; never uses the bias", 4, false,
       make<HalfExplicit>},
      {IntegratorName::implicit, "implicit",
       "implicit Runge-Kutta, order 4, fixed step, L-stable: for stiff springs and dampers", 4, false, make<Implicit>},
      {IntegratorName::semi_implicit_euler, "semi_implicit_euler", "order 1, fixed step; what impulses uses", 1, false,
       make<SemiImplicitEuler>},
      {IntegratorName::euler, "euler", "explicit Euler, order 1, fixed step: to learn from", 1, false, make<Euler>},
  };
  return all;
}

const IntegratorInfo& find_integrator(IntegratorName name) {
  for (const IntegratorInfo& each : all_integrators())
    if (each.id == name) return each;
  throw std::invalid_argument("an integrator that is left open has no properties");
}

const IntegratorInfo& find_integrator(std::string_view name) { return find_integrator(Choice<IntegratorName>(name)); }

}  // namespace tandem
