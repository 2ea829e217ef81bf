// Outward steps of the fast recursion: from coordinates to a link's axes, velocity and bias acceleration.
//
//   (1)  w = Rᵀ w_parent + ω_J,   v = Rᵀ (v_parent + w_parent × p) + v_J          (ω_J, v_J) = S v, link axes
//   (2)  c = V × S v + S° v = (w × ω_J, w × v_J + v × ω_J + (S° v)_v)
// turn: ω_J = z q̇;  slide: v_J = z q̇;  ball: ω_J = ω;  floating: ω_J = ω, v_J = R_FMᵀ ṗ, S° v = −ω_J × v_J;
// any: any_joint.hpp
#pragma once

#include "tandem/math/quaternion.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

template <class S> M3<S> rotation_by(const S* quaternion) {
  return M3<S>(
      rotation_of<S>(quaternion_normalized<S>(Vec4<S>(quaternion[0], quaternion[1], quaternion[2], quaternion[3]))));
}

template <class S> TANDEM_INLINE void place_link(TreeLink<S>& link, const S* q, const Turns<S>& turns) {
  switch (link.kind) {
    case LinkKind::turn: {
      const S c = turns.cosines[link.turn], s = turns.sines[link.turn];
      link.R.x = c * link.R_PF.x + s * link.R_PF.y;
      link.R.y = c * link.R_PF.y - s * link.R_PF.x;
      break;  // z and p stay
    }
    case LinkKind::slide:
      link.p = link.p_PF + q[0] * link.R_PF.z;
      break;
    case LinkKind::ball:
      link.R = link.R_PF * rotation_by(q);
      break;
    case LinkKind::floating:
      link.R = link.R_PF * rotation_by(q);
      link.p = link.p_PF + link.R_PF * V3<S>(q[4], q[5], q[6]);
      break;
    case LinkKind::any:
      link.any->place(link, q);
      break;
    case LinkKind::weld:
      break;
  }
}

// Linear speeds of a floating joint are in the axes of F.
template <class S> V3<S> floating_speed(const TreeLink<S>& link, const S* v) {
  return link.R.transposed_times(link.R_PF * V3<S>(v[3], v[4], v[5]));
}

template <class S> TANDEM_INLINE void move_link(TreeLink<S>& link, const TreeLink<S>& parent, const S* v) {
  V3<S> w = link.R.transposed_times(parent.w);  // (1)
  V3<S> v_origin = link.R.transposed_times(parent.v_origin + cross(parent.w, link.p));
  switch (link.kind) {
    case LinkKind::turn:
      w.z += v[0];
      link.c_w = {w.y * v[0], -w.x * v[0], S(0.0)};  // (2)
      link.c_v = {v_origin.y * v[0], -v_origin.x * v[0], S(0.0)};
      break;
    case LinkKind::slide:
      v_origin.z += v[0];
      link.c_w = {};
      link.c_v = {w.y * v[0], -w.x * v[0], S(0.0)};
      break;
    case LinkKind::ball: {
      const V3<S> w_J(v[0], v[1], v[2]);
      w += w_J;
      link.c_w = cross(w, w_J);
      link.c_v = cross(v_origin, w_J);
      break;
    }
    case LinkKind::floating: {
      const V3<S> w_J(v[0], v[1], v[2]), v_J = floating_speed(link, v);
      w += w_J;
      v_origin += v_J;
      link.c_w = cross(w, w_J);
      link.c_v = cross(w, v_J) + cross(v_origin, w_J) - cross(w_J, v_J);
      break;
    }
    case LinkKind::any: {
      V3<S> full_w = w, full_v = v_origin;  // copies: an address that is given away keeps w out of registers everywhere
      link.any->move(link, v, full_w, full_v);
      w = full_w;
      v_origin = full_v;
      break;
    }
    case LinkKind::weld:
      link.c_w = {};
      link.c_v = {};
      break;
  }
  link.w = w;
  link.v_origin = v_origin;
}

// V ×* I V of the rigid link.
template <class S> TANDEM_INLINE void bias_force(const TreeLink<S>& link, V3<S>& p_w, V3<S>& p_v) {
  const V3<S> w = link.w, v = link.v_origin;
  const V3<S> angular = link.inertia * w + cross(link.h, v);
  const V3<S> linear = link.mass * v - cross(link.h, w);
  p_w = cross(w, angular) + cross(v, linear);
  p_v = cross(w, linear);
}

}  // namespace tandem
