// System: what an integrator asks for: how fast a state changes, and where it may be. Two of them: `flow` by any
// method, `tree_flow` by the fast recursion.
#pragma once

#include "tandem/dynamics/state.hpp"

namespace tandem {

class Flow;

class System {
 public:
  System() = default;
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  // ẋ: q̇ = N(q) v, v̇ = y(t, q, v), ż, and the power of dampers, drives and forces. Allocates when the output does not
  // have its size.
  virtual void rate(const State& stage, Eigen::VectorXd& x_dot) = 0;
  virtual void coordinate_rate(const State& state, VecOut<double> q_dot) = 0;  // q̇ alone
  // After a step: quaternions of unit length, driven coordinates where their drives are. Returns how far a quaternion
  // was from unit length.
  virtual double settle(State& state) = 0;
  virtual const Layout& layout() const = 0;
  // For integrators that need more than a rate: the rows of the next stage (herk), derivatives (implicit).
  virtual Flow& equations() = 0;
};

}  // namespace tandem
