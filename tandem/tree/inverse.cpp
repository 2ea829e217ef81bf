// Inverse dynamics by the recursive Newton-Euler equations.
//
//   (1)  outward: kinematics.hpp,  a = X a_parent + c + S v̇,  F = I a + V ×* I V;   the world has −g
//   (2)  inward:  τ = Sᵀ F,  F_parent += X* F
//   (3)  what a joint transmits beside force laws and rows:  F = I a + V ×* I V − (loads) − Kᵀ λ,  F_parent as in (2)
#include "tandem/tree/kinematics.hpp"

namespace tandem {

namespace {

template <class S> void find_force(TreeLink<S>& link) {  // F of (1)
  V3<S> p_w, p_v;
  bias_force(link, p_w, p_v);
  link.p_w = p_w + link.inertia * link.a_w + cross(link.h, link.a_v);
  link.p_v = p_v + link.mass * link.a_v - cross(link.h, link.a_w);
}

template <class S> void accelerate_link(TreeLink<S>& link, const TreeLink<S>& parent, const S* v_dot) {  // (1)
  V3<S> a_w = link.R.transposed_times(parent.a_w) + link.c_w;
  V3<S> a_v = link.R.transposed_times(parent.a_v + cross(parent.a_w, link.p)) + link.c_v;
  switch (link.kind) {
    case LinkKind::turn:
      a_w.z += v_dot[0];
      break;
    case LinkKind::slide:
      a_v.z += v_dot[0];
      break;
    case LinkKind::floating:
      a_v += floating_speed(link, v_dot);
      [[fallthrough]];
    case LinkKind::ball:
      a_w += V3<S>(v_dot[0], v_dot[1], v_dot[2]);
      break;
    case LinkKind::any:
      link.any->add(v_dot, a_w, a_v);
      break;
    case LinkKind::weld:
      break;
  }
  link.a_w = a_w;
  link.a_v = a_v;
  find_force(link);
}

template <class S> void read_effort(const TreeLink<S>& link, S* tau) {  // (2)
  switch (link.kind) {
    case LinkKind::turn:
      tau[0] = link.p_w.z;
      break;
    case LinkKind::slide:
      tau[0] = link.p_v.z;
      break;
    case LinkKind::floating: {
      const V3<S> f = link.R_PF.transposed_times(link.R * link.p_v);
      tau[3] = f.x, tau[4] = f.y, tau[5] = f.z;
      [[fallthrough]];
    }
    case LinkKind::ball:
      tau[0] = link.p_w.x, tau[1] = link.p_w.y, tau[2] = link.p_w.z;
      break;
    case LinkKind::any:
      link.any->read_effort(link.p_w, link.p_v, tau);
      break;
    case LinkKind::weld:
      break;
  }
}

template <class S> void pass_force(const TreeLink<S>& link, TreeLink<S>& parent) {  // (2)
  const V3<S> f = link.R * link.p_v;
  parent.p_w += link.R * link.p_w + cross(link.p, f);
  parent.p_v += f;
}

}  // namespace

template <class S> void Tree<S>::inverse(VecIn<S> q, VecIn<S> v, VecIn<S> v_dot, VecX<S>& tau) {
  tau.resize(nv());
  turns_.update(q.data());
  const std::size_t n = links_.size();
  TreeLink<S>* const links = links_.data();
  for (std::size_t i = 1; i < n; ++i) {
    TreeLink<S>& link = links[i];
    const TreeLink<S>& parent = links[link.parent];
    place_link(link, q.data() + link.q, turns_);
    move_link(link, parent, v.data() + link.v);
    accelerate_link(link, parent, v_dot.data() + link.v);
  }
  for (std::size_t i = n - 1; i > 0; --i) {
    const TreeLink<S>& link = links[i];
    read_effort(link, tau.data() + link.v);
    if (link.parent > 0) pass_force(link, links[link.parent]);
  }
}

template <class S> void Tree<S>::find_joint_forces(const S& t, VecIn<S> q, VecIn<S> v) {  // (3)
  for (std::size_t i = 1; i < links_.size(); ++i) find_force(links_[i]);
  if (!loads_.empty()) {
    tau_.setZero();
    loads_.apply(t, q.data(), v.data(), links_, tau_);
  }
  loops_.take_off_forces(links_);
  for (std::size_t i = links_.size() - 1; i > 0; --i)
    if (links_[i].parent > 0) pass_force(links_[i], links_[static_cast<std::size_t>(links_[i].parent)]);
}

template <class S> Wrench<S> Tree<S>::force_on(int body, const Vec3<S>& about) const {
  const TreeLink<S>& link = links_[link_of(body)];
  const Mat3<S> R_W = link.R_W.matrix();
  const Vec3<S> force = R_W * link.p_v.vector();
  const Vec3<S> torque = R_W * link.p_w.vector() + Vec3<S>(link.p_W.vector() - about).cross(force);
  return {torque, force};
}

#define TANDEM_INSTANTIATE(S) template class Tree<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
