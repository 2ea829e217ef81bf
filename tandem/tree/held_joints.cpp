// Joints without inertia that rows hold: (8) and (9) of loop_rows.hpp.
#include <algorithm>
#include <cmath>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

static constexpr double round_off = 1e-13;  // of a row, as a force on the link

template <class S> static double in_metres(const LoopBlock<S>& block, int freedom) {
  return freedom < 3 ? 1.0 : block.length;
}

// The size of a row on a link, as a moment.
template <class S> static double size_on_link(const S (&K)[6][LoopBlock<S>::padded], int row, double length) {
  const auto norm = [&](int first) {
    const double x = of_world(K[first][row], 0), y = of_world(K[first + 1][row], 0), z = of_world(K[first + 2][row], 0);
    return std::sqrt(x * x + y * y + z * z);
  };
  return norm(0) + length * norm(3);
}

template <class S> bool LoopRows<S>::sees(const LoopBlock<S>& block, int side, int freedom, int row) const {
  const auto& K = block.K_of(side);
  return !(in_metres(block, freedom) * std::abs(of_world(K[freedom][row], 0)) <=
           round_off * size_on_link<S>(K, row, block.length));
}

template <class S> bool LoopRows<S>::hold(int link, int freedom, const S& u, std::vector<TreeLink<S>>& links) {  // (8)
  if (placing_) return false;
  const Entry* entry = nullptr;
  for (const Entry& each : entries_[static_cast<std::size_t>(link)]) {
    const LoopBlock<S>& block = blocks_[static_cast<std::size_t>(each.block)];
    bool any = each.has_term;
    for (int k = 0; k < block.rows; ++k) any = any || sees(block, each.side, freedom, k);
    if (!any) continue;
    if (entry || block.on_coordinates || !block.more.empty()) return false;
    entry = &each;
  }
  if (!entry) return false;
  LoopBlock<S>& block = blocks_[static_cast<std::size_t>(entry->block)];
  auto &K = block.K[entry->side], &K_other = block.K[1 - entry->side];
  const auto size = [&](int k) { return std::abs(of_world(K[freedom][k], 0)) / block.size_in_use(k); };
  int a = 0;
  for (int k = 1; k < block.rows; ++k)
    if (size(k) > size(a)) a = k;
  Held held{.link = link, .block = entry->block, .row = a, .other = std::max(block.at[1 - entry->side], 0)};
  held.y = K[freedom][a];
  held.r = block.r[a];
  held.lambda = -u / held.y;
  const double part = in_metres(block, freedom) * std::abs(of_world(held.y, 0)) / size_on_link<S>(K, a, block.length);
  smallest_pivot_ = select(S(part * part) >= smallest_pivot_, smallest_pivot_, S(part * part));
  for (int k = 0; k < block.rows; ++k) held.share[k] = k == a ? S(0.0) : K[freedom][k] / held.y;
  Line* S_own = compliance(entry->block);
  for (int c = 0; c < 6; ++c) {
    held.K[c] = K[c][a];
    held.K_other[c] = K_other[c][a];
  }
  for (int k = 0; k < block.rows; ++k) held.compliance[k] = S_own[a][k];
  // b ← b − m_b a
  const auto take_off = [&](int row, const auto& of) { of(row) -= held.share[row] * of(a); };
  for (int b = 0; b < block.rows; ++b) {
    if (b == a) continue;
    for (int c = 0; c < 6; ++c) {
      take_off(b, [&](int row) -> S& { return K[c][row]; });
      take_off(b, [&](int row) -> S& { return K_other[c][row]; });
    }
    K[freedom][b] = S(0.0);
    take_off(b, [&](int row) -> S& { return block.r[row]; });
    for (int k = 0; k < block.rows; ++k) take_off(b, [&](int row) -> S& { return S_own[row][k]; });
  }
  for (int b = 0; b < block.rows; ++b) {
    if (b == a) continue;
    block.r[b] -= S_own[b][a] * held.lambda;
    for (int k = 0; k < block.rows; ++k)
      if (k != a) S_own[b][k] -= S_own[b][a] * held.share[k];
  }
  // Blocks that are coupled to it: their rows stand in the lines of those that come later.
  held.first = held_beside_.size();
  const auto beside = [&](int other, const auto& S_with) {
    LoopBlock<S>& c = blocks_[static_cast<std::size_t>(other)];
    HeldBeside& keep = held_beside_.emplace_back();
    keep.block = other;
    for (int k = 0; k < c.rows; ++k) {
      const S S_ca = keep.compliance[k] = S_with(k, a);
      c.r[k] -= S_ca * held.lambda;
      for (int b = 0; b < block.rows; ++b) S_with(k, b) -= S_ca * held.share[b];
      S_with(k, a) = S(0.0);
    }
  };
  for (const auto& [other, at] : block.later)
    beside(other, [this, at = at](int of_other, int own) -> S& { return compliance(at)[of_other][own]; });
  for (std::size_t c = 0; c < blocks_.size(); ++c)
    for (const auto& [later, at] : blocks_[c].later)
      if (later == entry->block && blocks_[c].meet < link)  // else it is gone
        beside(static_cast<int>(c),
               [this, at = at](int of_other, int own) -> S& { return compliance(at)[own][of_other]; });
  held.last = held_beside_.size();
  const auto push = [&](int on, const S(&with)[6]) {
    TreeLink<S>& pushed = links[static_cast<std::size_t>(on)];
    pushed.p_w = pushed.p_w - held.lambda * V3<S>(with[0], with[1], with[2]);
    pushed.p_v = pushed.p_v - held.lambda * V3<S>(with[3], with[4], with[5]);
  };
  push(link, held.K);
  if (held.other != 0) push(held.other, held.K_other);
  for (int c = 0; c < 6; ++c) K[c][a] = K_other[c][a] = S(0.0);
  block.r[a] = S(0.0);
  for (int k = 0; k < block.rows; ++k) S_own[a][k] = S_own[k][a] = S(0.0);
  block.removed[a] = S(0.0);
  block.held |= 1U << a;
  held_.push_back(held);
  return true;
}

