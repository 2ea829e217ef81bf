// Rotation matrices R_AB (columns: axes of B in A) with exponential and logarithm.
//
//   (1)  exp(θ) = 1 + (sin θ/θ) sk(θ) + ((1 − cos θ)/θ²) sk(θ)²,  θ = |θ|      (Rodrigues)
//   (2)  log(exp θ) = θ for |θ| < π, through the quaternion: θ = 2 atan2(|q_v|, q_w) q_v/|q_v|
//   (3)  d/dt R = sk(ω) R with ω in A,  = R sk(ω') with ω' in B
#pragma once

#include "tandem/base/elementary.hpp"
#include "tandem/math/quaternion.hpp"

namespace tandem {

template <class S> Mat3<S> rotation_about_x(const S& angle) {
  const S c = cos(angle), s = sin(angle);
  Mat3<S> r;
  r << S(1.0), S(0.0), S(0.0), S(0.0), c, -s, S(0.0), s, c;
  return r;
}

template <class S> Mat3<S> rotation_about_y(const S& angle) {
  const S c = cos(angle), s = sin(angle);
  Mat3<S> r;
  r << c, S(0.0), s, S(0.0), S(1.0), S(0.0), -s, S(0.0), c;
  return r;
}

template <class S> Mat3<S> rotation_about_z(const S& angle) {
  const S c = cos(angle), s = sin(angle);
  Mat3<S> r;
  r << c, -s, S(0.0), s, c, S(0.0), S(0.0), S(0.0), S(1.0);
  return r;
}

template <class S>
Mat3<S> rotation_exp(const Vec3<S>& theta) {  // (1), written with the quaternion so that θ = 0 is no special case
  return rotation_of(quaternion_exp(theta));
}

template <class S> Vec3<S> rotation_log(const Mat3<S>& r) {  // (2)
  return quaternion_log(quaternion_of(r));
}

// A rotation whose z axis is `z`; x is `x_hint` made perpendicular when given, else a fixed choice.
Matrix3 rotation_with_z(const Vector3& z);
Matrix3 rotation_with_z_and_x(const Vector3& z, const Vector3& x_hint);

}  // namespace tandem
