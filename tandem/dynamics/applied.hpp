// Applied forces: everything that acts on the bodies except the constraints, and the energy it stores.
//
//   (1)  f_body = (τ' − ω' × I ω',  F):  torque in body axes about the mass centre, force in world axes
//   (2)  an effort τ along a joint coordinate with measuring vector w acts as  G_Aᵀ w τ  and  G_Bᵀ w τ
//   (3)  gravity: F = m g, potential −m g·p
#pragma once

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

// The motion of all that a force law is attached to. Allocates only when `at` has to grow.
template <class S>
void attach(const Model& model, const ModelForce& force, const Kinematics<S>& kinematics, Attachments<S>& at);

template <class S> class AppliedForces {
 public:
  explicit AppliedForces(const Model& model);
  void update(const Model& model, const Kinematics<S>& kinematics);

  const Vec6<S>& on_body(std::size_t body) const { return wrenches_[body]; }  // (1), with the gyroscopic torque
  const S& gravity_potential() const { return gravity_potential_; }
  const S& spring_potential() const { return spring_potential_; }
  // Watts, of the laws that declare their power: what dampers take, and what forces bring in beyond their potentials.
  const S& damped() const { return damped_; }
  const S& brought() const { return brought_; }
  // Efforts of force laws along joint coordinates, laid out as State::angles.
  const VecX<S>& efforts() const { return efforts_; }

 private:
  void add(int body, const Vec6<S>& wrench) {
    if (body != world) wrenches_[static_cast<std::size_t>(body)] += wrench;
  }
  void apply_law(const Model& model, const ModelForce& force, const Kinematics<S>& kinematics);

  std::vector<Vec6<S>> wrenches_;
  VecX<S> efforts_;
  S gravity_potential_{}, spring_potential_{}, damped_{}, brought_{};
  Attachments<S> attachments_;  // scratch of apply_law
  Loads<S> loads_;
};

#define TANDEM_DECLARE(S)                 \
  extern template class AppliedForces<S>; \
  extern template void attach<S>(const Model&, const ModelForce&, const Kinematics<S>&, Attachments<S>&);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
