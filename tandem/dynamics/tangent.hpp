// Tangent: exact derivatives of forces and rows along a direction of the state, by dual numbers. Nothing is
// differenced, and no factorisation is differentiated: accelerations y and multipliers λ are held.
//
//   (1)  direction: q ⊞ ε δ (a turn in body axes, a shift of the mass centre), v + ε δv, t + ε δt
//   (2)  force′ = (f + Jᵀ λ)′,   rows′ = (b − J y)′       at fixed y, λ
//   (3)  with (1) the accelerations change by y′:   M y′ − Jᵀ λ′ = force′,   J y′ = rows′       (steady/response.hpp)
//        where the machine itself changes, by a parameter:   force′ = (f + Jᵀ λ − M y)′
//   (4)  the direction stays on the constraints when  φ′ = 0  and  rate′ = (J v + φ_t)′ = 0
#pragma once

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

struct Direction {
  Eigen::VectorXd q, v;  // δ and δv, both laid out as State::v
  double t = 0.0;
};

class Tangent {
 public:
  using D = Tangential;

  // The model must outlive it.
  explicit Tangent(const Model& model);

  // Bodies, forces and rows at `bodies` (maximal cut), with their derivatives along a direction. (1)
  void update(const State& bodies, const Direction& along);
  void update_kinematics(const State& bodies, const Direction& along);  // bodies and joints alone
  // The same where the bodies are placed by other coordinates: they are written first, with their derivatives.
  Kinematics<D>& writable_kinematics() { return kinematics_; }
  void update_placed(double t, VecIn<double> angles);

  // (2), (4) along that direction
  void force(const Eigen::VectorXd& lambda, Eigen::VectorXd& out) const;
  void subtract_inertia(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;  // (M y)′: not zero by a parameter
  void rows(const Eigen::VectorXd& y, Eigen::VectorXd& out) const;
  void rate(Eigen::VectorXd& out) const;
  void phi(Eigen::VectorXd& out) const;  // zero for nonholonomic rows

  const Kinematics<D>& kinematics() const { return kinematics_; }
  const AppliedForces<D>& applied() const { return applied_; }
  const Rows<D>& all_rows() const { return rows_; }

 private:
  const Model& model_;
  Kinematics<D> kinematics_;
  AppliedForces<D> applied_;
  Rows<D> rows_;
  Eigen::VectorXd q_dot_;
  VecX<D> q_, v_;
};

}  // namespace tandem
