// Dormand and Prince, order eight, adaptive.
//
//   (1)  error = e₅²/√(e₅² + (e₃/10)²) from estimates of order five and three
//   (2)  dense output of order seven with three more stages:
//        x(θ) = x₀ + θ (F₁ + (1 − θ)(F₂ + θ (F₃ + (1 − θ)(F₄ + θ (F₅ + (1 − θ)(F₆ + θ F₇))))))
//        F₁ = x₁ − x₀,  F₂ = h k₁ − F₁,  F₃ = 2 F₁ − h (k₁ + k₁₃),  F₄…F₇ = h Σ d k
// Source: Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I (1993), section II.10.
#pragma once

#include "tandem/integrate/runge_kutta.hpp"

namespace tandem {

class Dop853 final : public RungeKutta {
 public:
  Dop853();
  void step(System& system, double h, State& state) override;
  void interpolate(System& system, const State& end, double t, State& out) override;
  static const Tableau& table();

 private:
  double combine(double fifth, double third) const override;
  void find_extra_stages(System& system);
  bool has_extra_ = false;
  std::vector<double> weights_;
};

}  // namespace tandem
