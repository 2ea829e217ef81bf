// The steps of the sweep over rows, inward and back.
#include <algorithm>

#include "tandem/linalg/known_size.hpp"
#include "tandem/tree/lanes.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

static constexpr double least_pivot = 1e-14;  // of the trace

// A number whose products may be left out. A dual may have a derivative where its value is zero, and a pack another
// world.
[[maybe_unused]] static bool adds_nothing(double x) { return x == 0.0; }
template <class S> static bool adds_nothing(const S&) { return false; }

template <class S> using Six = SixLanes<S, LoopBlock<S>::padded>;

template <class S> static S times(const S* Z, const V3<S>& w, const V3<S>& v) {
  return Z[0] * w.x + Z[1] * w.y + Z[2] * w.z + Z[3] * v.x + Z[4] * v.y + Z[5] * v.z;
}

template <class S> void LoopRows<S>::begin(const std::vector<TreeLink<S>>& links, bool choose) {
  choosing_ = choose;
  smallest_pivot_ = S(1.0);
  held_.clear();
  held_beside_.clear();
  const TreeLink<S>& ground = links.front();
  for (std::size_t a = 0; a < blocks_.size(); ++a) {
    LoopBlock<S>& block = blocks_[a];
    const auto clear = [&](int which, int lines) {
      Line* square = compliance(which);
      for (int i = 0; i < lines; ++i)
        for (int first = 0; first < block.rows; first += Lanes<S>::count) Lanes<S>().store(square[i] + first);
    };
    clear(static_cast<int>(a), block.rows);
    for (const auto& [b, at] : block.later) clear(at, blocks_[static_cast<std::size_t>(b)].rows);
    std::fill_n(block.removed, block.rows, S(0.0));
    std::fill_n(block.lambda, LoopBlock<S>::padded, S(0.0));
    for (int first = 0; first < block.rows; first += Lanes<S>::count) {
      Lanes<S> r = Lanes<S>::load(block.right + first);
      for (std::size_t side = 0; side < 2; ++side) {
        Six<S> K = Six<S>::load(block.on_link[side], first);
        if (block.link[side] == 0) {
          r = r - dot(K.v, ground.a_v);  // the world does not turn
          K = {};
        }
        K.store(block.K[side], first);
      }
      r.store(block.r + first);
    }
    block.held = 0;
    block.at[0] = block.link[0];
    block.at[1] = block.link[1];
    for (typename LoopBlock<S>::Side& side : block.more) {
      std::copy_n(&side.on_link[0][0], 6 * LoopBlock<S>::padded, &side.K[0][0]);
      side.at = side.link;
    }
  }
}

// To the parent's axes; the world's acceleration is known.
template <class S>
TANDEM_INLINE static void step_inward(const TreeLink<S>& on, const TreeLink<S>& parent, Six<S>& K, Lanes<S>& r) {
  r = r - dot(K.w, on.c_w) - dot(K.v, on.c_v);
  const V3<Lanes<S>> f = on.R * K.v, n = on.R * K.w + cross(on.p, f);
  K = {n, f};
  if (on.parent != 0) return;
  r = r - dot(f, parent.a_v);  // which does not turn
  K = {};
}

template <class S>
void LoopRows<S>::pass_joint(int link, const TreeLink<S>& on, const WideJoint<S>* wide, const TreeLink<S>& parent) {
  if (entries_[static_cast<std::size_t>(link)].empty()) return;
  switch (on.kind) {
    case LinkKind::turn:
      return pass_single(link, 2, on, parent);
    case LinkKind::slide:
      return pass_single(link, 5, on, parent);
    case LinkKind::ball:
      return pass_wide<3>(link, on, *wide, parent);
    case LinkKind::floating:
      return pass_wide<6>(link, on, *wide, parent);
    case LinkKind::any:
      return pass_any(link, on, *wide, parent);
    case LinkKind::weld:
      return pass_wide<0>(link, on, {}, parent);
  }
}

