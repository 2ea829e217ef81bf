// Rows at a state. What is done once a model is in loop_order.cpp, the steps of the sweep in loop_sweep.cpp.
#include "tandem/tree/loop_rows.hpp"

#include <algorithm>

#include "tandem/tree/lanes.hpp"
#include "tandem/tree/seen_from_f.hpp"

namespace tandem {

template <class S> void LoopBlock<S>::take_rows_in_use() {
  points_only = begins_with_points && rows > 0;
  for (int k = 0; k < rows; ++k) {
    points_only = points_only && row[static_cast<std::size_t>(k)] < 3;
    weight[k] = 1.0 / (size_in_use(k) * size_in_use(k));
  }
}

template <class S> void LoopBlock<S>::merge(int side, int into) {
  for (int c = 0; c < 6; ++c)
    for (int first = 0; first < rows; first += Lanes<S>::count) {
      S *from = K_of(side)[c] + first, *to = K_of(into)[c] + first;
      (Lanes<S>::load(to) + Lanes<S>::load(from)).store(to);
      Lanes<S>().store(from);
    }
  at_of(side) = -1;
}

template <class S> void LoopRows<S>::use_all_rows() {
  bool other_rows = false;
  for (LoopBlock<S>& block : blocks_) {
    other_rows = other_rows || block.rows != block.all_rows;
    block.rows = block.all_rows;
    for (int row = 0; row < block.all_rows; ++row) block.row[static_cast<std::size_t>(row)] = row;
    block.take_rows_in_use();
  }
  reconsider_places(other_rows);
}

template <class S> void LoopRows<S>::use(const std::vector<int>& rows_of_model) {
  bool other_rows = false;
  for (LoopBlock<S>& block : blocks_) {
    const int rows_before = block.rows;
    const std::array<int, 6> row_before = block.row;
    block.rows = 0;
    for (int row = 0; row < block.all_rows; ++row)
      if (std::binary_search(rows_of_model.begin(), rows_of_model.end(), block.row_of_model + row))
        block.row[static_cast<std::size_t>(block.rows++)] = row;
    other_rows = other_rows || block.rows != rows_before ||
                 !std::equal(row_before.begin(), row_before.begin() + rows_before, block.row.begin());
    block.take_rows_in_use();
  }
  reconsider_places(other_rows);
}

template <class S> void LoopRows<S>::update(const std::vector<TreeLink<S>>& links, const S* q, const S* v, const S& t) {
  t_ = t;
  for (LoopBlock<S>& block : blocks_) {
    if (block.on_coordinates) {
      update_terms(block, links, q, v);
      continue;
    }
    if (block.custom) {
      update_custom(block, links, t);
      continue;
    }
    const TreeLink<S>& one = links[static_cast<std::size_t>(block.link[0])];
    const TreeLink<S>& two = links[static_cast<std::size_t>(block.link[1])];
    if (block.link[0] == 0)
      update<true>(block, one, two, t);
    else
      update<false>(block, one, two, t);
  }
}

// Values of the rows in use from the block's first row `first` on; behind the last: one that is there.
template <class S> struct RowsInUse {
  std::array<int, Lanes<S>::count> row;

  RowsInUse(const LoopBlock<S>& block, int first) {
    for (int k = 0; k < Lanes<S>::count; ++k)
      row[static_cast<std::size_t>(k)] = block.row[static_cast<std::size_t>(std::min(first + k, block.rows - 1))];
  }
  TANDEM_INLINE Lanes<S> of(const S* values, int stride = 1) const {
    return {values[stride * row[0]], values[stride * row[1]], values[stride * row[2]], values[stride * row[3]]};
  }
  TANDEM_INLINE Lanes<S> of(const V3<S>& a) const { return of(&a.x); }
  TANDEM_INLINE V3<Lanes<S>> of_vectors(const S* values, int stride) const {
    return {of(values, stride), of(values + 1, stride), of(values + 2, stride)};
  }
};

// Of what the rows do to the world only the part along gravity is asked for.
template <class S>
template <bool on_world>
void LoopRows<S>::update(LoopBlock<S>& block, const TreeLink<S>& one, const TreeLink<S>& two, const S& t) {
  const SeenFromF<S, on_world> seen(block.R, block.p, one, two);
  const M3<S>& Q = seen.Q;
  const V3<S>&s = seen.s, &p = seen.p, &dw = seen.dw, &dv = seen.dv, &p_dot = seen.p_dot;
  const V3<S> turning = seen.turning(), moving = seen.moving();
  if (block.points_only) {  // φ = p, T = (0, 1), no bias: (1) and (2) come down to this
    const RowsInUse<S> rows(block, 0);
    rows.of(p).store(block.phi);
    rows.of(p_dot).store(block.rate);
    rows.of(moving + cross(turning, p)).store(block.right);
    const V3<Lanes<S>> f1 = rows.of_vectors(&block.R[0].x.x, 3), f2(rows.of(Q.x), rows.of(Q.y), rows.of(Q.z));
    const V3<Lanes<S>> n1 = cross(block.p[0] + block.R[0] * p, f1);
    SixLanes<S, LoopBlock<S>::padded>{{-n1.x, -n1.y, -n1.z}, {-f1.x, -f1.y, -f1.z}}.store(block.on_link[0], 0);
    SixLanes<S, LoopBlock<S>::padded>{cross(block.p[1], f2), f2}.store(block.on_link[1], 0);
    return;
  }
  block.x = seen.relative(block.R);
  fill(block, block.x, t, pair_rows_);
  for (int first = 0; first < block.rows; first += Lanes<S>::count) {
    const RowsInUse<S> rows(block, first);
    const V3<Lanes<S>> f = rows.of_vectors(pair_rows_.T.data() + 3, 6);
    const V3<Lanes<S>> n = rows.of_vectors(pair_rows_.T.data(), 6) + cross(p, f);  // (1)
    (dot(n, dw) + dot(f, dv) + rows.of(pair_rows_.phi_t.data())).store(block.rate + first);
    Lanes<S> right = dot(f, moving) - rows.of(pair_rows_.bias.data());  // (2)
    const V3<Lanes<S>> f1 = block.R[0] * f;
    V3<Lanes<S>> n1;
    if (!on_world) {
      right = right + dot(n, turning);
      n1 = block.R[0] * n + cross(block.p[0], f1);
    }
    right.store(block.right + first);
    SixLanes<S, LoopBlock<S>::padded>{{-n1.x, -n1.y, -n1.z}, {-f1.x, -f1.y, -f1.z}}.store(block.on_link[0], first);
    SixLanes<S, LoopBlock<S>::padded>{transposed_times(Q, n - cross(s, f)), transposed_times(Q, f)}.store(
        block.on_link[1], first);
  }
  for (int k = 0; k < block.rows; ++k) {
    const int row = block.row[static_cast<std::size_t>(k)];
    block.phi[k] = row < block.holonomic ? pair_rows_.phi[row] : S(0.0);
    if (block.moves) block.phi_t[k] = pair_rows_.phi_t[row];
  }
}

template <class S>
template <class Visit>
void LoopRows<S>::visit_left_out(const std::vector<TreeLink<S>>& links, Visit&& visit) const {
  for (const LoopBlock<S>& block : blocks_) {
    if (block.rows == block.all_rows) continue;
    const auto visit_others = [&](const auto& visit_row) {
      int next = 0;
      for (int row = 0; row < block.all_rows; ++row)
        if (next < block.rows && block.row[static_cast<std::size_t>(next)] == row)
          ++next;
        else
          visit_row(row);
    };
    if (block.custom || block.on_coordinates) {
      visit_others([&](int row) { visit(block, row, block.phi_of_all[row], block.rate_of_all[row]); });
      continue;
    }
    const TreeLink<S>& one = links[static_cast<std::size_t>(block.link[0])];
    const TreeLink<S>& two = links[static_cast<std::size_t>(block.link[1])];
    const Relative<S> x = block.link[0] == 0 ? SeenFromF<S, true>(block.R, block.p, one, two).relative(block.R)
                                             : SeenFromF<S, false>(block.R, block.p, one, two).relative(block.R);
    PairRows<S> rows;
    fill(block, x, t_, rows);
    visit_others([&](int row) {
      visit(block, row, row < block.holonomic ? rows.phi[row] : S(0.0),
            rows.T.col(row).dot(x.twist()) + rows.phi_t[row]);
    });
  }
}

template <class S> TreeResiduals Tree<S>::left_out() const {
  TreeResiduals out;
  loops_.visit_left_out(links_, [&](const LoopBlock<S>& block, int row, const S& phi, const S& rate) {
    const double size = block.size[static_cast<std::size_t>(row)];
    out.see(largest_of(phi) / size, largest_of(rate) / size, block.length);
  });
  return out;
}

template <class S> void LoopRows<S>::take_off_forces(std::vector<TreeLink<S>>& links) const {
  for (const LoopBlock<S>& block : blocks_)
    for (int side = 0; side < block.sides(); ++side) {
      if (block.link_of(side) == 0) continue;
      TreeLink<S>& on = links[static_cast<std::size_t>(block.link_of(side))];
      const auto& K = block.on_link_of(side);
      for (int k = 0; k < block.rows; ++k) {
        const S lambda = block.lambda[k];
        on.p_w = on.p_w - lambda * V3<S>(K[0][k], K[1][k], K[2][k]);
        on.p_v = on.p_v - lambda * V3<S>(K[3][k], K[4][k], K[5][k]);
      }
    }
}

template <class S> S LoopRows<S>::power() const {
  S power(0.0);
  for (const LoopBlock<S>& block : blocks_)
    if (block.moves)
      for (int k = 0; k < block.rows; ++k) power -= block.lambda[k] * block.phi_t[k];
  return power;
}

template <class S> bool LoopRows<S>::in_trouble() const {
  return std::any_of(blocks_.begin(), blocks_.end(), [](const LoopBlock<S>& block) {
    if (!block.type) return false;
    for (int w = 0; w < worlds_of<S>; ++w)
      if (!block.type->trouble(of_world(block.x, w), block.length).empty()) return true;
    return false;
  });
}

// Rows that have a φ come first in a block, and stay first among those in use.
template <class S> void LoopRows<S>::ask_for_positions() {
  for (LoopBlock<S>& block : blocks_) {
    block.rows_before = block.rows;
    while (block.rows > 0 && block.row[static_cast<std::size_t>(block.rows - 1)] >= block.holonomic) --block.rows;
    for (int k = 0; k < block.rows; ++k) block.right[k] = -block.phi[k];
  }
}

template <class S> void LoopRows<S>::ask_for_all() {
  for (LoopBlock<S>& block : blocks_) block.rows = block.rows_before;
}

template <class S> void LoopRows<S>::ask_for_velocities() {
  for (LoopBlock<S>& block : blocks_)
    for (int k = 0; k < block.rows; ++k) block.right[k] = -block.rate[k];
}

template <class S> void LoopRows<S>::ask_for(VecIn<S> by_row_of_model) {
  for (LoopBlock<S>& block : blocks_)
    for (int k = 0; k < block.rows; ++k)
      block.right[k] = by_row_of_model[block.row_of_model + block.row[static_cast<std::size_t>(k)]];
}

#define TANDEM_INSTANTIATE(S)   \
  template struct LoopBlock<S>; \
  template class LoopRows<S>;   \
  template class Tree<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
