// The classical Runge-Kutta method of order four on (q, v), fixed step.
//
//   (1)  q̇ = N(q) v,  v̇ = y(t, q, v)
//   (2)  x₁ = x₀ + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄);  quaternions are normalised at the end of the step
// q and v are those of the coordinates in use.
#pragma once

#include "tandem/dynamics/coordinates.hpp"

namespace tandem {

class RungeKutta4 {
 public:
  // `acceleration(state, v_dot)` writes v̇ at a state.
  template <class Acceleration>
  void step(const Model& model, const Coordinates& coordinates, double h, State& state, Acceleration&& acceleration) {
    start_ = state;
    stage_ = state;
    sum_q_.setZero(state.q.size());
    sum_v_.setZero(state.v.size());
    q_dot_.resize(state.q.size());
    constexpr double at[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    for (int k = 0; k < 4; ++k) {
      if (k > 0) {
        stage_.t = start_.t + at[k] * h;
        stage_.q = start_.q + at[k] * h * q_dot_;
        stage_.v = start_.v + at[k] * h * v_dot_;
      }
      coordinates.rate(model, stage_, q_dot_);  // (1)
      acceleration(stage_, v_dot_);
      sum_q_ += weight[k] * q_dot_;
      sum_v_ += weight[k] * v_dot_;
    }
    state.t = start_.t + h;
    state.q = start_.q + h / 6.0 * sum_q_;  // (2)
    state.v = start_.v + h / 6.0 * sum_v_;
    coordinates.settle(model, state);
  }

 private:
  State start_, stage_;
  Eigen::VectorXd q_dot_, v_dot_, sum_q_, sum_v_;
};

}  // namespace tandem
