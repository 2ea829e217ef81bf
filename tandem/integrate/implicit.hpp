// Implicit Runge-Kutta for stiff springs and dampers: order four, L-stable, fixed step. Six stages, the first explicit,
// the others with one diagonal entry γ.
//
//   (1)  k₁ = ẋ(t₀, x₀);   x_i = x* + h γ ẋ(t₀ + c_i h, x_i),   x* = x₀ + h Σ_{j<i} a_ij k_j,   k_i = (x_i − x*)/(h γ)
//   (2)  the last stage is the end of the step, so on ẋ = μ x a step multiplies x by R(h μ) with R(−∞) = 0. Every stage
//        has order two, which is what is left of the order where springs are stiff
// x = (q, v) with q̇ = N(q) v. In a stage q follows from v (coordinates.hpp (4)), so that v alone is unknown:
//   (3)  q_i(v) = q* + w N(q_i) v,   r(v) = v* + w v̇(q_i(v), v) − v = 0,   w = h γ
//   (4)  Newton:  (1 − w D) Δ = r,   v += Δ,   D e_k = v̇′ along (q_i′(e_k), e_k), exact (flow.hpp (5))
// D is found once a step and kept through its stages; again where Newton contracts by less than a third. It does not
// outlive the step, so that a run goes on bit for bit. k_i from differences: v̇ itself would have the rest of Newton
// multiplied by the stiffness.
// v̇ of k₁ is that of k₆ in the step before, where there was one. At the projected state it would be the same up to the
// error of a step; but projection moves the ends of springs by as much, and stiffness would make forces of that.
//   (5)  work is the same sum over the powers at the stages; z would have to join v, once there is any
//   (6)  between the ends of a step  x = x₀ + h Σ b_i(θ) k_i,  b_i polynomials that meet the conditions of order four
//        Σ b_i = θ,  Σ b_i c_i = θ²/2,  Σ b_i c_i² = θ³/3,  Σ b_i c_i³ = θ⁴/4,  Σ b_i a_ij c_j² = θ⁴/12,
//        and  Σ b_i X_i = 0  with X_i the stages of ẋ = μ x for μ → −∞, so that nothing stiff is blown up in between
// The rows are met by v̇ as in any explicit method, so projection and Baumgarte do what they do there.
// Source: Kennedy and Carpenter, Additive Runge-Kutta schemes for convection-diffusion-reaction equations (2003), the
// implicit half of their ARK4(3)6L[2]SA; (6) is solved from its conditions.
#pragma once

#include <Eigen/LU>
#include <array>

#include "tandem/integrate/runge_kutta.hpp"

namespace tandem {

class Implicit final : public Integrator {
 public:
  static constexpr std::size_t stages = 6;
  static constexpr double gamma = 0.25;
  using Row = std::array<double, stages>;
  static const Row& c();
  static const std::array<Row, stages>& a();  // the last row is b
  static Row b(double x);                     // of (6)
  static const Tableau& table();              // the same as in other Runge-Kutta methods

  explicit Implicit(StepMemory& memory) : memory_(memory) {}
  void step(System& system, double h, State& state) override;
  void interpolate(System& system, const State& end, double t, State& out) override;
  void accept() override;
  void forget() override { memory_.last_rate.resize(0); }

  // Of the last step: the stages as they were solved, how often v̇ and D were evaluated.
  const std::array<State, stages>& stage_states() const { return stages_; }
  int evaluations() const { return evaluations_; }
  int jacobians() const { return jacobians_; }

  // D of (4) at a stage with these speeds, whose positions it sets.
  void find_jacobian(Flow& flow, VecIn<double> q_base, double w, State& stage, Eigen::MatrixXd& D);

 private:
  void solve_stage(Flow& flow, std::size_t i);
  void place(Flow& flow, State& stage);  // (3)
  void iterate(Flow& flow, State& stage);
  double newton_step(Flow& flow, State& stage, int pass);
  double newton_step(Flow& flow, State& stage);

  StepMemory& memory_;  // ẋ at the end of the last step, where it is known
  std::array<State, stages> stages_;
  std::array<Eigen::VectorXd, stages> k_;
  State base_;  // x* of the stage at hand
  Eigen::VectorXd rate_;
  Eigen::MatrixXd D_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::VectorXd rest_, change_;
  VecX<Dual<double>> q_, v_, v_dot_;
  bool has_factors_ = false;
  int evaluations_ = 0, jacobians_ = 0;
};

}  // namespace tandem