template <class S>
void LoopRows<S>::pass_single(int link, int freedom, const TreeLink<S>& on, const TreeLink<S>& parent) {  // (3)
  std::vector<Entry>& entries = entries_[static_cast<std::size_t>(link)];
  for (Entry& entry : entries) {
    LoopBlock<S>& block = blocks_[static_cast<std::size_t>(entry.block)];
    auto& side = block.K_of(entry.side);
    for (int first = 0; first < block.rows; first += Lanes<S>::count) {
      Lanes<S> y = Lanes<S>::load(side[freedom] + first);
      Six<S> K = Six<S>::load(side, first);
      Lanes<S> r = Lanes<S>::load(block.r + first);
      if (entry.has_term) {  // coordinate_rows.cpp (1)
        y = y + entry.term[0];
        if (on.driven) r = r - entry.term[0] * on.acceleration;
      }
      r = r - y * on.u;
      K.w = {K.w.x - y * on.U_w.x, K.w.y - y * on.U_w.y, K.w.z - y * on.U_w.z};
      K.v = {K.v.x - y * on.U_v.x, K.v.y - y * on.U_v.y, K.v.z - y * on.U_v.z};
      step_inward(on, parent, K, r);
      y.store(entry.y[0] + first);
      r.store(block.r + first);
      K.store(side, first);
    }
    block.at_of(entry.side) = on.parent;
  }
  for (const PairOfEntries& pair : pairs_[static_cast<std::size_t>(link)]) {
    const Entry& a = entries[static_cast<std::size_t>(pair.a)];
    const Entry& b = entries[static_cast<std::size_t>(pair.b)];
    const int rows_a = blocks_[static_cast<std::size_t>(a.block)].rows;
    const int rows_b = blocks_[static_cast<std::size_t>(b.block)].rows;
    Line* into = compliance(pair.at);
    for (int j = 0; j < rows_b; ++j)
      for (int first = 0; first < rows_a; first += Lanes<S>::count)
        (Lanes<S>::load(into[j] + first) + b.y[0][j] * on.D_inverse * Lanes<S>::load(a.y[0] + first))
            .store(into[j] + first);
  }
}

template <class S>
template <int freedoms>
void LoopRows<S>::pass_wide(int link, const TreeLink<S>& on, const WideJoint<S>& wide,
                            const TreeLink<S>& parent) {  // (3), with y ← L⁻¹ y of WideJoint
  std::vector<Entry>& entries = entries_[static_cast<std::size_t>(link)];
  for (Entry& entry : entries) {
    LoopBlock<S>& block = blocks_[static_cast<std::size_t>(entry.block)];
    auto& side = block.K_of(entry.side);
    for (int first = 0; first < block.rows; first += Lanes<S>::count) {
      Six<S> K = Six<S>::load(side, first);
      Lanes<S> r = Lanes<S>::load(block.r + first);
      Lanes<S> y[6] = {K.w.x, K.w.y, K.w.z, K.v.x, K.v.y, K.v.z};
      if constexpr (freedoms == 6) WideJoint<S>::linear_first(y);
#pragma GCC unroll 6
      for (int i = 0; i < freedoms; ++i) {
#pragma GCC unroll 6
        for (int k = 0; k < i; ++k) y[i] = y[i] - y[k] * wide.L[i][k];
        y[i].store(entry.y[i] + first);
        (y[i] * wide.d_inverse[i]).store(entry.weighted[i] + first);
        r = r - y[i] * wide.u[i];
      }
      if constexpr (freedoms == 3) {
        const auto change = [&](int axis) {
          return y[0] * wide.U[0][axis] + y[1] * wide.U[1][axis] + y[2] * wide.U[2][axis];
        };
        K.v = K.v - V3<Lanes<S>>(change(0), change(1), change(2));
        K.w = {};
      }
      if constexpr (freedoms == 6)
        K = {};
      else
        step_inward(on, parent, K, r);
      r.store(block.r + first);
      K.store(side, first);
    }
    block.at_of(entry.side) = on.parent;
  }
  if constexpr (freedoms > 0) add_compliance(link, std::integral_constant<int, freedoms>());
}

