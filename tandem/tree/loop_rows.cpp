// Rows at a state, and the steps of the sweep. What is done once a model is in loop_order.cpp.
#include "tandem/tree/loop_rows.hpp"

#include <algorithm>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

static constexpr double least_pivot = 1e-14;  // of the trace

void LoopBlock::find_points() {
  points_only = begins_with_points;
  for (int k = 0; k < rows; ++k) points_only = points_only && row[static_cast<std::size_t>(k)] < 3;
}

void LoopRows::use_all_rows() {
  use([](const LoopBlock&, int) { return true; });
}

void LoopRows::use(bool (*wanted)(const LoopBlock&, int row)) {
  for (LoopBlock& block : blocks_) {
    block.rows = 0;
    for (int row = 0; row < block.all_rows; ++row)
      if (wanted(block, row)) block.row[static_cast<std::size_t>(block.rows++)] = row;
    block.find_points();
  }
}

// ---- at a state ----------------------------------------------------------------------------------------------------

void LoopRows::update(const std::vector<TreeLink<double>>& links, double t) {
  bool points_before = false;
  for (LoopBlock& block : blocks_) {
    if (block.points_only && !points_before) {  // φ = p, T = (0, 1), no bias: all that changes is p
      pair_rows_.resize(3);
      pair_rows_.T.bottomRows<3>().setIdentity();
    }
    points_before = block.points_only;
    const TreeLink<double>& one = links[static_cast<std::size_t>(block.link[0])];
    const TreeLink<double>& two = links[static_cast<std::size_t>(block.link[1])];
    const M3<double> R_WF = one.R_W * block.R[0], Q = R_WF.transposed() * two.R_W;
    const V3<double> p_WF = one.p_W + one.R_W * block.p[0];
    const V3<double> s = R_WF.transposed_times(two.p_W - p_WF);  // link 2's origin seen from F
    const V3<double> p = s + Q * block.p[1];
    const V3<double> w1 = block.R[0].transposed_times(one.w), w2 = Q * two.w;
    const V3<double> v1 = block.R[0].transposed_times(one.v_origin + cross(one.w, block.p[0]));
    const V3<double> v2 = Q * two.v_origin + cross(s, w2);
    const V3<double> dw = w2 - w1, dv = v2 - v1, p_dot = dv + cross(dw, p);
    if (block.points_only) {
      pair_rows_.phi.head<3>() = p.vector();
    } else {
      block.x = {(Q * block.R[1]).matrix(), p.vector(), dw.vector(), p_dot.vector()};
      if (block.joint)
        block.joint->forbid(block.x, pair_rows_);
      else
        block.constraint->rows(block.x, t, pair_rows_);
    }
    const V3<double> turning = cross(w1, dw), moving = cross(w1, dv) + cross(v1, dw) - cross(dw, p_dot);
    for (int k = 0; k < block.rows; ++k) {
      const int row = block.row[static_cast<std::size_t>(k)];
      const double* T = pair_rows_.T.data() + 6 * row;
      const V3<double> f(T[3], T[4], T[5]), n = V3<double>(T[0], T[1], T[2]) + cross(p, f);  // (1)
      block.phi[k] = row < block.holonomic ? pair_rows_.phi[row] : 0.0;
      block.rate[k] = dot(n, dw) + dot(f, dv) + pair_rows_.phi_t[row];
      block.right[k] = dot(n, turning) + dot(f, moving) - pair_rows_.bias[row];  // (2)
      const V3<double> f2 = Q.transposed_times(f), n2 = Q.transposed_times(n - cross(s, f));
      const V3<double> f1 = block.R[0] * f, n1 = block.R[0] * n + cross(block.p[0], f1);
      double* on1 = block.on_link[0][k];
      double* on2 = block.on_link[1][k];
      on1[0] = -n1.x, on1[1] = -n1.y, on1[2] = -n1.z, on1[3] = -f1.x, on1[4] = -f1.y, on1[5] = -f1.z;
      on2[0] = n2.x, on2[1] = n2.y, on2[2] = n2.z, on2[3] = f2.x, on2[4] = f2.y, on2[5] = f2.z;
    }
  }
}

bool LoopRows::in_trouble() const {
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [](const LoopBlock& block) { return block.type && !block.type->trouble(block.x).empty(); });
}

// Rows that have a φ come first in a block, and stay first among those in use.
void LoopRows::ask_for_positions() {
  for (LoopBlock& block : blocks_) {
    block.rows_before = block.rows;
    while (block.rows > 0 && block.row[static_cast<std::size_t>(block.rows - 1)] >= block.holonomic) --block.rows;
    for (int k = 0; k < block.rows; ++k) block.right[k] = -block.phi[k];
  }
}

