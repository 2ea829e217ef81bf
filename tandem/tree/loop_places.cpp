// Where rows to the world are eliminated: (6) and (7) of loop_rows.hpp, found in one inward sweep at a state.
//
// The steps are those of every sweep; which blocks a link carries is found on the way. At a link with more than a few
// rows to the world, the one that gives way most is eliminated, until a few are left or those that are left are stiff.
// Stiff ones are at most six: no more rows than that hold a link that nothing below gives way to, unless some follow
// from others. So the sweep is linear in the links.
#include "tandem/base/tolerances.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

// What a link carries without effort, and how many a carriage has: the fewer are eliminated early, the more the pivots
// tell of the machine as a whole.
static constexpr int few = 4;

static std::size_t at(int index) { return static_cast<std::size_t>(index); }

// In the order of the model.
template <class S> static bool before(const LoopBlock<S>& a, const LoopBlock<S>& b) {
  return std::pair(a.index, a.first_of_custom) < std::pair(b.index, b.first_of_custom);
}

template <class S> bool LoopRows<S>::find_crowd(const std::vector<TreeLink<S>>& links) const {
  std::vector<int> carried(links.size(), 0);
  for (const LoopBlock<S>& block : blocks_)
    if (block.to_world) ++carried[at(block.together)];
  for (std::size_t i = links.size(); i-- > 1;) {
    if (carried[i] > few) return true;
    carried[at(links[i].parent)] += carried[i];
  }
  return false;
}

template <class S> void LoopRows<S>::reconsider_places(bool other_rows) {
  if (!crowded_) return;
  for (LoopBlock<S>& block : blocks_) {
    if (block.weak) wants_places_ = true;
    block.inward_of = other_rows ? LoopBlock<S>::no_link : block.weak ? block.meet : block.inward_of;
    block.weak = false;
  }
  if (other_rows) wants_places_ = true;
}

template <class S> bool LoopRows<S>::has_weak_place() const {
  return crowded_ && std::any_of(blocks_.begin(), blocks_.end(), [](const LoopBlock<S>& block) { return block.weak; });
}

template <class S> bool LoopRows<S>::leave_weak_places() {
  if (!has_weak_place()) return false;
  reconsider_places(false);
  return true;
}

template <class S>
void LoopRows<S>::begin_places(const std::vector<TreeLink<S>>& links, const std::vector<WideJoint<S>>& wide) {
  std::sort(blocks_.begin(), blocks_.end(), before<S>);
  find_whole(links, wide);
  S_.assign(blocks_.size(), {});
  coupling_of_.clear();
  open_.assign(links.size(), {});
  entries_.assign(links.size(), {});
  pairs_.assign(links.size(), {});
  for (std::size_t a = 0; a < blocks_.size(); ++a) {
    LoopBlock<S>& block = blocks_[a];
    block.later.clear();
    block.updates.clear();
    block.turn = 0;
    block.weak = false;
    if (block.to_world) block.meet = 0;
    for (int side = 0; side < block.sides(); ++side)
      if (const int link = block.link_of(side); link != 0) open_[at(link)].push_back({static_cast<int>(a), side});
  }
  turn_ = 0;
  begin(links, false);
  placing_ = true;
}

template <class S> void LoopRows<S>::end_places(const std::vector<TreeLink<S>>& links) {
  placing_ = wants_places_ = false;
  open_.clear();
  coupling_of_.clear();
  order_blocks(links);
}

