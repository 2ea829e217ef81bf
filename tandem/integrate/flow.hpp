// Flow: the rate of change of a state by any method, on any cut, in any coordinates.
//
//   (1)  q̇ = N(q) v,   v̇ = y(t, q, v) by the method in use
//   (2)  Baumgarte: φ̈ + α φ̇ + β φ = 0 in place of φ̈ = 0; nonholonomic rows have no φ
//   (3)  work: rows that move with time bring in −λᵀ φ_t, which is the power of drives; dampers and forces bring in
//        theirs (force_power.hpp)
//   (4)  half-explicit: the y at a stage for which the speeds of the next stage meet its rows,
//        M y − Jᵀλ = f,   J⁺ (v + w y) + φ_t⁺ = 0       ⁺: at the next stage. The bias is never used.
//        J⁺ ≠ Jᵀ's J; solved by repetition:  J y = −(J⁺ v + φ_t⁺)/w + (J − J⁺) y
//   (5)  along a direction (q′, v′) of the stage, exact, by dual numbers at fixed y and λ (dynamics/tangent.hpp):
//        M y′ − Jᵀλ′ = (f + Jᵀλ)′,   J y′ = (b − J y)′,   with (2):  b′ − α (J v + φ_t)′ − β φ′;   v̇′ from y′
//   (6)  near a singular pose (advance.cpp): the rate at the projection of the stage, (q̇, v̇)(Π x)
#pragma once

#include "tandem/dynamics/force_power.hpp"
#include "tandem/dynamics/tangent.hpp"
#include "tandem/integrate/system.hpp"
#include "tandem/methods/method.hpp"

namespace tandem {

class Projection;

class Flow final : public System {
 public:
  // All of them must outlive it.
  Flow(const Model& model, const Setup& setup, Workspace& workspace, Method& method);

  void rate(const State& stage, Eigen::VectorXd& x_dot) override;  // (1) to (3)
  void coordinate_rate(const State& state, VecOut<double> q_dot) override {
    workspace_.coordinates->rate(model_, state, q_dot);
  }
  double settle(State& state) override { return workspace_.coordinates->settle(model_, state); }
  const Layout& layout() const override { return workspace_.layout; }
  Eigen::Map<const Eigen::VectorXd> v_size() const { return workspace_.v_size(); }
  Flow& equations() override { return *this; }
  // (4), with next.v() the speeds before the part w y is added.
  void half_explicit_rate(const State& stage, const State& next, double w, Eigen::VectorXd& x_dot);

  // From now on stages are brought onto the constraints before rate() looks at them; null: no longer. (6)
  void project_stages(Projection* by) { stages_by_ = by; }
  bool projects_stages() const { return stages_by_ != nullptr; }
  // While stages are: any state; and what of an error at a state on the constraints lies along them.
  void bring_onto_constraints(State& state);
  void keep_along_constraints(const State& at, Eigen::VectorXd& error);

  // Solves at a stage, then answers how v̇ changes along directions of it; rate() ends that. (5)
  void linearise(const State& stage);
  void rate_along(const VecX<Dual<double>>& q, const VecX<Dual<double>>& v, VecX<Dual<double>>& v_dot);

  // (3) at the state of the workspace, from multipliers of all rows.
  Work power(const Solution& expanded);

  const Model& model() const { return model_; }
  const Coordinates& coordinates() const { return *workspace_.coordinates; }

 private:
  void stabilise();
  void set_right_side(const Eigen::VectorXd& b);
  void finish(const State& stage, Eigen::VectorXd& x_dot);
  bool rows_move() const;

  const Model& model_;
  const Setup& setup_;
  Workspace& workspace_;
  Method& method_;
  ForcePower forces_;
  Projection* stages_by_ = nullptr;  // of (6)
  State on_constraints_, beside_;
  Solution solution_, expanded_;
  std::unique_ptr<Workspace> ahead_;  // of (4)
  struct Linear {                     // of (5)
    explicit Linear(const Model& model) : tangent(model) {}
    Tangent tangent;
    State stage;
    Solution at, change, reduced;
    Eigen::VectorXd force, rows, part;
    VecX<Dual<double>> y;
  };
  std::unique_ptr<Linear> linear_;
  Eigen::VectorXd right_, target_, product_, before_;
};

}  // namespace tandem
