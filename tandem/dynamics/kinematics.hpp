// Kinematics: from coordinates and speeds to the motion of every body and joint. Written once a step; rows, forces and
// outputs read it and never ask a joint for its type.
#pragma once

#include <span>

#include "tandem/dynamics/pair_motion.hpp"
#include "tandem/dynamics/state.hpp"

namespace tandem {

template <class S> struct JointMotion {
  PairMotion<S> pair;
  VecUpTo7<S> q;   // measured; angles on the turn nearest to State::angles
  VecUpTo6<S> v;   // Wᵀ V
  Mat6UpTo6<S> W;  // v̇ = Wᵀ V̇ + rate_bias
  VecUpTo6<S> rate_bias;
};

template <class S> class Kinematics {
 public:
  explicit Kinematics(const Model& model);
  // Writes bodies and joints. Quaternions need not be of unit length.
  void update(const Model& model, const S& t, VecIn<S> q, VecIn<S> v, VecIn<double> angles);
  // The same in two halves, for coordinates other than those of State's maximal cut: write every body, then the rest.
  BodyMotion<S>& writable_body(int index) { return bodies_[static_cast<std::size_t>(index)]; }
  void update_joints(const Model& model, const S& t, VecIn<double> angles);
  // One joint alone, where the others are not asked for.
  void update_joint(const Model& model, int index, VecIn<double> angles);
  void set_time(const S& t) { t_ = t; }
  // The measured joint coordinates, laid out as State::angles.
  void read_angles(const Model& model, VecOut<double> angles) const;

  const BodyMotion<S>& body(int index) const {
    return index == world ? world_ : bodies_[static_cast<std::size_t>(index)];
  }
  std::span<const BodyMotion<S>> bodies() const { return bodies_; }
  const JointMotion<S>& joint(int index) const { return joints_[static_cast<std::size_t>(index)]; }
  const S& time() const { return t_; }
  PointMotion<S> point(const BodyFrame& frame) const;

 private:
  S t_{};
  BodyMotion<S> world_;
  std::vector<BodyMotion<S>> bodies_;
  std::vector<JointMotion<S>> joints_;
};

#define TANDEM_DECLARE(S) extern template class Kinematics<S>;
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