// The same with the columns of a joint as they are (any_joint.hpp).
template <class S>
void LoopRows<S>::pass_any(int link, const TreeLink<S>& on, const WideJoint<S>& wide, const TreeLink<S>& parent) {
  const AnyJoint<S>& joint = *on.any;
  for (Entry& entry : entries_[static_cast<std::size_t>(link)]) {
    LoopBlock<S>& block = blocks_[static_cast<std::size_t>(entry.block)];
    auto& side = block.K_of(entry.side);
    for (int first = 0; first < block.rows; first += Lanes<S>::count) {
      Six<S> K = Six<S>::load(side, first);
      Lanes<S> r = Lanes<S>::load(block.r + first);
      Lanes<S> y[6];
      for (int i = 0; i < joint.nv; ++i) {
        y[i] = dot(K.w, joint.S_w[i]) + dot(K.v, joint.S_v[i]);
        if (entry.has_term) {
          y[i] = y[i] + entry.term[i];
          if (i >= wide.freedoms) r = r - entry.term[i] * joint.acceleration[i];
        }
        if (i >= wide.freedoms) {  // driven
          y[i].store(entry.y[i] + first);
          continue;
        }
        for (int k = 0; k < i; ++k) y[i] = y[i] - y[k] * wide.L[i][k];
        y[i].store(entry.y[i] + first);
        (y[i] * wide.d_inverse[i]).store(entry.weighted[i] + first);
        r = r - y[i] * wide.u[i];
      }
      for (int i = 0; i < wide.freedoms; ++i) {
        const V3<S>&w = joint.U_w[i], &v = joint.U_v[i];
        K.w = K.w - V3<Lanes<S>>(y[i] * w.x, y[i] * w.y, y[i] * w.z);
        K.v = K.v - V3<Lanes<S>>(y[i] * v.x, y[i] * v.y, y[i] * v.z);
      }
      step_inward(on, parent, K, r);
      r.store(block.r + first);
      K.store(side, first);
    }
    block.at_of(entry.side) = on.parent;
  }
  add_compliance(link, wide.freedoms);
}

template <class S> template <class Count> void LoopRows<S>::add_compliance(int link, Count freedoms) {
  const std::vector<Entry>& entries = entries_[static_cast<std::size_t>(link)];
  for (const PairOfEntries& pair : pairs_[static_cast<std::size_t>(link)]) {
    const Entry& a = entries[static_cast<std::size_t>(pair.a)];
    const Entry& b = entries[static_cast<std::size_t>(pair.b)];
    const int rows_a = blocks_[static_cast<std::size_t>(a.block)].rows;
    const int rows_b = blocks_[static_cast<std::size_t>(b.block)].rows;
    Line* into = compliance(pair.at);
    for (int first = 0; first < rows_a; first += Lanes<S>::count) {
      const Six<S> weighted = Six<S>::load(a.weighted, first);
      const Lanes<S> by[6] = {weighted.w.x, weighted.w.y, weighted.w.z, weighted.v.x, weighted.v.y, weighted.v.z};
      for (int j = 0; j < rows_b; ++j) {
        Lanes<S> sum = Lanes<S>::load(into[j] + first);
        for (int i = 0; i < freedoms; ++i) sum = sum + b.y[i][j] * by[i];
        sum.store(into[j] + first);
      }
    }
  }
}

template <class S> void LoopRows<S>::eliminate_at(int link, TreeLink<S>& on) {
  if (placing_) return place_at(link, on);
  if (!merges_.empty()) merge_at(link);
  for (const int a : meeting_[static_cast<std::size_t>(link)]) factor(blocks_[static_cast<std::size_t>(a)], a, &on);
}

template <class S> void LoopRows<S>::factor(LoopBlock<S>& a, int index, TreeLink<S>* on) {
  with_known_size(a.rows, [&]<int n>() {
    if constexpr (n > 0) this->template factor<n>(a, index, on);  // a block may have no row in use
  });
}

