// Linear and angular momentum, and a start without any.
//
//   (1)  P = Σ m v,   H = Σ R I ω' + (p_i − p) × m v                  about a point p, world axes
//   (2)  a rigid motion (Δω, Δv of p) of a whole machine changes them by its composite inertia:
//        [H; P] += [I_c  m sk(r); −m sk(r)  m 1] [Δω; Δv],   r = mass centre − p
//   (3)  zero momentum: that motion with [H; P] = 0. Joint rates do not change; the floating body takes it all up
// Composite inertia, not the articulated one: docs/methods/linked_bodies.md (9).
#pragma once

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

struct Momentum {
  Vector3 linear = Vector3::Zero();
  Vector3 angular = Vector3::Zero();  // about the origin of the world
};

Momentum momentum(const Model& model, std::span<const BodyMotion<double>> bodies);

// Throws NumericalError when the kinetic energy is not finite, with the body to look at: the fastest.
void require_finite_kinetic_energy(const Model& model, std::span<const BodyMotion<double>> bodies);
std::string fastest_body(const Model& model, std::span<const BodyMotion<double>> bodies);

// (3) for every machine that floats; one on a planar or translational joint to the world floats in what that leaves
// free. `bodies` is a state on the maximal cut. Throws ModelError that names what ties a
// floating machine to the world or to another machine, or says that nothing floats.
State with_zero_momentum(const Model& model, const State& bodies);

}  // namespace tandem