void LoopRows::ask_for_all() {
  for (LoopBlock& block : blocks_) block.rows = block.rows_before;
}

void LoopRows::ask_for_velocities() {
  for (LoopBlock& block : blocks_)
    for (int k = 0; k < block.rows; ++k) block.right[k] = -block.rate[k];
}

// ---- the sweep -----------------------------------------------------------------------------------------------------

static double times(const double* K, const V3<double>& w, const V3<double>& v) {
  return K[0] * w.x + K[1] * w.y + K[2] * w.z + K[3] * v.x + K[4] * v.y + K[5] * v.z;
}

void LoopRows::begin(const std::vector<TreeLink<double>>& links, bool choose) {
  choosing_ = choose;
  smallest_pivot_ = 1.0;
  const TreeLink<double>& ground = links.front();
  for (std::size_t a = 0; a < blocks_.size(); ++a) {
    LoopBlock& block = blocks_[a];
    const auto clear = [&](int which, int lines) {
      double(*square)[6] = S(which);
      for (int i = 0; i < lines; ++i) std::fill_n(square[i], block.rows, 0.0);
    };
    clear(static_cast<int>(a), block.rows);
    for (const auto& [b, at] : block.later) clear(at, blocks_[static_cast<std::size_t>(b)].rows);
    std::copy_n(block.right, block.rows, block.r);
    std::fill_n(block.removed, block.rows, 0.0);
    for (std::size_t side = 0; side < 2; ++side) {
      for (int k = 0; k < block.rows; ++k) {
        if (block.link[side] == 0) {
          block.r[k] -= times(block.on_link[side][k], ground.a_w, ground.a_v);
          std::fill_n(block.K[side][k], 6, 0.0);
        } else {
          std::copy_n(block.on_link[side][k], 6, block.K[side][k]);
        }
      }
      block.at[side] = block.link[side];
    }
  }
}

// To the parent's axes; the world's acceleration is known.
TANDEM_INLINE static void step_inward(const TreeLink<double>& on, const TreeLink<double>& parent, double* K,
                                      double& r) {
  const V3<double> k_w(K[0], K[1], K[2]), k_v(K[3], K[4], K[5]);
  r -= dot(k_w, on.c_w) + dot(k_v, on.c_v);
  const V3<double> f = on.R * k_v, n = on.R * k_w + cross(on.p, f);
  if (on.parent == 0) {
    r -= dot(n, parent.a_w) + dot(f, parent.a_v);
    std::fill_n(K, 6, 0.0);
  } else {
    K[0] = n.x, K[1] = n.y, K[2] = n.z, K[3] = f.x, K[4] = f.y, K[5] = f.z;
  }
}

void LoopRows::pass_joint(int link, const TreeLink<double>& on, const WideJoint* wide, const TreeLink<double>& parent) {
  if (entries_[static_cast<std::size_t>(link)].empty()) return;
  switch (on.kind) {
    case LinkKind::turn:
      return pass_single(link, 2, on, parent);
    case LinkKind::slide:
      return pass_single(link, 5, on, parent);
    case LinkKind::ball:
      return pass_wide(link, 3, on, *wide, parent);
    case LinkKind::floating:
      return pass_wide(link, 6, on, *wide, parent);
    case LinkKind::weld:
      return pass_wide(link, 0, on, {}, parent);
  }
}

void LoopRows::pass_single(int link, int freedom, const TreeLink<double>& on, const TreeLink<double>& parent) {  // (3)
  std::vector<Entry>& entries = entries_[static_cast<std::size_t>(link)];
  for (Entry& entry : entries) {
    LoopBlock& block = blocks_[static_cast<std::size_t>(entry.block)];
    for (int k = 0; k < block.rows; ++k) {
      double* K = block.K[entry.side][k];
      const double y = K[freedom];
      entry.y[k][0] = y;
      block.r[k] -= y * on.u;
      K[0] -= y * on.U_w.x, K[1] -= y * on.U_w.y, K[2] -= y * on.U_w.z;
      K[3] -= y * on.U_v.x, K[4] -= y * on.U_v.y, K[5] -= y * on.U_v.z;
      step_inward(on, parent, K, block.r[k]);
    }
    block.at[entry.side] = on.parent;
  }
  for (const PairOfEntries& pair : pairs_[static_cast<std::size_t>(link)]) {
    const Entry& a = entries[static_cast<std::size_t>(pair.a)];
    const Entry& b = entries[static_cast<std::size_t>(pair.b)];
    const int rows_a = blocks_[static_cast<std::size_t>(a.block)].rows;
    const int rows_b = blocks_[static_cast<std::size_t>(b.block)].rows;
    double(*into)[6] = S(pair.S);
    for (int j = 0; j < rows_b; ++j) {
      const double scaled = b.y[j][0] * on.D_inverse;
      for (int i = 0; i < rows_a; ++i) into[j][i] += scaled * a.y[i][0];
    }
  }
}

