// Three ways to write the rotation of a body and its rate. Each maps its rates to ω in body axes:
//
//   (1)  ω = Z(q) q̇_r,   ω̇ = Z q̈_r + c
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

// Quaternion and ω itself.
//   (2)  Z = 1, c = 0,  q̇ = ¼ Tᵀ ω
struct QuasiAttitude {
  static constexpr std::string_view name = "quasi";
  static constexpr int nq = 4, nv = 3;
  static constexpr bool has_length_row = false;
  using Q = Vec4<double>;
  using V = Vec3<double>;
  static Matrix3 rotation(const Q& q) { return rotation_of<double>(quaternion_normalized<double>(q)); }
  static Q from_rotation(const Q& quaternion) { return quaternion; }
  static V from_velocity(const Q&, const Vector3& w) { return w; }
  static void map(const Q&, const V&, Eigen::Matrix<double, 3, nv>& Z, Vector3& c) {  // (2)
    Z.setIdentity();
    c.setZero();
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
  static Matrix3 rotation(const Q& q) { return rotation_of<double>(quaternion_normalized<double>(q)); }
  static Q from_rotation(const Q& quaternion) { return quaternion; }
  static V from_velocity(const Q& q, const Vector3& w) { return quaternion_rate<double>(q, w); }
  static void map(const Q& q, const V& v, Eigen::Matrix<double, 3, nv>& Z, Vector3& c) {  // (3)
    const double square = q.squaredNorm();
    Z = quaternion_rate_matrix<double>(q) / square;
    c = (-2.0 * q.dot(v) / square) * (Z * v);
  }
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
  static Matrix3 rotation(const Q& p) { return rotation_of_euler312<double>(p); }
  static Q from_rotation(const Vec4<double>& quaternion) {
    return euler312_of<double>(rotation_of<double>(quaternion));
  }
  static V from_velocity(const Q& p, const Vector3& w) { return euler312_body_matrix_inverse<double>(p) * w; }
  static void map(const Q& p, const V& v, Eigen::Matrix<double, 3, nv>& Z, Vector3& c) {  // (5)
    check_euler312(p[1]);
    Z = euler312_body_matrix<double>(p);
    c = euler312_body_matrix_rate<double>(p, v) * v;
  }
  static Q rate(const Q&, const V& v) { return v; }
  static Q retract(const Q& p, const V& delta) { return p + delta; }
  static double settle(Q&, V&) { return 0.0; }
};

}  // namespace tandem
