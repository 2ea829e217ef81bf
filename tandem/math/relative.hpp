// Motion of frame M (on the second body) seen from frame F (on the first), and rows written on it.
//
// Everything is in F axes; the twist is V = (ω_FM, ṗ_FM) with ṗ the rate of M's coordinates as F sees them, so that
//
//   (1)  Ṙ = sk(ω) R,   ṗ = v
//   (2)  φ̇ = Tᵀ V + φ_t        holonomic rows; nonholonomic rows are Tᵀ V + φ_t = 0 without a φ
//   (3)  φ̈ = Tᵀ V̇ + bias      bias = d/dt (Tᵀ V + φ_t) at fixed V
// Joints and pair constraints fill PairRows; they know nothing of bodies or of the world.
#pragma once

#include "tandem/base/elementary.hpp"
#include "tandem/math/spatial.hpp"

namespace tandem {

template <class S> struct Relative {
  Mat3<S> R = Mat3<S>::Identity();
  Vec3<S> p = Vec3<S>::Zero();
  Vec3<S> w = Vec3<S>::Zero();
  Vec3<S> v = Vec3<S>::Zero();

  Vec6<S> twist() const { return (Vec6<S>() << w, v).finished(); }
};

template <class S> struct PairRows {
  VecUpTo6<S> phi;
  Mat6UpTo6<S> T;
  VecUpTo6<S> phi_t;
  VecUpTo6<S> bias;

  void resize(int rows) {
    phi.setZero(rows);
    T.setZero(6, rows);
    phi_t.setZero(rows);
    bias.setZero(rows);
  }
};

// A function of the relative pose that depends on R alone: its value, gradient (by ω) and second rate at fixed ω.
template <class S> struct RotationReading {
  S value;
  Vec3<S> gradient;
  S bias;
};

// The element R_ij = e_i · (axis j of M):  Ṙ_ij = ω · (R_j × e_i),  R̈_ij at fixed ω = e_i · ω × (ω × R_j).
template <class S> RotationReading<S> rotation_element(const Relative<S>& x, int i, int j) {
  const Vec3<S> axis = x.R.col(j);
  const Vec3<S> unit = Vec3<S>::Unit(i);
  return {axis[i], axis.cross(unit), x.w.cross(Vec3<S>(x.w.cross(axis)))[i]};
}

// The angle atan2(sine, cosine) of two readings; exact also off the constraint manifold.
template <class S>
RotationReading<S> angle_reading(const Relative<S>& x, const RotationReading<S>& s, const RotationReading<S>& c) {
  const S square = s.value * s.value + c.value * c.value;
  const Vec3<S> gradient = (c.value * s.gradient - s.value * c.gradient) / square;
  const S s_dot = s.gradient.dot(x.w), c_dot = c.gradient.dot(x.w);
  const S square_dot = 2.0 * (s.value * s_dot + c.value * c_dot);
  const S bias = (c.value * s.bias - s.value * c.bias - gradient.dot(x.w) * square_dot) / square;
  return {atan2(s.value, c.value), gradient, bias};
}

// The angle of M about z of F: direction of M's x axis.
template <class S> RotationReading<S> angle_about_z(const Relative<S>& x) {
  return angle_reading(x, rotation_element(x, 1, 0), rotation_element(x, 0, 0));
}

// Building blocks of the rows. Each writes from row `at` on and returns the next free row.

template <class S> int position_row(const Relative<S>& x, int axis, PairRows<S>& rows, int at) {  // φ = p_axis
  rows.phi[at] = x.p[axis];
  rows.T(3 + axis, at) = S(1.0);
  return at + 1;
}

template <class S> int rotation_row(const RotationReading<S>& reading, PairRows<S>& rows, int at) {
  rows.phi[at] = reading.value;
  rows.T.col(at).template head<3>() = reading.gradient;
  rows.bias[at] = reading.bias;
  return at + 1;
}

template <class S> int point_rows(const Relative<S>& x, PairRows<S>& rows, int at) {  // M's origin on F's origin
  for (int axis = 0; axis < 3; ++axis) at = position_row(x, axis, rows, at);
  return at;
}

template <class S> int parallel_axis_rows(const Relative<S>& x, PairRows<S>& rows, int at) {  // z of M along z of F
  at = rotation_row(rotation_element(x, 0, 2), rows, at);
  return rotation_row(rotation_element(x, 1, 2), rows, at);
}

template <class S> int no_rotation_rows(const Relative<S>& x, PairRows<S>& rows, int at) {  // φ = vee(R − Rᵀ)/2
  constexpr int pairs[3][2] = {{2, 1}, {0, 2}, {1, 0}};
  for (const auto& [i, j] : pairs) {
    const auto a = rotation_element(x, i, j), b = rotation_element(x, j, i);
    at = rotation_row<S>({0.5 * (a.value - b.value), 0.5 * (a.gradient - b.gradient), 0.5 * (a.bias - b.bias)}, rows,
                         at);
  }
  return at;
}

}  // namespace tandem
