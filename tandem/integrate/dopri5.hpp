// Dormand and Prince, order five with an estimate of order four, adaptive.
//
//   (1)  dense output of order four:  x(θ) = x₀ + h Σ b_i(θ) k_i,   b_i(θ) = Σ_k P_ik θ^k
// Source: Dormand and Prince (1980); P of Shampine, Some practical Runge-Kutta formulas (1986).
#pragma once

#include "tandem/integrate/runge_kutta.hpp"

namespace tandem {

class Dopri5 final : public RungeKutta {
 public:
  Dopri5() : RungeKutta(table()) {}
  void interpolate(System& system, const State& end, double t, State& out) override;
  static const Tableau& table();
};

}  // namespace tandem
