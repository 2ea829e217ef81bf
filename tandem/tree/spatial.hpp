// Small structures of the fast recursion, as plain numbers: with them g++ keeps what it can in registers, which it does
// not with matrices (2.3 times the time for the same formulas). Symmetric matrices are six numbers, articulated inertia
// is 6 + 9 + 6.
//
//   (1)  (τ, f) = [A B; Bᵀ C] (ω, v)          about the origin of a link, in its axes
//   (2)  of a rigid body: A = inertia about the origin, B = sk(h), C = m 1;  h = m × (mass centre)
//   (3)  seen from the parent, where the child's origin is p and its axes are R:
//        rotated: A, B, C ← R A Rᵀ, R B Rᵀ, R C Rᵀ;   shifted: G = sk(p) C,  H = B + ½ G,
//        A ← A − H sk(p) − (H sk(p))ᵀ,   B ← B + G
#pragma once

#include "tandem/base/vectors.hpp"

// Calls between these small functions would pass their numbers through memory.
#define TANDEM_INLINE [[gnu::always_inline]] inline

namespace tandem {

template <class S> struct V3 {
  S x{}, y{}, z{};

  V3() = default;
  V3(const S& x_, const S& y_, const S& z_) : x(x_), y(y_), z(z_) {}
  explicit V3(const Vec3<S>& a) : x(a[0]), y(a[1]), z(a[2]) {}
  Vec3<S> vector() const { return {x, y, z}; }

  TANDEM_INLINE friend V3 operator+(const V3& a, const V3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  TANDEM_INLINE friend V3 operator-(const V3& a, const V3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  TANDEM_INLINE friend V3 operator*(const S& k, const V3& a) { return {k * a.x, k * a.y, k * a.z}; }
  TANDEM_INLINE V3& operator+=(const V3& b) { return *this = *this + b; }
};

template <class S> TANDEM_INLINE S dot(const V3<S>& a, const V3<S>& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <class S> TANDEM_INLINE V3<S> cross(const V3<S>& a, const V3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A vector as four numbers, the last of no account: one pack of lanes.hpp.
template <class S> struct Column {
  S a[4] = {};
  TANDEM_INLINE S operator[](int i) const { return a[i]; }
  TANDEM_INLINE V3<S> vector() const { return {a[0], a[1], a[2]}; }
};

template <class S> struct M3 {  // by columns
  V3<S> x, y, z;

  M3() : x(S(1.0), S(0.0), S(0.0)), y(S(0.0), S(1.0), S(0.0)), z(S(0.0), S(0.0), S(1.0)) {}
  M3(const V3<S>& x_, const V3<S>& y_, const V3<S>& z_) : x(x_), y(y_), z(z_) {}
  explicit M3(const Mat3<S>& m) : x(m.col(0)), y(m.col(1)), z(m.col(2)) {}
  Mat3<S> matrix() const {
    Mat3<S> m;
    m << x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z;
    return m;
  }

  TANDEM_INLINE V3<S> operator*(const V3<S>& a) const {
    return {x.x * a.x + y.x * a.y + z.x * a.z, x.y * a.x + y.y * a.y + z.y * a.z, x.z * a.x + y.z * a.y + z.z * a.z};
  }
  TANDEM_INLINE V3<S> transposed_times(const V3<S>& a) const { return {dot(x, a), dot(y, a), dot(z, a)}; }
  M3 operator*(const M3& b) const { return {*this * b.x, *this * b.y, *this * b.z}; }
  M3 transposed() const { return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}; }
  static M3 zero() { return {{}, {}, {}}; }
};

template <class S> struct Sym3 {
  S xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  TANDEM_INLINE V3<S> operator*(const V3<S>& a) const {
    return {xx * a.x + xy * a.y + xz * a.z, xy * a.x + yy * a.y + yz * a.z, xz * a.x + yz * a.y + zz * a.z};
  }
  TANDEM_INLINE friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  Mat3<S> matrix() const {
    Mat3<S> m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  static Sym3 of(const Mat3<S>& m) { return {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)}; }
};

template <class S> TANDEM_INLINE Sym3<S> rotated(const M3<S>& R, const Sym3<S>& a) {  // R A Rᵀ
  // T = R A by its columns
  const V3<S> x = a.xx * R.x + a.xy * R.y + a.xz * R.z;
  const V3<S> y = a.xy * R.x + a.yy * R.y + a.yz * R.z;
  const V3<S> z = a.xz * R.x + a.yz * R.y + a.zz * R.z;
  return {x.x * R.x.x + y.x * R.y.x + z.x * R.z.x, x.x * R.x.y + y.x * R.y.y + z.x * R.z.y,
          x.x * R.x.z + y.x * R.y.z + z.x * R.z.z, x.y * R.x.y + y.y * R.y.y + z.y * R.z.y,
          x.y * R.x.z + y.y * R.y.z + z.y * R.z.z, x.z * R.x.z + y.z * R.y.z + z.z * R.z.z};
}

template <class S> struct ArticulatedInertia {  // (1)
  Sym3<S> A, C;
  M3<S> B = M3<S>::zero();

  TANDEM_INLINE static ArticulatedInertia rigid(const S& mass, const V3<S>& h, const Sym3<S>& about_origin) {  // (2)
    return {about_origin,
            {mass, S(0.0), S(0.0), mass, S(0.0), mass},
            {{S(0.0), h.z, -h.y}, {-h.z, S(0.0), h.x}, {h.y, -h.x, S(0.0)}}};
  }
  TANDEM_INLINE friend ArticulatedInertia operator+(const ArticulatedInertia& a, const ArticulatedInertia& b) {
    return {a.A + b.A, a.C + b.C, {a.B.x + b.B.x, a.B.y + b.B.y, a.B.z + b.B.z}};
  }
  void take_off(const V3<S>& w, const V3<S>& v, const S& k) {  // k (w, v) (w, v)ᵀ
    const V3<S> kw = k * w, kv = k * v;
    A = A + Sym3<S>{-w.x * kw.x, -w.x * kw.y, -w.x * kw.z, -w.y * kw.y, -w.y * kw.z, -w.z * kw.z};
    C = C + Sym3<S>{-v.x * kv.x, -v.x * kv.y, -v.x * kv.z, -v.y * kv.y, -v.y * kv.z, -v.z * kv.z};
    B = {B.x - kv.x * w, B.y - kv.y * w, B.z - kv.z * w};
  }
  // In axes rotated by R, about an origin shifted by −p. (3)
  ArticulatedInertia seen_from(const M3<S>& R, const V3<S>& p) const {
    return ArticulatedInertia{rotated(R, A), rotated(R, C), R * B * R.transposed()}.shifted(p);
  }
  TANDEM_INLINE ArticulatedInertia shifted(const V3<S>& p) const {  // (3)
    const V3<S> Gx = cross(p, V3<S>(C.xx, C.xy, C.xz)), Gy = cross(p, V3<S>(C.xy, C.yy, C.yz)),
                Gz = cross(p, V3<S>(C.xz, C.yz, C.zz));
    const V3<S> Hx = B.x + S(0.5) * Gx, Hy = B.y + S(0.5) * Gy, Hz = B.z + S(0.5) * Gz;
    // the columns of H sk(p)
    const V3<S> Nx = p.z * Hy - p.y * Hz, Ny = p.x * Hz - p.z * Hx, Nz = p.y * Hx - p.x * Hy;
    return {{A.xx - S(2.0) * Nx.x, A.xy - Ny.x - Nx.y, A.xz - Nz.x - Nx.z, A.yy - S(2.0) * Ny.y, A.yz - Nz.y - Ny.z,
             A.zz - S(2.0) * Nz.z},
            C,
            {B.x + Gx, B.y + Gy, B.z + Gz}};
  }
};

}  // namespace tandem
