// A machine under load, on the scalar letter: with duals its reactions come with their derivatives.
//
//   (1)  wrench on the second body = J_secondᵀ λ  (torque in body axes about the mass centre, force in world axes)
//   (2)  reported at the joint point fixed on first (a wheel: its contact point), in world axes:
//        τ_P = R τ' + (p_C − p_P) × F
// A joint's reaction is all that it transmits: its rows, its drives and the efforts of its springs and dampers.
#pragma once

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

// The block of a joint, constraint or drive and its place `at` among the blocks; null when it has no rows.
const RowBlockInfo* find_block(const Model& model, RowBlockInfo::Kind kind, int index, std::size_t& at);

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
// Of its rows and drives alone: without the efforts of springs and dampers.
template <class S> ReactionOf<S> reaction_of_rows(const Loaded<S>& at, int joint);
template <class S> ReactionOf<S> constraint_reaction(const Loaded<S>& at, int constraint);

#define TANDEM_DECLARE(S)                                                   \
  extern template ReactionOf<S> joint_reaction<S>(const Loaded<S>&, int);   \
  extern template ReactionOf<S> reaction_of_rows<S>(const Loaded<S>&, int); \
  extern template ReactionOf<S> constraint_reaction<S>(const Loaded<S>&, int);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
