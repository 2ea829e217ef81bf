// Unit quaternions, scalar last: q = (q_v, q_w) = (x, y, z, w), R_AB(q) maps B to A.
//
//   (1)  R(q) = (w² − |q_v|²) 1 + 2 q_v q_vᵀ + 2 w sk(q_v)
//   (2)  ω' = T(q) q̇ (body axes),  T = 2 [ w 1 − sk(q_v) , −q_v ]  (3×4)
//   (3)  q̇ = ¼ T(q)ᵀ ω';  T Tᵀ = 4·1 and T q = 0 for unit q
//   (4)  T(q̇) q̇ = 0, so ω̇' = T q̈
//   (5)  exp(θ) = (sin(θ/2) θ/|θ|, cos(θ/2));  q ⊞ θ = q ∘ exp(θ), θ in body axes
// Source: Shoer, QuIRK (2010); see docs/references.md.
#pragma once

#include "tandem/base/elementary.hpp"
#include "tandem/base/vectors.hpp"

namespace tandem {

template <class S> using Mat34 = Eigen::Matrix<S, 3, 4>;

template <class S> Mat3<S> rotation_of(const Vec4<S>& q) {  // (1)
  const Vec3<S> v = q.template head<3>();
  const S w = q[3];
  Mat3<S> r = 2.0 * (v * v.transpose()) + 2.0 * (w * sk<S>(v));
  const S d = w * w - v.dot(v);
  for (int i = 0; i < 3; ++i) r(i, i) += d;
  return r;
}

template <class S> Mat34<S> quaternion_rate_matrix(const Vec4<S>& q) {  // (2)
  const Vec3<S> v = q.template head<3>();
  Mat34<S> t;
  t.template leftCols<3>() = -2.0 * sk<S>(v);
  for (int i = 0; i < 3; ++i) t(i, i) += 2.0 * q[3];
  t.col(3) = -2.0 * v;
  return t;
}

template <class S> Vec4<S> quaternion_rate(const Vec4<S>& q, const Vec3<S>& w_body) {  // (3)
  return 0.25 * (quaternion_rate_matrix(q).transpose() * w_body);
}

template <class S> Vec4<S> quaternion_product(const Vec4<S>& a, const Vec4<S>& b) {
  const Vec3<S> av = a.template head<3>(), bv = b.template head<3>();
  Vec4<S> c;
  c.template head<3>() = a[3] * bv + b[3] * av + av.cross(bv);
  c[3] = a[3] * b[3] - av.dot(bv);
  return c;
}

template <class S> Vec4<S> quaternion_conjugate(const Vec4<S>& q) { return {-q[0], -q[1], -q[2], q[3]}; }

template <class S> Vec4<S> quaternion_normalized(const Vec4<S>& q) {
  using std::sqrt;
  return q / sqrt(S(q.dot(q)));
}

template <class S> Vec4<S> quaternion_exp(const Vec3<S>& theta) {  // (5)
  using std::sqrt;
  const S square = theta.dot(theta);
  // sin(θ/2)/θ by its series for small θ; the select keeps the kernel free of branches and of 0/0.
  const bool small = value_of(square) < 1e-4;
  const S angle = sqrt(select(small, S(1.0), square));
  const S series = 0.5 - square / 48.0 * (1.0 - square / 80.0 * (1.0 - square / 168.0));
  const S half_cos_series = 1.0 - square / 8.0 * (1.0 - square / 48.0 * (1.0 - square / 120.0));
  Vec4<S> q;
  q.template head<3>() = select(small, series, S(sin(S(0.5 * angle)) / angle)) * theta;
  q[3] = select(small, half_cos_series, S(cos(S(0.5 * angle))));
  return q;
}

template <class S> Vec3<S> quaternion_log(const Vec4<S>& q_any_sign) {
  using std::sqrt;
  const Vec4<S> q = select(q_any_sign[3] < S(0.0), S(-1.0), S(1.0)) * q_any_sign;  // the shorter way round
  const Vec3<S> v = q.template head<3>();
  const S square = v.dot(v);
  const bool small = value_of(square) < 1e-6;
  const S sine = sqrt(select(small, S(1.0), square));
  const S ratio = square / (q[3] * q[3]);
  const S series = 2.0 / q[3] * (1.0 - ratio / 3.0 + ratio * ratio / 5.0);
  return select(small, series, S(2.0 * atan2(sine, q[3]) / sine)) * v;
}

// Shepperd: each row below is 4 q_k q, its k-th entry 4 q_k². The row with the largest is taken, so that nothing small
// is divided by; selected, not branched, so that lanes may differ.
template <class S> Vec4<S> quaternion_of(const Mat3<S>& r) {
  using std::sqrt;
  const S w = 1.0 + r(0, 0) + r(1, 1) + r(2, 2), x = 1.0 + r(0, 0) - r(1, 1) - r(2, 2);
  const S y = 1.0 - r(0, 0) + r(1, 1) - r(2, 2), z = 1.0 - r(0, 0) - r(1, 1) + r(2, 2);
  const S xy = r(1, 0) + r(0, 1), xz = r(0, 2) + r(2, 0), yz = r(2, 1) + r(1, 2);
  const S wx = r(2, 1) - r(1, 2), wy = r(0, 2) - r(2, 0), wz = r(1, 0) - r(0, 1);
  Vec4<S> row(wx, wy, wz, w);
  S largest = w;
  const auto prefer = [&](const S& size, const Vec4<S>& candidate) {
    const bool larger = size > largest;
    for (int i = 0; i < 4; ++i) row[i] = select(larger, candidate[i], row[i]);
    largest = select(larger, size, largest);
  };
  prefer(x, Vec4<S>(x, xy, xz, wx));
  prefer(y, Vec4<S>(xy, y, yz, wy));
  prefer(z, Vec4<S>(xz, yz, z, wz));
  return row / (2.0 * sqrt(largest));
}

// q ⊞ θ and its inverse, θ in body axes.
template <class S> Vec4<S> quaternion_retract(const Vec4<S>& q, const Vec3<S>& theta) {
  return quaternion_normalized<S>(quaternion_product<S>(q, quaternion_exp<S>(theta)));
}
template <class S> Vec3<S> quaternion_difference(const Vec4<S>& q1, const Vec4<S>& q0) {
  return quaternion_log<S>(quaternion_product<S>(quaternion_conjugate<S>(q0), q1));
}

}  // namespace tandem
