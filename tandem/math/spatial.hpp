// Spatial vectors, angular first: twists V = (ω, v), wrenches F = (τ, f), inertia and transforms.
//
//   (1)  ᴮX_A = [E 0; 0 E][1 0; −sk(r) 1],  E = R_BA, r = p_AB: motion from A to B axes and origin
//   (2)  X* = X⁻ᵀ for wrenches
//   (3)  V ×  = [sk(ω) 0; sk(v) sk(ω)],   V ×* = −(V ×)ᵀ
//   (4)  I at origin O, centre at c: [Ī + m sk(c) sk(c)ᵀ, m sk(c); m sk(c)ᵀ, m 1]
//   (5)  F = d/dt (I V) = I A + V ×* I V
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 2.
#pragma once

#include "tandem/math/pose.hpp"

namespace tandem {

template <class S> struct Twist {
  Vec3<S> w = Vec3<S>::Zero();
  Vec3<S> v = Vec3<S>::Zero();

  Vec6<S> vector() const { return (Vec6<S>() << w, v).finished(); }
  static Twist of(const Vec6<S>& x) { return {x.template head<3>(), x.template tail<3>()}; }
};

template <class S> struct Wrench {
  Vec3<S> torque = Vec3<S>::Zero();
  Vec3<S> force = Vec3<S>::Zero();

  Vec6<S> vector() const { return (Vec6<S>() << torque, force).finished(); }
  static Wrench of(const Vec6<S>& x) { return {x.template head<3>(), x.template tail<3>()}; }
  S power(const Twist<S>& twist) const { return torque.dot(twist.w) + force.dot(twist.v); }
  // The same wrench about a point displaced by `from_new_to_old` less: τ_new = τ + r × f, r = old − new.
  Wrench about(const Vec3<S>& from_new_to_old) const { return {torque + from_new_to_old.cross(force), force}; }
};

template <class S> Mat6<S> motion_transform(const Pose<S>& X_AB) {  // (1) from A to B
  Mat6<S> x = Mat6<S>::Zero();
  const Mat3<S> e = X_AB.R.transpose();
  x.template topLeftCorner<3, 3>() = e;
  x.template bottomRightCorner<3, 3>() = e;
  x.template bottomLeftCorner<3, 3>() = -e * sk<S>(X_AB.p);
  return x;
}

template <class S> Mat6<S> force_transform(const Pose<S>& X_AB) {  // (2) from A to B
  return motion_transform<S>(X_AB.inverse()).transpose();
}

template <class S> Mat6<S> motion_cross(const Twist<S>& a) {  // (3)
  Mat6<S> x = Mat6<S>::Zero();
  x.template topLeftCorner<3, 3>() = sk<S>(a.w);
  x.template bottomRightCorner<3, 3>() = sk<S>(a.w);
  x.template bottomLeftCorner<3, 3>() = sk<S>(a.v);
  return x;
}

template <class S> Mat6<S> force_cross(const Twist<S>& a) {  // (3)
  return -motion_cross<S>(a).transpose();
}

// Mass, centre and rotational inertia about the centre, all in one body frame.
template <class S> struct SpatialInertia {
  S mass = S(0.0);
  Vec3<S> center = Vec3<S>::Zero();
  Mat3<S> about_center = Mat3<S>::Zero();

  Mat6<S> matrix() const {  // (4)
    Mat6<S> i;
    const Mat3<S> c = sk<S>(center);
    i.template topLeftCorner<3, 3>() = about_center + mass * (c * c.transpose());
    i.template topRightCorner<3, 3>() = mass * c;
    i.template bottomLeftCorner<3, 3>() = mass * c.transpose();
    i.template bottomRightCorner<3, 3>() = mass * Mat3<S>::Identity();
    return i;
  }
};

}  // namespace tandem