// The compliance of a link on the bare tree, Ω = S D⁻¹ Sᵀ + P X Ω_parent Xᵀ Pᵀ with P = 1 − S D⁻¹ Uᵀ: what six unit
// rows become as they pass its joint.
template <class S>
void LoopRows<S>::find_whole(const std::vector<TreeLink<S>>& links, const std::vector<WideJoint<S>>& wide) {
  LoopRows<S> probe;
  probe.blocks_.resize(1);
  probe.S_.resize(1);
  probe.entries_.assign(links.size(), std::vector<Entry>(1));
  probe.pairs_.assign(links.size(), {PairOfEntries{}});
  LoopBlock<S>& unit = probe.blocks_.front();
  unit.rows = 6;
  std::vector<Mat6<double>> Omega(links.size(), Mat6<double>::Zero());
  for (std::size_t i = 1; i < links.size(); ++i) {
    const TreeLink<S>& link = links[i];
    std::fill_n(&unit.K[0][0][0], 6 * LoopBlock<S>::padded, S(0.0));
    for (int k = 0; k < 6; ++k) unit.K[0][k][k] = S(1.0);
    std::fill_n(unit.r, LoopBlock<S>::padded, S(0.0));
    probe.S_.front() = {};
    probe.pass_joint(static_cast<int>(i), link, link.wide < 0 ? nullptr : &wide[at(link.wide)], links[at(link.parent)]);
    Mat6<double> K, C;
    for (int row = 0; row < 6; ++row)
      for (int c = 0; c < 6; ++c) {
        K(row, c) = of_world(unit.K[0][c][row], 0);
        C(row, c) = of_world(probe.compliance(0)[row][c], 0);
      }
    Omega[i] = C + K * Omega[at(link.parent)] * K.transpose();
  }
  for (LoopBlock<S>& block : blocks_) {
    block.whole = 0.0;
    if (!block.to_world || (block.link[0] != 0 && block.link[1] != 0)) continue;
    const std::size_t side = block.link[0] == 0 ? 1 : 0;
    for (int k = 0; k < block.rows; ++k) {
      Vec6<double> K;
      for (int c = 0; c < 6; ++c) K[c] = of_world(block.on_link[side][c][k], 0);
      block.whole += block.weight[k] * K.dot(Omega[at(block.link[side])] * K);
    }
  }
}

template <class S> int LoopRows<S>::coupling(int a, int b) {
  if (a == b) return a;
  const auto found = coupling_of_.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(S_.size()));
  if (found.second) S_.emplace_back();
  return found.first->second;
}