template <class S> template <int n> void LoopRows<S>::factor(LoopBlock<S>& a, int index, TreeLink<S>* on) {  // (4)
  Line* A = compliance(index);
  if (a.held != 0) stand_in_for_held(a, index);
  const S trace = a.trace(A, n);
  for (int i = 0; i < n; ++i) a.order[i] = i;
  if (on)
    for (int i = 0; i < n; ++i)
      for (int c = 0; c < 6; ++c) a.Z[i][c] = a.K[0][c][i] + a.K[1][c][i];
  const S least = least_pivot * trace;
  const auto pivot = [&](int i) -> S { return A[i][i] * a.weight[i]; };
  for (int step = 0; step < n; ++step) {
    if (choosing_) {
      int best = step;
      for (int i = step + 1; i < n; ++i)
        if (of_world(pivot(a.order[i]), 0) > of_world(pivot(a.order[best]), 0)) best = i;
      std::swap(a.order[step], a.order[best]);
    }
    const int j = a.order[step];
    const S d = A[j][j], part = pivot(j) / trace;
    a.D_inverse[j] = select(pivot(j) <= least, S(0.0), S(1.0 / d));  // what is not a number stays
    smallest_pivot_ = select(part >= smallest_pivot_, smallest_pivot_, part);
    for (int other = step + 1; other < n; ++other) {
      const int i = a.order[other];
      const S l = A[i][j] * a.D_inverse[j];
      a.L[i][j] = l;
      if (adds_nothing(l)) continue;
      for (int first = 0; first < n; first += Lanes<S>::count)
        (Lanes<S>::load(A[i] + first) - l * Lanes<S>::load(A[j] + first)).store(A[i] + first);
      a.r[i] -= l * a.r[j];
      if (on)
        for (int c = 0; c < 6; ++c) a.Z[i][c] -= l * a.Z[j][c];
      for (const auto& [b, at] : a.later) {
        Line* B = compliance(at);
        for (int row = 0; row < blocks_[static_cast<std::size_t>(b)].rows; ++row) B[row][i] -= l * B[row][j];
      }
    }
  }
  std::size_t update = 0;
  for (std::size_t p = 0; p < a.later.size(); ++p) {
    LoopBlock<S>& b = blocks_[static_cast<std::size_t>(a.later[p].first)];
    Line* B = compliance(a.later[p].second);
    Line C[n];  // (B D⁻¹)ᵀ: per row of this block, those of b
    for (int j = 0; j < n; ++j)
      for (int first = 0; first < b.rows; first += Lanes<S>::count) Lanes<S>().store(C[j] + first);
    for (int i = 0; i < b.rows; ++i)
      for (int j = 0; j < n; ++j) C[j][i] = B[i][j] * a.D_inverse[j];
    // Takes Σ of the lines of C times a factor each off a line.
    const auto take_off = [&](S* line, const auto& factor) {
      for (int first = 0; first < b.rows; first += Lanes<S>::count) {
        Lanes<S> left = Lanes<S>::load(line + first);
        for (int j = 0; j < n; ++j) left = left - factor(j) * Lanes<S>::load(C[j] + first);
        left.store(line + first);
      }
    };
    take_off(b.r, [&](int j) { return a.r[j]; });
    if (on)
      for (int side = 0; side < b.sides(); ++side) {
        if (b.at_of(side) != a.meet) continue;
        auto& K = b.K_of(side);
        for (int c = 0; c < 6; ++c) take_off(K[c], [&](int j) { return a.Z[j][c]; });
        break;
      }
    for (int i = 0; i < b.rows; ++i)
      for (int j = 0; j < n; ++j) b.removed[i] += B[i][j] * C[j][i];
    for (std::size_t q = p; q < a.later.size(); ++q, ++update) {
      const Line* B_c = compliance(a.later[q].second);
      Line* into = compliance(a.updates[update]);
      for (int k = 0; k < blocks_[static_cast<std::size_t>(a.later[q].first)].rows; ++k)
        take_off(into[k], [&](int j) { return B_c[k][j]; });
    }
  }
  if (!on) return;
  if (a.to_world) look_at_place(a, index, *on);
  for (int j = 0; j < n; ++j) {
    const S* Z = a.Z[j];
    const S g = a.D_inverse[j];
    if (adds_nothing(g)) continue;
    ArticulatedInertia<S>& I = on->I;
    I.A = I.A +
          Sym3<S>{g * Z[0] * Z[0], g * Z[0] * Z[1], g * Z[0] * Z[2], g * Z[1] * Z[1], g * Z[1] * Z[2], g * Z[2] * Z[2]};
    I.C = I.C +
          Sym3<S>{g * Z[3] * Z[3], g * Z[3] * Z[4], g * Z[3] * Z[5], g * Z[4] * Z[4], g * Z[4] * Z[5], g * Z[5] * Z[5]};
    const V3<S> n_z(Z[0], Z[1], Z[2]);
    I.B.x += g * Z[3] * n_z;
    I.B.y += g * Z[4] * n_z;
    I.B.z += g * Z[5] * n_z;
    const S pull = g * a.r[j];
    on->p_w = on->p_w - pull * n_z;
    on->p_v = on->p_v - pull * V3<S>(Z[3], Z[4], Z[5]);
  }
}

