// Three ways to write the rotation of a body and its rate. Each maps its rates to ω in body axes:
//
//   (1)  ω = Z(q) q̇_r,   ω̇ = Z q̈_r + c
// and q̈_r from ω̇ (`acceleration`), q from q = q₀ + w q̇ (`implicit_step`). Of a quaternion with rate ½ q ∘ ω:
//   (6)  q = q₀ + w ½ q ∘ ω is linear in q:   q = q₀ ∘ (1 + (w/2) ω)/(1 + (w/2)² |ω|²), not of unit length
#pragma once

#include "tandem/math/euler312.hpp"
#include "tandem/math/quaternion.hpp"

namespace tandem {

// To unit length; returns how far it was from it.
inline double normalise(Vec4<double>& q) {
  const double length = q.norm();
  q /= length;
  return std::abs(length - 1.0);
}

template <class S> Vec4<S> quaternion_implicit_step(const Vec4<S>& q0, double w, const Vec3<S>& w_body) {  // (6)
  const Vec3<S> half = (0.5 * w) * w_body;
  const Vec4<S> turn(half[0], half[1], half[2], S(1.0));
  return quaternion_product<S>(q0, turn) / S(1.0 + half.dot(half));
}

// Quaternion and ω itself.
//   (2)  Z = 1, c = 0,  q̇ = ¼ Tᵀ ω
struct QuasiAttitude {
  static constexpr std::string_view name = "quasi";
  static constexpr int nq = 4, nv = 3;
  static constexpr bool has_length_row = false;
  using Q = Vec4<double>;
  using V = Vec3<double>;
  template <class S> static Mat3<S> rotation(const Vec4<S>& q) { return rotation_of<S>(quaternion_normalized<S>(q)); }
  static Q from_rotation(const Q& quaternion) { return quaternion; }
  static V from_velocity(const Q&, const Vector3& w) { return w; }
  template <class S> static void map(const Vec4<S>&, const Vec3<S>&, Mat3<S>& Z, Vec3<S>& c) {  // (2)
    Z.setIdentity();
    c.setZero();
  }
  template <class S> static Vec3<S> acceleration(const Vec4<S>&, const Vec3<S>&, const Vec3<S>& w_dot) { return w_dot; }
  template <class S> static Vec4<S> implicit_step(const Vec4<S>& q0, double w, const Vec3<S>& v) {
    return quaternion_implicit_step<S>(q0, w, v);
  }
  static Q rate(const Q& q, const V& v) { return quaternion_rate<double>(q, v); }
  static Q retract(const Q& q, const V& delta) { return quaternion_retract<double>(q, delta); }
  static double settle(Q& q, V&) { return normalise(q); }
};

// Quaternion and its rate, as QuIRK: seven coordinates a body. Off unit length the rotation is that of q/|q|:
//   (3)  Z = T/|q|²,   c = −2 (q·q̇)/|q|⁴ T q̇        (T(q̇) q̇ = 0)
//   (4)  its length is a row:  φ = (|q|² − 1)/2,  q·q̇ = 0,  q·q̈ = −q̇·q̇
struct QuaternionAttitude {
  static constexpr std::string_view name = "quaternion";
  static constexpr int nq = 4, nv = 4;
  static constexpr bool has_length_row = true;
  using Q = Vec4<double>;
  using V = Vec4<double>;
  template <class S> static Mat3<S> rotation(const Vec4<S>& q) { return rotation_of<S>(quaternion_normalized<S>(q)); }
  static Q from_rotation(const Q& quaternion) { return quaternion; }
  static V from_velocity(const Q& q, const Vector3& w) { return quaternion_rate<double>(q, w); }
  template <class S>
  static void map(const Vec4<S>& q, const Vec4<S>& v, Eigen::Matrix<S, 3, nv>& Z, Vec3<S>& c) {  // (3)
    const S square = q.dot(q);
    Z = quaternion_rate_matrix<S>(q) / square;
    c = S(-2.0 * q.dot(v) / square) * (Z * v);
  }
  template <class S>
  static Vec4<S> acceleration(const Vec4<S>& q, const Vec4<S>& v, const Vec3<S>& w_dot) {  // (3) with (4)
    Eigen::Matrix<S, 3, nv> Z;
    Vec3<S> c;
    map<S>(q, v, Z, c);
    return quaternion_rate<S>(q, w_dot - c) - S(v.dot(v) / q.dot(q)) * q;
  }
  template <class S> static Vec4<S> implicit_step(const Vec4<S>& q0, double w, const Vec4<S>& v) { return q0 + w * v; }
  static Q rate(const Q&, const V& v) { return v; }
  static Q retract(const Q& q, const V& delta) { return q + delta; }
  static double settle(Q& q, V& v) {
    const double off = normalise(q);
    v -= q.dot(v) * q;
    return off;
  }
};

// Yaw, lean and pitch, as the bicycle project.
//   (5)  Z = A′(p),   c = Ȧ′ ṗ
struct Euler312Attitude {
  static constexpr std::string_view name = "euler312";
  static constexpr int nq = 3, nv = 3;
  static constexpr bool has_length_row = false;
  using Q = Vec3<double>;
  using V = Vec3<double>;
  template <class S> static Mat3<S> rotation(const Vec3<S>& p) { return rotation_of_euler312<S>(p); }
  static Q from_rotation(const Vec4<double>& quaternion) {
    return euler312_of<double>(rotation_of<double>(quaternion));
  }
  static V from_velocity(const Q& p, const Vector3& w) { return euler312_body_matrix_inverse<double>(p) * w; }
  template <class S> static void map(const Vec3<S>& p, const Vec3<S>& v, Mat3<S>& Z, Vec3<S>& c) {  // (5)
    check_euler312(value_of(p[1]));
    Z = euler312_body_matrix<S>(p);
    c = euler312_body_matrix_rate<S>(p, v) * v;
  }
  template <class S> static Vec3<S> acceleration(const Vec3<S>& p, const Vec3<S>& v, const Vec3<S>& w_dot) {
    return euler312_body_matrix_inverse<S>(p) * Vec3<S>(w_dot - euler312_body_matrix_rate<S>(p, v) * v);
  }
  template <class S> static Vec3<S> implicit_step(const Vec3<S>& p0, double w, const Vec3<S>& v) { return p0 + w * v; }
  static Q rate(const Q&, const V& v) { return v; }
  static Q retract(const Q& p, const V& delta) { return p + delta; }
  static double settle(Q&, V&) { return 0.0; }
};

}  // namespace tandem