template <class S> void LoopRows<S>::place_at(int link, TreeLink<S>& on) {
  std::vector<Open>& open = open_[at(link)];
  std::sort(open.begin(), open.end(),
            [](const Open& a, const Open& b) { return std::pair(a.block, a.side) < std::pair(b.block, b.side); });
  for (std::size_t i = 0; i < open.size(); ++i)
    while (i + 1 < open.size() && open[i + 1].block == open[i].block) {
      blocks_[at(open[i].block)].merge(open[i + 1].side, open[i].side);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  const std::vector<Open> arrived = open;
  for (const Open& each : arrived)
    if (const LoopBlock<S>& block = blocks_[at(each.block)]; !block.to_world && block.meet == link && each.side == 0)
      place_here(each.block, link, on);
  const auto may_go = [&](const Open& each) {  // all its sides have come together
    return blocks_[at(each.block)].to_world && link <= blocks_[at(each.block)].together;
  };
  while (std::count_if(open.begin(), open.end(), may_go) > few) {
    double most = tolerances::soft_link;
    int best = -1;
    for (const Open& each : open) {
      const LoopBlock<S>& block = blocks_[at(each.block)];
      if (!may_go(each) || link >= block.inward_of) continue;
      if (const double soft = softness(block, each.block, on); soft >= most) {
        most = soft;
        best = each.block;
      }
    }
    if (best < 0) break;
    place_here(best, link, on);
  }
  for (const Open& each : open) {
    entries_[at(link)].push_back(entry_of(each.block, each.side, link));
    if (on.parent != 0) open_[at(on.parent)].push_back(each);
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    for (std::size_t j = i; j < open.size(); ++j)
      pairs_[at(link)].push_back({static_cast<int>(i), static_cast<int>(j), coupling(open[i].block, open[j].block)});
}

template <class S> void LoopRows<S>::place_here(int block, int link, TreeLink<S>& on) {
  std::vector<Open>& open = open_[at(link)];
  std::erase_if(open, [&](const Open& each) { return each.block == block; });
  LoopBlock<S>& a = blocks_[at(block)];
  for (const Open& each : open) {
    const auto found = coupling_of_.find({std::min(block, each.block), std::max(block, each.block)});
    if (found == coupling_of_.end()) continue;
    if (each.block < block) {  // so far the other one was to be first
      Square& both = S_[at(found->second)];
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < i; ++j) std::swap(both.data[i][j], both.data[j][i]);
    }
    a.later.emplace_back(each.block, found->second);
  }
  for (std::size_t i = 0; i < a.later.size(); ++i)
    for (std::size_t j = i; j < a.later.size(); ++j) a.updates.push_back(coupling(a.later[i].first, a.later[j].first));
  a.meet = link;
  a.turn = turn_++;
  factor(a, block, &on);
}

// The least of (6) and (7) over the pivots of a block, in the order that sweeps take them in. One without rows is no
// burden.
template <class S> double LoopRows<S>::softness(const LoopBlock<S>& a, int index, const TreeLink<S>& on) {
  const Line* S_aa = compliance(index);
  const double trace = of_world(a.trace(S_aa, a.rows), 0);
  double A[6][6], Z[6][6], least = 1.0;
  for (int i = 0; i < a.rows; ++i)
    for (int c = 0; c < 6; ++c) {
      A[i][c] = of_world(S_aa[i][c], 0);
      Z[i][c] = of_world(a.K[0][c][i], 0) + of_world(a.K[1][c][i], 0);
    }
  for (int j = 0; j < a.rows; ++j) {
    const double d = A[j][j];
    if (!(d > 0.0)) return 0.0;
    least = std::min({least, d / (d + given_way(on.I, Z[j], 0)), d * a.weight[j] / trace});
    for (int i = j + 1; i < a.rows; ++i) {
      const double l = A[i][j] / d;
      for (int c = 0; c < a.rows; ++c) A[i][c] -= l * A[j][c];
      for (int c = 0; c < 6; ++c) Z[i][c] -= l * Z[j][c];
    }
  }
  return least;
}

template <class S> void LoopRows<S>::look_at_place(LoopBlock<S>& a, int index, const TreeLink<S>& on) {
  const Line* D = compliance(index);
  for (int w = 0; w < worlds_of<S>; ++w)
    for (int j = 0; j < a.rows; ++j) {
      double Z[6];
      for (int c = 0; c < 6; ++c) Z[c] = of_world(a.Z[j][c], w);
      if (const double d = of_world(D[j][j], w); !(d >= tolerances::soft_link_kept * (d + given_way(on.I, Z, w)))) {
        a.weak = true;
        smallest_pivot_ = S(0.0);
      }
    }
}

template <class S> void LoopRows<S>::save_places(RowPlaces& out) const {
  out.found = has_places();
  out.inward_of.clear();
  if (!crowded_) return;
  std::vector<const LoopBlock<S>*> in_order;
  for (const LoopBlock<S>& block : blocks_) in_order.push_back(&block);
  std::sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) { return before(*a, *b); });
  for (const LoopBlock<S>* block : in_order) out.inward_of.push_back(block->inward_of);
}

template <class S> bool LoopRows<S>::load_places(const RowPlaces& in, std::size_t links) {
  if (!crowded_) return false;
  if (in.inward_of.size() != blocks_.size())
    throw std::invalid_argument("the memory of a simulation is of another model");
  wants_places_ = true;
  std::sort(blocks_.begin(), blocks_.end(), before<S>);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const int link = in.inward_of[i];
    if (link != LoopBlock<S>::no_link && (link < 1 || at(link) >= links))
      throw std::invalid_argument("the memory of a simulation holds a link that is not there");
    blocks_[i].inward_of = link;
  }
  return in.found;
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
