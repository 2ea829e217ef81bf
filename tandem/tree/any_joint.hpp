// A link whose joint is taken through its kernel, in both directions: any joint there is (joints/joint.hpp).
//
// From R, p = pose(q) and S_F, c_F = motion(q, v), with ω = S_ω v, ṗ = S_v v. The axes of the link are those of M, or
// of F where the joint's first body is the one further out:
//   (1)  M:  S = (Rᵀ S_ω, Rᵀ S_v),         S° v = (Rᵀ c_ω, Rᵀ (c_v − ω × ṗ));       the parent sees it by R, p
//   (2)  F:  S = −(S_ω, S_v + p × S_ω),    S° v = −(c_ω, c_v + ṗ × ω + p × c_ω);    by Rᵀ, −Rᵀ p
//   (3)  c = V × S v + S° v
// Speeds that drives prescribe have no part in D: their columns stand behind the others, and S v̇ of theirs is in c.
//   (4)  U = I S,  D = Sᵀ U = L d Lᵀ;  with U ← U L⁻ᵀ it is as many single freedoms as there are columns (WideJoint)
#pragma once

#include "tandem/tree/kernels.hpp"
#include "tandem/tree/spatial.hpp"

namespace tandem {

template <class S> struct TreeLink;
template <class S> struct WideJoint;

template <class S> struct AnyJoint {
  // of the model
  std::shared_ptr<const JointKernel<S>> kernel;
  bool reversed = false;  // (2)
  int nq = 0, nv = 0;
  int freedoms = 0;        // columns that no drive prescribes: the first ones
  int speed[6] = {};       // of each column, which of the joint's
  S acceleration[6] = {};  // of each column that a drive prescribes
  // of the state
  VecUpTo7<S> q;
  M3<S> R;  // of the kernel's pose
  V3<S> p;
  V3<S> S_w[6], S_v[6];  // the columns of S
  V3<S> U_w[6], U_v[6];  // U L⁻ᵀ d⁻¹

  void take(const Joint& of, const JointTraits& traits, bool from_the_far_side,
            const std::vector<int>& drives);  // one for each speed, −1 for none
  int column_of(int wanted) const;            // of a speed
  void place(TreeLink<S>& link, const S* coordinates);
  // Adds S v to what the parent's motion has made of V, and finds c. (3)
  void move(TreeLink<S>& link, const S* v, V3<S>& w, V3<S>& v_origin);
  Vec6<S> find_columns(const S* v, V3<S>& turning, V3<S>& moving);                        // S; ω, ṗ; returns c_F
  void add(const S* v, V3<S>& w, V3<S>& v_origin) const;                                  // S v
  void read_effort(const V3<S>& f_w, const V3<S>& f_v, S* tau) const;                     // Sᵀ F
  void inward(TreeLink<S>& link, WideJoint<S>& wide, const S* tau, TreeLink<S>& parent);  // (4)
  void outward(const WideJoint<S>& wide, const S* by_rows, V3<S>& a_w, V3<S>& a_v, S* v_dot) const;

  VecUpTo7<S> rate(const S* coordinates, const S* v) const;
  void retract(const S* delta, S* coordinates) const;
  S effort(int column, const TreeLink<S>& link) const;  // Sᵀ (I a + p)
  S settle(S* coordinates) const;                       // returns how far a quaternion was from unit length
};

}  // namespace tandem
