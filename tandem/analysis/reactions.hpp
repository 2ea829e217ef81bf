// Reactions: what the first body does to the second, in newtons and newton metres, never multipliers.
//
//   (1)  wrench on the second body = J_secondᵀ λ  (torque in body axes about the mass centre, force in world axes)
//   (2)  reported at the joint point fixed on first (a wheel: its contact point), in world axes:
//        τ_P = R τ' + (p_C − p_P) × F
// A joint's reaction is all that it transmits: its rows, its drives and the efforts of its springs and dampers.
#pragma once

#include "tandem/methods/method.hpp"

namespace tandem {

struct Reaction {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
  Vector3 point = Vector3::Zero();
  bool unique = true;  // false: redundant rows share the load, only their sum is determined
};

// A machine under load, on the scalar letter: with duals the reactions come with their derivatives.
template <class S> struct Loaded {
  const Model& model;
  const Kinematics<S>& kinematics;
  const AppliedForces<S>& applied;
  const Rows<S>& rows;
  const VecX<S>& lambda;  // of all rows
};
template <class S> struct ReactionOf {
  Vec3<S> force = Vec3<S>::Zero(), torque = Vec3<S>::Zero(), point = Vec3<S>::Zero();
};
template <class S> ReactionOf<S> joint_reaction(const Loaded<S>& at, int joint);
template <class S> ReactionOf<S> constraint_reaction(const Loaded<S>& at, int constraint);

Reaction joint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int joint);
Reaction constraint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int constraint);
// The generalised force of a drive along its coordinate.
double drive_effort(const Model& model, const Solution& solution, int drive);
// The generalised forces of a coupler or constant speed, one a term.
std::vector<double> relation_efforts(const Model& model, const Solution& solution, int constraint);

// What carries load on a plane, wheels and balls: the constraint, and its contact row, whose multiplier is the normal
// force. A negative one pulls: a real wheel would lift off.
struct Contact {
  int constraint = 0, row = 0;
};
std::vector<Contact> contacts(const Model& model);

#define TANDEM_DECLARE(S)                                                 \
  extern template ReactionOf<S> joint_reaction<S>(const Loaded<S>&, int); \
  extern template ReactionOf<S> constraint_reaction<S>(const Loaded<S>&, int);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

// For every block of rows: whether its reaction is unique.
std::vector<bool> unique_blocks(const Model& model, const Workspace& workspace);

}  // namespace tandem
