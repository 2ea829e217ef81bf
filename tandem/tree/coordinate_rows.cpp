// Rows on coordinates of joints: couplers, constant speeds, drives of joints that close a loop.
//
// A term κ q of a tree joint acts at that joint alone, K = 0 on its links: y ← y + κ in (3) of loop_rows.hpp. So
//   (1)  φ = Σ κ q − o,   φ̇ = Σ κ q̇ − u,   Σ κ v̇ = 0        the row meets above all its joints
// A drive of a joint that closes a loop is a row of the pair, with W and its bias from the joint (joints/joint.hpp
// (5)):
//   (2)  φ = q − d(t),   T = W,   φ_t = −ḋ,   bias − d̈
// A term κ q of such a joint is measured, and acts on both links of the joint: with T = κ W in (1), (2) of
// loop_rows.hpp,
//   (3)  K = κ W on one, −κ W on the other, and their r adds up.  What the world does is known: r −= K a_world
// Its angle is on the turn nearest to that of the last step.
#include <algorithm>

#include "tandem/tree/seen_from_f.hpp"

namespace tandem {

template <class S>
void LoopRows<S>::update_terms(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links, const S* q, const S* v) {
  S phi = -block.value, rate(0.0);
  for (const typename LoopBlock<S>::Term& term : block.terms) {  // (1)
    phi += term.coefficient * q[term.q];
    rate += term.coefficient * v[term.v];
  }
  block.right[0] = S(0.0);
  const auto clear = [&](int side) {
    if (side < 0) return;
    for (auto& component : block.on_link_of(side)) component[0] = S(0.0);
  };
  for (const typename LoopBlock<S>::LoopTerm& term : block.loop_terms)
    std::for_each(term.side.begin(), term.side.end(), clear);
  for (const typename LoopBlock<S>::LoopTerm& term : block.loop_terms) {  // (3)
    const SeenFromF<S, false> seen(term.R, term.p, links[static_cast<std::size_t>(term.link[0])],
                                   links[static_cast<std::size_t>(term.link[1])]);
    const Relative<S> x = seen.relative(term.R);
    Mat6UpTo6<S> W;
    VecUpTo6<S> bias;
    term.joint->rates(x, W, bias);
    const S measured = term.joint->measure(x)[term.coordinate];
    phi += term.coefficient * (term.angle < 0 ? measured : nearest_turn<S>(measured, angles_[term.angle]));
    const Vec6<S> T = term.coefficient * W.col(term.speed);
    const V3<S> f(T[3], T[4], T[5]), n = V3<S>(T[0], T[1], T[2]) + cross(seen.p, f);
    rate += dot(n, seen.dw) + dot(f, seen.dv);
    block.right[0] += dot(f, seen.moving()) + dot(n, seen.turning()) - term.coefficient * bias[term.speed];
    const auto act = [&](int side, const V3<S>& n_on, const V3<S>& f_on) {
      if (side < 0) {
        block.right[0] -= dot(f_on, links.front().a_v);  // the world does not turn
        return;
      }
      auto& K = block.on_link_of(side);
      K[0][0] += n_on.x, K[1][0] += n_on.y, K[2][0] += n_on.z;
      K[3][0] += f_on.x, K[4][0] += f_on.y, K[5][0] += f_on.z;
    };
    const V3<S> f1 = S(-1.0) * (term.R[0] * f), n1 = S(-1.0) * (term.R[0] * n) + cross(term.p[0], f1);
    act(term.side[0], n1, f1);
    act(term.side[1], seen.Q.transposed_times(n - cross(seen.s, f)), seen.Q.transposed_times(f));
  }
  block.phi[0] = block.holonomic > 0 ? phi : S(0.0);
  block.phi_t[0] = block.holonomic > 0 ? S(0.0) : -block.value;
  block.rate[0] = rate + block.phi_t[0];
  block.phi_of_all[0] = block.phi[0];
  block.rate_of_all[0] = block.rate[0];
}

template <class S>
void LoopRows<S>::fill(const LoopBlock<S>& block, const Relative<S>& x, const S& t, PairRows<S>& rows) const {
  if (block.drive) {  // (2)
    const Jet<S> motion = motion_of<S>(*block.drive, t);
    Mat6UpTo6<S> W;
    VecUpTo6<S> bias;
    block.joint->rates(x, W, bias);
    const S gap = block.joint->measure(x)[block.coordinate] - motion.value;
    rows.resize(1);
    rows.phi[0] = block.wraps ? wrap_angle<S>(gap) : gap;
    rows.T.col(0) = W.col(block.speed);
    rows.phi_t[0] = -motion.rate;
    rows.bias[0] = bias[block.speed] - motion.acceleration;
  } else if (block.joint) {
    block.joint->forbid(x, rows);
  } else {
    block.constraint->rows(x, t, rows);
  }
}

template <class S> void LoopRows<S>::place_terms(LoopBlock<S>& block, const std::vector<TreeLink<S>>& links) const {
  const auto parent = [&](int link) { return links[static_cast<std::size_t>(link)].parent; };
  const auto is_above = [&](int link, int below) {
    while (below > link) below = parent(below);
    return below == link;
  };
  block.meet = -1;
  const auto meet_above = [&](int link) { block.meet = block.meet < 0 ? link : meeting_link(links, block.meet, link); };
  std::vector<int> ends;
  const auto side_on = [&](int link) {
    const auto found = std::find(ends.begin(), ends.end(), link);
    const auto side = static_cast<int>(found - ends.begin());
    if (found == ends.end()) ends.push_back(link);
    return side;
  };
  for (typename LoopBlock<S>::LoopTerm& term : block.loop_terms)
    for (std::size_t end = 0; end < 2; ++end) {
      meet_above(term.link[end]);
      term.side[end] = term.link[end] == 0 ? -1 : side_on(term.link[end]);
    }
  for (const typename LoopBlock<S>::Term& term : block.terms) meet_above(parent(term.link));
  for (const typename LoopBlock<S>::Term& term :
       block.terms) {  // it needs no side of its own where one passes its joint
    const auto passes = [&](int link) { return is_above(term.link, link); };
    const auto other_below = [&](const typename LoopBlock<S>::Term& other) {
      return other.link != term.link && passes(other.link);
    };
    if (std::none_of(ends.begin(), ends.end(), passes) &&
        std::none_of(block.terms.begin(), block.terms.end(), other_below))
      side_on(term.link);
  }
  for (int side = 0; side < std::max(2, static_cast<int>(ends.size())); ++side)
    block.add_side(side, side < static_cast<int>(ends.size()) ? ends[static_cast<std::size_t>(side)] : block.meet);
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