template <class S> void LoopRows<S>::back(LoopBlock<S>& a, const TreeLink<S>* on) {  // (5)
  const int n = a.rows;
  for (int step = n - 1; step >= 0; --step) {
    const int j = a.order[step];
    S x = a.r[j];
    if (on) x -= times(a.Z[j], on->a_w, on->a_v);
    for (const auto& [b, at] : a.later) {
      const LoopBlock<S>& other = blocks_[static_cast<std::size_t>(b)];
      const Line* B = compliance(at);
      for (int i = 0; i < other.rows; ++i) x -= B[i][j] * other.lambda[i];
    }
    x *= a.D_inverse[j];
    for (int later = step + 1; later < n; ++later) x -= a.L[a.order[later]][j] * a.lambda[a.order[later]];
    a.lambda[j] = select(a.D_inverse[j] == S(0.0), S(0.0), x);
  }
  if (a.held != 0) find_held(a);
}

template <class S> void LoopRows<S>::solve_at_world() {
  const std::vector<int>& last = meeting_[0];
  for (const int a : last) factor(blocks_[static_cast<std::size_t>(a)], a, nullptr);
  for (std::size_t k = last.size(); k-- > 0;) back(blocks_[static_cast<std::size_t>(last[k])], nullptr);
}

template <class S> void LoopRows<S>::add_to_joint(int link, int freedoms, S* effort) const {
  for (const Entry& entry : entries_[static_cast<std::size_t>(link)]) {
    const LoopBlock<S>& block = blocks_[static_cast<std::size_t>(entry.block)];
    for (int f = 0; f < freedoms; ++f)
      for (int first = 0; first < block.rows; first += Lanes<S>::count)
        effort[f] += (Lanes<S>::load(entry.y[f] + first) * Lanes<S>::load(block.lambda + first)).sum();
  }
}

template <class S> void LoopRows<S>::back_at(int link, const TreeLink<S>& on) {
  const std::vector<int>& here = meeting_[static_cast<std::size_t>(link)];
  for (std::size_t k = here.size(); k-- > 0;) back(blocks_[static_cast<std::size_t>(here[k])], &on);
}

template <class S> void LoopRows<S>::end() {
  if (!choosing_) return;
  choosing_ = false;
  bool other_rows = false;
  for (LoopBlock<S>& block : blocks_) {
    int kept = 0;
    for (int k = 0; k < block.rows; ++k) {
      if (of_world(block.D_inverse[k], 0) == 0.0) continue;
      block.lambda[kept] = block.lambda[k];
      block.row[static_cast<std::size_t>(kept++)] = block.row[static_cast<std::size_t>(k)];
    }
    other_rows = other_rows || kept != block.rows;
    block.rows = kept;
    block.take_rows_in_use();
  }
  reconsider_places(other_rows);
}

#define TANDEM_INSTANTIATE(S) template class LoopRows<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
