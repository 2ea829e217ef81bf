// Semi-implicit (symplectic) Euler, order one: velocities first, then positions with the new velocities.
//
//   (1)  v₁ = v₀ + h v̇(t₀, q₀, v₀)
//   (2)  q₁ = q₀ + h N(q₀) v₁
// The method impulses has this step in its own form (impulse_step.hpp).
#pragma once

#include "tandem/integrate/integrator.hpp"

namespace tandem {

class SemiImplicitEuler final : public Integrator {
 public:
  void step(System& system, double h, State& state) override {
    begin(state, h);
    system.rate(start_, first_);
    const Eigen::Index nq = state.parts.q.size, others = state.x.size() - nq;
    state.x.tail(others) += h * first_.tail(others);  // (1), and what else is in x
    q_dot_.resize(nq);
    system.coordinate_rate(state, q_dot_);
    state.q() += h * q_dot_;  // (2)
    state.t = start_.t + h;
    end(system, state);
  }

 private:
  Eigen::VectorXd q_dot_;
};

}  // namespace tandem