void LoopRows::pass_wide(int link, int freedoms, const TreeLink<double>& on, const WideJoint& wide,
                         const TreeLink<double>& parent) {  // (3)
  std::vector<Entry>& entries = entries_[static_cast<std::size_t>(link)];
  for (Entry& entry : entries) {
    LoopBlock& block = blocks_[static_cast<std::size_t>(entry.block)];
    for (int k = 0; k < block.rows; ++k) {
      double* K = block.K[entry.side][k];
      Eigen::Map<Vec6<double>> y(entry.y[k]), weighted(entry.weighted[k]);
      y.setZero();
      std::copy_n(K, freedoms, entry.y[k]);
      block.r[k] -= y.dot(wide.u);
      weighted.noalias() = wide.D_inverse * y;  // what is not the joint's is zero in both
      if (freedoms == 3) Eigen::Map<Vec3<double>>(K + 3).noalias() -= wide.U.bottomLeftCorner<3, 3>() * y.head<3>();
      std::fill_n(K, freedoms, 0.0);
      if (freedoms < 6) step_inward(on, parent, K, block.r[k]);
    }
    block.at[entry.side] = on.parent;
  }
  if (freedoms == 0) return;
  for (const PairOfEntries& pair : pairs_[static_cast<std::size_t>(link)]) {
    const Entry& a = entries[static_cast<std::size_t>(pair.a)];
    const Entry& b = entries[static_cast<std::size_t>(pair.b)];
    const int rows_a = blocks_[static_cast<std::size_t>(a.block)].rows;
    const int rows_b = blocks_[static_cast<std::size_t>(b.block)].rows;
    double(*into)[6] = S(pair.S);
    for (int j = 0; j < rows_b; ++j)
      for (int i = 0; i < rows_a; ++i)
        into[j][i] += Eigen::Map<const Vec6<double>>(b.y[j]).dot(Eigen::Map<const Vec6<double>>(a.weighted[i]));
  }
}

void LoopRows::eliminate_at(int link, TreeLink<double>& on) {
  for (const int a : meeting_[static_cast<std::size_t>(link)]) factor(blocks_[static_cast<std::size_t>(a)], a, &on);
}

