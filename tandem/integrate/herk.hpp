// Half-explicit Runge-Kutta for the index-2 form, order four: the rows are met at velocity level in every stage.
//
//   (1)  q_i = q₀ + h Σ_{j<i} a_ij N(q_j) v_j,   v_i = v₀ + h Σ_{j<i} a_ij y_j
//   (2)  M y_j − Jᵀλ_j = f at stage j, with λ_j such that  J v + φ_t = 0  at stage j + 1 (flow.hpp (4));
//        the last stage is the end of the step, with b in place of a
// The bias b of the rows is never used, so that it checks that of the other integrators. Swimmers are integrated so.
// Source: Brasey and Hairer, Half-explicit Runge-Kutta methods for differential-algebraic systems of index 2 (1993),
// their HEM4.
#pragma once

#include "tandem/integrate/integrator.hpp"

namespace tandem {

class HalfExplicit final : public Integrator {
 public:
  void step(System& system, double h, State& state) override;

 private:
  std::vector<Eigen::VectorXd> k_;
  State stage_, next_;
};

}  // namespace tandem
