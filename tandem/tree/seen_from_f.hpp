// What a pair of frames, F on link 1 and M on link 2, needs of its links for the rows between them: loop_rows.hpp (1),
// (2).
#pragma once

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

// Link 2 and M seen from F. The world, as link 1, is at rest.
template <class S, bool on_world> struct SeenFromF {
  M3<S> Q;                      // axes of link 2
  V3<S> s, p;                   // origins of link 2 and of M
  V3<S> dw, dv, w1, v1, p_dot;  // ΔV about F, V of link 1, and how fast p changes

  // R_L, p_L: F and M in the axes of their links.
  TANDEM_INLINE SeenFromF(const std::array<M3<S>, 2>& R_L, const std::array<V3<S>, 2>& p_L, const TreeLink<S>& one,
                          const TreeLink<S>& two) {
    const M3<S> R_WF = on_world ? R_L[0] : one.R_W * R_L[0];
    const V3<S> p_WF = on_world ? p_L[0] : one.p_W + one.R_W * p_L[0];
    Q = R_WF.transposed() * two.R_W;
    s = R_WF.transposed_times(two.p_W - p_WF);
    p = s + Q * p_L[1];
    dw = Q * two.w;
    dv = Q * two.v_origin + cross(s, dw);
    if (!on_world) {
      w1 = R_L[0].transposed_times(one.w);
      v1 = R_L[0].transposed_times(one.v_origin + cross(one.w, p_L[0]));
      dw = dw - w1;
      dv = dv - v1;
    }
    p_dot = dv + cross(dw, p);
  }
  // V₁ × ΔV, and what the row's own point adds.
  TANDEM_INLINE V3<S> turning() const { return on_world ? V3<S>() : cross(w1, dw); }
  TANDEM_INLINE V3<S> moving() const {
    V3<S> out = cross(p_dot, dw);
    if (!on_world) out += cross(w1, dv) + cross(v1, dw);
    return out;
  }
  Relative<S> relative(const std::array<M3<S>, 2>& R_L) const {
    return {(Q * R_L[1]).matrix(), p.vector(), dw.vector(), p_dot.vector()};
  }
};

}  // namespace tandem