void LoopRows::factor(LoopBlock& a, int index, TreeLink<double>* on) {  // (4)
  double(*A)[6] = S(index);
  const int n = a.rows;
  double trace = 0.0;
  for (int i = 0; i < n; ++i) trace += A[i][i] + a.removed[i];
  for (int i = 0; i < n; ++i) {
    a.order[i] = i;
    for (int c = 0; c < 6; ++c) a.Z[i][c] = on ? a.K[0][i][c] + a.K[1][i][c] : 0.0;
  }
  const double least = least_pivot * trace;
  for (int step = 0; step < n; ++step) {
    if (choosing_) {
      int best = step;
      for (int i = step + 1; i < n; ++i)
        if (A[a.order[i]][a.order[i]] > A[a.order[best]][a.order[best]]) best = i;
      std::swap(a.order[step], a.order[best]);
    }
    const int j = a.order[step];
    const double d = A[j][j];
    a.D_inverse[j] = d <= least ? 0.0 : 1.0 / d;  // what is not a number stays
    if (!(d / trace >= smallest_pivot_)) smallest_pivot_ = d / trace;
    for (int other = step + 1; other < n; ++other) {
      const int i = a.order[other];
      const double l = A[i][j] * a.D_inverse[j];
      a.L[i][j] = l;
      if (l == 0.0) continue;
      for (int rest = step + 1; rest < n; ++rest) A[i][a.order[rest]] -= l * A[j][a.order[rest]];
      a.r[i] -= l * a.r[j];
      if (on)
        for (int c = 0; c < 6; ++c) a.Z[i][c] -= l * a.Z[j][c];
      for (const auto& [b, at] : a.later) {
        double(*B)[6] = S(at);
        for (int row = 0; row < blocks_[static_cast<std::size_t>(b)].rows; ++row) B[row][i] -= l * B[row][j];
      }
    }
  }
  std::size_t update = 0;
  for (std::size_t p = 0; p < a.later.size(); ++p) {
    LoopBlock& b = blocks_[static_cast<std::size_t>(a.later[p].first)];
    double(*B)[6] = S(a.later[p].second);
    double C[6][6];
    for (int i = 0; i < b.rows; ++i)
      for (int j = 0; j < n; ++j) {
        C[i][j] = B[i][j] * a.D_inverse[j];
        b.r[i] -= C[i][j] * a.r[j];
      }
    if (on)
      for (std::size_t side = 0; side < 2; ++side) {
        if (b.at[side] != a.meet) continue;
        for (int i = 0; i < b.rows; ++i)
          for (int j = 0; j < n; ++j)
            for (int c = 0; c < 6; ++c) b.K[side][i][c] -= C[i][j] * a.Z[j][c];
        break;
      }
    for (std::size_t q = p; q < a.later.size(); ++q, ++update) {
      const LoopBlock& c = blocks_[static_cast<std::size_t>(a.later[q].first)];
      double(*B_c)[6] = S(a.later[q].second);
      double(*into)[6] = S(a.updates[update]);
      for (int k = 0; k < c.rows; ++k)
        for (int i = 0; i < b.rows; ++i) {
          double sum = 0.0;
          for (int j = 0; j < n; ++j) sum += B_c[k][j] * C[i][j];
          into[k][i] -= sum;
          if (p == q && i == k) b.removed[i] += sum;
        }
    }
  }
  if (!on) return;
  for (int j = 0; j < n; ++j) {
    const double* Z = a.Z[j];
    const double g = a.D_inverse[j];
    if (g == 0.0) continue;
    ArticulatedInertia<double>& I = on->I;
    I.A = I.A + Sym3<double>{g * Z[0] * Z[0], g * Z[0] * Z[1], g * Z[0] * Z[2],
                             g * Z[1] * Z[1], g * Z[1] * Z[2], g * Z[2] * Z[2]};
    I.C = I.C + Sym3<double>{g * Z[3] * Z[3], g * Z[3] * Z[4], g * Z[3] * Z[5],
                             g * Z[4] * Z[4], g * Z[4] * Z[5], g * Z[5] * Z[5]};
    const V3<double> n_z(Z[0], Z[1], Z[2]);
    I.B.x += g * Z[3] * n_z;
    I.B.y += g * Z[4] * n_z;
    I.B.z += g * Z[5] * n_z;
    const double pull = g * a.r[j];
    on->p_w = on->p_w - pull * n_z;
    on->p_v = on->p_v - pull * V3<double>(Z[3], Z[4], Z[5]);
  }
}

void LoopRows::back(LoopBlock& a, const TreeLink<double>* on) {  // (5)
  const int n = a.rows;
  for (int step = n - 1; step >= 0; --step) {
    const int j = a.order[step];
    double x = a.r[j];
    if (on) x -= times(a.Z[j], on->a_w, on->a_v);
    for (const auto& [b, at] : a.later) {
      const LoopBlock& other = blocks_[static_cast<std::size_t>(b)];
      const double(*B)[6] = S(at);
      for (int i = 0; i < other.rows; ++i) x -= B[i][j] * other.lambda[i];
    }
    x *= a.D_inverse[j];
    for (int later = step + 1; later < n; ++later) x -= a.L[a.order[later]][j] * a.lambda[a.order[later]];
    a.lambda[j] = a.D_inverse[j] == 0.0 ? 0.0 : x;
  }
}

void LoopRows::solve_at_world() {
  const std::vector<int>& last = meeting_[0];
  for (const int a : last) factor(blocks_[static_cast<std::size_t>(a)], a, nullptr);
  for (std::size_t k = last.size(); k-- > 0;) back(blocks_[static_cast<std::size_t>(last[k])], nullptr);
}

void LoopRows::add_to_joint(int link, int freedoms, double* effort) const {
  for (const Entry& entry : entries_[static_cast<std::size_t>(link)]) {
    const LoopBlock& block = blocks_[static_cast<std::size_t>(entry.block)];
    for (int k = 0; k < block.rows; ++k)
      for (int f = 0; f < freedoms; ++f) effort[f] += entry.y[k][f] * block.lambda[k];
  }
}

void LoopRows::back_at(int link, const TreeLink<double>& on) {
  const std::vector<int>& here = meeting_[static_cast<std::size_t>(link)];
  for (std::size_t k = here.size(); k-- > 0;) back(blocks_[static_cast<std::size_t>(here[k])], &on);
}

void LoopRows::end() {
  if (!choosing_) return;
  choosing_ = false;
  for (LoopBlock& block : blocks_) {
    int kept = 0;
    for (int k = 0; k < block.rows; ++k) {
      if (block.D_inverse[k] == 0.0) continue;
      block.lambda[kept] = block.lambda[k];
      block.row[static_cast<std::size_t>(kept++)] = block.row[static_cast<std::size_t>(k)];
    }
    block.rows = kept;
    block.find_points();
  }
}

}  // namespace tandem
