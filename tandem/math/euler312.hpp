// Euler angles 3-1-2, p = (φ, θ, ψ) = (yaw, lean, pitch).
//
//   (1)  R = Rz(φ) Rx(θ) Ry(ψ)                       (body to space)
//   (2)  ω  = A(p) ṗ   in space axes
//   (3)  ω' = A'(p) ṗ  in body axes,  det A' = cos θ
//   (4)  ṗ = A'(p)⁻¹ ω'
//   (5)  ω̇' = A' p̈ + Ȧ' ṗ       (the term that a p̈-level bias forgets)
// Singular at |θ| = 90°: the functions that divide by cos θ throw EulerSingularity near it.
// Source: bicycle project of Schwab's course, corrected; see docs/notation.md.
#pragma once

#include "tandem/base/elementary.hpp"
#include "tandem/base/faults.hpp"
#include "tandem/math/rotation.hpp"

namespace tandem {

struct EulerSingularity : NumericalError {
  using NumericalError::NumericalError;
};

inline constexpr double euler312_smallest_cosine = 1e-6;

void check_euler312(double lean);  // throws EulerSingularity where |cos θ| is below the limit

template <class S> Mat3<S> rotation_of_euler312(const Vec3<S>& p) {  // (1)
  return rotation_about_z(p[0]) * rotation_about_x(p[1]) * rotation_about_y(p[2]);
}

// The angles without a check: near 90° of lean yaw and pitch still have a value, only not a meaningful one.
template <class S> Vec3<S> euler312_angles(const Mat3<S>& r) {
  // R row 3: (−cθ sψ, sθ, cθ cψ); column 2: (−sφ cθ, cφ cθ, sθ).
  const S yaw = atan2(S(-r(0, 1)), r(1, 1));
  const S lean = atan2(r(2, 1), S(cos(yaw) * r(1, 1) - sin(yaw) * r(0, 1)));
  return {yaw, lean, atan2(S(-r(2, 0)), r(2, 2))};
}

template <class S> Vec3<S> euler312_of(const Mat3<S>& r) {
  Vec3<S> p = euler312_angles(r);
  check_euler312(value_of(p[1]));
  return p;
}

template <class S> Mat3<S> euler312_space_matrix(const Vec3<S>& p) {  // (2) A
  const S sf = sin(p[0]), cf = cos(p[0]), st = sin(p[1]), ct = cos(p[1]);
  Mat3<S> a;
  a << S(0.0), cf, -sf * ct, S(0.0), sf, cf * ct, S(1.0), S(0.0), st;
  return a;
}

template <class S> Mat3<S> euler312_body_matrix(const Vec3<S>& p) {  // (3) A'
  const S st = sin(p[1]), ct = cos(p[1]), sp = sin(p[2]), cp = cos(p[2]);
  Mat3<S> a;
  a << -sp * ct, cp, S(0.0), st, S(0.0), S(1.0), cp * ct, sp, S(0.0);
  return a;
}

template <class S> Mat3<S> euler312_body_matrix_inverse(const Vec3<S>& p) {  // (4) A'⁻¹
  check_euler312(value_of(p[1]));
  const S st = sin(p[1]), ct = cos(p[1]), sp = sin(p[2]), cp = cos(p[2]);
  Mat3<S> a;
  a << -sp, S(0.0), cp, ct * cp, S(0.0), ct * sp, st * sp, ct, -st * cp;
  return a / ct;
}

template <class S> Mat3<S> euler312_body_matrix_rate(const Vec3<S>& p, const Vec3<S>& p_dot) {  // (5) Ȧ'
  const S st = sin(p[1]), ct = cos(p[1]), sp = sin(p[2]), cp = cos(p[2]);
  const S dt = p_dot[1], dp = p_dot[2];
  Mat3<S> a;
  a << -cp * dp * ct + sp * st * dt, -sp * dp, S(0.0), ct * dt, S(0.0), S(0.0), -sp * dp * ct - cp * st * dt, cp * dp,
      S(0.0);
  return a;
}

}  // namespace tandem
