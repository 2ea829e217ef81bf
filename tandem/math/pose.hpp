// Pose X_AB: where frame B is in frame A.
//
//   (1)  p_AQ = p_AB + R_AB p_BQ        (2)  X_AC = X_AB X_BC
#pragma once

#include "tandem/math/rotation.hpp"

namespace tandem {

template <class S> struct Pose {
  Mat3<S> R = Mat3<S>::Identity();
  Vec3<S> p = Vec3<S>::Zero();

  Vec3<S> operator*(const Vec3<S>& p_BQ) const { return p + R * p_BQ; }            // (1)
  Pose operator*(const Pose& X_BC) const { return {R * X_BC.R, p + R * X_BC.p}; }  // (2)
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  template <class T> Pose<T> cast() const { return {R.template cast<T>(), p.template cast<T>()}; }
};

}  // namespace tandem
