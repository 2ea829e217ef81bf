// What every joint of the inward pass needs: how much inertia counts, and how a link goes to its parent.
#pragma once

#include <limits>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

inline constexpr double least_inertia = 1e-12;  // (4) of forward.cpp
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class S> TANDEM_INLINE S size_of(const TreeLink<S>& link) {
  const ArticulatedInertia<S>& I = link.I;
  return I.A.xx + I.A.yy + I.A.zz + link.area * (I.C.xx + I.C.yy + I.C.zz);
}
template <class S> TANDEM_INLINE ArticulatedInertia<S> rigid(const TreeLink<S>& link) {
  return ArticulatedInertia<S>::rigid(link.mass, link.h, link.inertia);
}

// The children of a link are met last first; the first one met brings the rigid inertia with it.
template <class S>
TANDEM_INLINE void pass_to_parent(const TreeLink<S>& link, const ArticulatedInertia<S>& I, const V3<S>& p_w,
                                  const V3<S>& p_v, TreeLink<S>& parent) {
  if (link.is_last_child)
    parent.I = rigid(parent) + I;
  else
    parent.I = parent.I + I;
  const V3<S> f = link.R * p_v;
  parent.p_w += link.R * p_w + cross(link.p, f);
  parent.p_v += f;
}

}  // namespace tandem