// A row of its own that nothing else sees, as large as the others on average.
template <class S> void LoopRows<S>::stand_in_for_held(LoopBlock<S>& block, int index) {
  Line* A = compliance(index);
  S sum(0.0);
  int others = 0;
  for (int k = 0; k < block.rows; ++k) {
    if (block.is_held(k)) continue;
    sum += (A[k][k] + block.removed[k]) * block.weight[k];
    ++others;
  }
  for (int k = 0; k < block.rows; ++k)
    if (block.is_held(k)) A[k][k] = select(sum > S(0.0), S(sum / others), S(1.0)) / block.weight[k];
}

template <class S> void LoopRows<S>::find_held(LoopBlock<S>& block) {
  const auto index = static_cast<int>(&block - blocks_.data());
  for (std::size_t i = held_.size(); i-- > 0;) {
    const Held& held = held_[i];
    if (held.block != index) continue;
    S lambda = held.lambda;
    for (int k = 0; k < block.rows; ++k) lambda -= held.share[k] * block.lambda[k];
    block.lambda[held.row] = lambda;
  }
}

template <class S>
const typename LoopRows<S>::Held* LoopRows<S>::held_at(
    int link) const {  // they were met from the last link to the first
  const auto found =
      std::lower_bound(held_.begin(), held_.end(), link, [](const Held& each, int at) { return each.link > at; });
  return found == held_.end() || found->link != link ? nullptr : &*found;
}

template <class S>
S LoopRows<S>::held_rate(int link, const V3<S>& a_w, const V3<S>& a_v,
                         const std::vector<TreeLink<S>>& links) const {  // (9)
  const Held& held = *held_at(link);
  const auto along = [](const S(&K)[6], const V3<S>& w, const V3<S>& v) {
    return K[0] * w.x + K[1] * w.y + K[2] * w.z + K[3] * v.x + K[4] * v.y + K[5] * v.z;
  };
  S left = held.r - along(held.K, a_w, a_v);
  if (held.other != 0) {
    const TreeLink<S>& other = links[static_cast<std::size_t>(held.other)];
    left -= along(held.K_other, other.a_w, other.a_v);
  }
  const auto take_off = [&](const LoopBlock<S>& block, const S(&of_rows)[6]) {
    for (int k = 0; k < block.rows; ++k) left -= of_rows[k] * block.lambda[k];
  };
  take_off(blocks_[static_cast<std::size_t>(held.block)], held.compliance);
  for (std::size_t i = held.first; i < held.last; ++i)
    take_off(blocks_[static_cast<std::size_t>(held_beside_[i].block)], held_beside_[i].compliance);
  return left / held.y;
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
