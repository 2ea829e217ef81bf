// System: what an integrator asks for: how fast a state changes, and where it may be. Two of them: `flow` by any
// method, `tree_flow` by the fast recursion.
#pragma once

#include "tandem/dynamics/state.hpp"

namespace tandem {

class Flow;

struct Rate {
  Eigen::VectorXd q, v;
  Work work;
};

class System {
 public:
  System() = default;
  virtual ~System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  // q̇ = N(q) v, v̇ = y(t, q, v), and the power of dampers, drives and forces.
  virtual void rate(const State& stage, Rate& out) = 0;
  virtual void coordinate_rate(const State& state, Eigen::VectorXd& q_dot) const = 0;  // q̇ alone
  // After a step: quaternions of unit length, driven coordinates where their drives are. Returns how far a quaternion
  // was from unit length.
  virtual double settle(State& state) = 0;
  // Of coordinates and speeds: model/scale.hpp.
  virtual const Eigen::VectorXd& q_size() const = 0;
  virtual const Eigen::VectorXd& v_size() const = 0;
  // For integrators that need more than a rate: the rows of the next stage (herk), derivatives (implicit).
  virtual Flow& equations() = 0;
};

}  // namespace tandem
