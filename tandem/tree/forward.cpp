// Forward dynamics by the articulated-body recursion.
//
//   (1)  outward: kinematics.hpp; I and p of the rigid link
//   (2)  inward:  U = I S, D = Sᵀ U, u = τ − Sᵀ p;   I^a = I − U D⁻¹ Uᵀ, p^a = p + I^a c + U D⁻¹ u;  to the parent
//   (3)  outward: a′ = X a_parent + c,  v̇ = D⁻¹ (u − Uᵀ a′),  a = a′ + S v̇;  the world has −g
// The row and column that a joint eliminates are zero in I^a and never computed.
// Where a drive prescribes the motion, S v̇ is known and part of c: nothing is eliminated, I and p + I c go to the
// parent whole, and rows pass with D⁻¹ = 0. Its effort is what the joint does along S beyond τ:  Sᵀ (I a + p − Kᵀ λ) −
// τ.
//   (4)  D counts where it is above 1e-12 of the size of I, masses times the square of the machine's length: below is
//        round-off, a motion that nothing resists. It gives accelerations that are not numbers. Then the sweep is done
//        again, and from now on looks for turns and slides where U is as small, which rows may hold (loop_rows.hpp
//        (8)). What is still not a number forward() tells of; the method articulated knows what to do then.
#include <algorithm>

#include "tandem/tree/inward.hpp"
#include "tandem/tree/kinematics.hpp"

namespace tandem {

namespace {

// `unit`: what makes D a moment of inertia.
template <class S> TANDEM_INLINE S inverse_of(const S& D, double unit, const TreeLink<S>& link) {
  return select(unit * D > least_inertia * size_of(link), S(S(1.0) / D), S(not_a_number));
}
// D = L diag(d) Lᵀ, and d⁻¹ L⁻¹ u of u. D is its lower triangle. Unrolled, all of it stays in registers. Of six
// freedoms the first three are linear.
template <int n, class S>
TANDEM_INLINE void factor(S (&D)[n][n], S (&u)[n], const TreeLink<S>& link, WideJoint<S>& wide) {
  const S least = least_inertia * size_of(link);
#pragma GCC unroll 6
  for (int j = 0; j < n; ++j) {
    const double unit = n == 6 && j < 3 ? link.area : 1.0;
    const S d_inverse = select(unit * D[j][j] > least, S(S(1.0) / D[j][j]), S(not_a_number));
#pragma GCC unroll 6
    for (int i = j + 1; i < n; ++i) {
      const S l = D[i][j] * d_inverse;
#pragma GCC unroll 6
      for (int k = i; k < n; ++k) D[k][i] -= l * D[k][j];
      u[i] -= l * u[j];
      wide.L[i][j] = l;
    }
    wide.d_inverse[j] = d_inverse;
    wide.u[j] = u[j] * d_inverse;
  }
}
// x ← L⁻ᵀ x
template <int n, class S> TANDEM_INLINE void solve_transposed(const WideJoint<S>& wide, S (&x)[n]) {
#pragma GCC unroll 6
  for (int i = n - 1; i > 0; --i)
#pragma GCC unroll 6
    for (int k = 0; k < i; ++k) x[k] -= wide.L[i][k] * x[i];
}

// What a turn leaves for its parent: A has only xx, xy, yy; B has no last row; C comes in the parent's axes.
template <class S> struct AfterTurn {
  S axx, axy, ayy;
  V3<S> bx, by;  // the two rows of B
  Sym3<S> C;
};

template <class S>
TANDEM_INLINE void pass_turn(const TreeLink<S>& link, const AfterTurn<S>& left, const V3<S>& p_w, const V3<S>& p_v,
                             TreeLink<S>& parent) {
  const M3<S>& R = link.R;
  const V3<S> Tx = left.axx * R.x + left.axy * R.y, Ty = left.axy * R.x + left.ayy * R.y;  // the columns of R A
  const Sym3<S> A{Tx.x * R.x.x + Ty.x * R.y.x, Tx.x * R.x.y + Ty.x * R.y.y, Tx.x * R.x.z + Ty.x * R.y.z,
                  Tx.y * R.x.y + Ty.y * R.y.y, Tx.y * R.x.z + Ty.y * R.y.z, Tx.z * R.x.z + Ty.z * R.y.z};
  // R B Rᵀ: its columns from the two rows of B Rᵀ
  const V3<S> row_x = R * left.bx, row_y = R * left.by;
  const M3<S> B(row_x.x * R.x + row_y.x * R.y, row_x.y * R.x + row_y.y * R.y, row_x.z * R.x + row_y.z * R.y);
  pass_to_parent(link, ArticulatedInertia<S>{A, left.C, B}.shifted(link.p), p_w, p_v, parent);
}

template <class S>
TANDEM_INLINE void turn_inward(TreeLink<S>& link, const S& tau, TreeLink<S>& parent) {  // (2), S = (z, 0)
  const ArticulatedInertia<S>& I = link.I;
  const S D_inverse = inverse_of(I.A.zz, 1.0, link);
  const S u = (tau - link.p_w.z) * D_inverse;
  const S ux = I.A.xz * D_inverse, uy = I.A.yz * D_inverse;
  const V3<S> b(I.B.x.z, I.B.y.z, I.B.z.z);  // the last row of B
  const V3<S> Uv = D_inverse * b;
  link.u = u;
  link.D_inverse = D_inverse;
  link.U_w = {ux, uy, S(1.0)};
  link.U_v = Uv;
  if (link.parent == 0) return;
  const Sym3<S> C{I.C.xx - Uv.x * b.x, I.C.xy - Uv.x * b.y, I.C.xz - Uv.x * b.z,
                  I.C.yy - Uv.y * b.y, I.C.yz - Uv.y * b.z, I.C.zz - Uv.z * b.z};
  const AfterTurn<S> left{I.A.xx - ux * I.A.xz,
                          I.A.xy - ux * I.A.yz,
                          I.A.yy - uy * I.A.yz,
                          V3<S>(I.B.x.x, I.B.y.x, I.B.z.x) - ux * b,
                          V3<S>(I.B.x.y, I.B.y.y, I.B.z.y) - uy * b,
                          rotated(link.R, C)};
  const S cwx = link.c_w.x, cwy = link.c_w.y, cvx = link.c_v.x, cvy = link.c_v.y;
  const V3<S> p_w(link.p_w.x + left.axx * cwx + left.axy * cwy + left.bx.x * cvx + left.bx.y * cvy + I.A.xz * u,
                  link.p_w.y + left.axy * cwx + left.ayy * cwy + left.by.x * cvx + left.by.y * cvy + I.A.yz * u, tau);
  const V3<S> p_v(link.p_v.x + left.bx.x * cwx + left.by.x * cwy + C.xx * cvx + C.xy * cvy + b.x * u,
                  link.p_v.y + left.bx.y * cwx + left.by.y * cwy + C.xy * cvx + C.yy * cvy + b.y * u,
                  link.p_v.z + left.bx.z * cwx + left.by.z * cwy + C.xz * cvx + C.yz * cvy + b.z * u);
  pass_turn(link, left, p_w, p_v, parent);
}

// The same for the last link of a branch: A is its inertia, B = sk(h), C = m 1, and C after the turn m 1 − b D⁻¹ bᵀ.
template <class S> TANDEM_INLINE void turn_leaf_inward(TreeLink<S>& link, const S& tau, TreeLink<S>& parent) {
  const Sym3<S>& A = link.inertia;
  const V3<S>& h = link.h;
  const S& m = link.mass;
  const S size = A.xx + A.yy + A.zz + S(3.0 * link.area) * m;
  const S D_inverse = select(A.zz > least_inertia * size, S(S(1.0) / A.zz), S(not_a_number));
  const S u = (tau - link.p_w.z) * D_inverse;
  const S ux = A.xz * D_inverse, uy = A.yz * D_inverse;
  const S bx = -h.y, by = h.x, vx = D_inverse * bx, vy = D_inverse * by;  // the last row of B has no z
  link.u = u;
  link.D_inverse = D_inverse;
  link.U_w = {ux, uy, S(1.0)};
  link.U_v = {vx, vy, S(0.0)};
  if (link.parent == 0) return;
  const V3<S> b = bx * link.R.x + by * link.R.y, Db = D_inverse * b;
  const AfterTurn<S> left{
      A.xx - ux * A.xz,
      A.xy - ux * A.yz,
      A.yy - uy * A.yz,
      {-(ux * bx), -h.z - ux * by, h.y},
      {h.z - uy * bx, -(uy * by), -h.x},
      {m - b.x * Db.x, -(b.x * Db.y), -(b.x * Db.z), m - b.y * Db.y, -(b.y * Db.z), m - b.z * Db.z}};
  const S cwx = link.c_w.x, cwy = link.c_w.y, cvx = link.c_v.x, cvy = link.c_v.y;
  const S along = u - vx * cvx - vy * cvy;
  const V3<S> p_w(link.p_w.x + left.axx * cwx + left.axy * cwy + left.bx.x * cvx + left.bx.y * cvy + A.xz * u,
                  link.p_w.y + left.axy * cwx + left.ayy * cwy + left.by.x * cvx + left.by.y * cvy + A.yz * u, tau);
  const V3<S> p_v(link.p_v.x + left.bx.x * cwx + left.by.x * cwy + m * cvx + bx * along,
                  link.p_v.y + left.bx.y * cwx + left.by.y * cwy + m * cvy + by * along,
                  link.p_v.z + left.bx.z * cwx + left.by.z * cwy);
  pass_turn(link, left, p_w, p_v, parent);
}

template <class S> void slide_inward(TreeLink<S>& link, const S& tau, TreeLink<S>& parent) {  // (2), S = (0, z)
  const ArticulatedInertia<S>& I = link.I;
  const V3<S> b = I.B.z, c(I.C.xz, I.C.yz, I.C.zz);
  const S D_inverse = inverse_of(I.C.zz, link.area, link);
  const V3<S> Uw = D_inverse * b, Uv = D_inverse * c;
  const S u = (tau - link.p_v.z) * D_inverse;
  link.u = u;
  link.D_inverse = D_inverse;
  link.U_w = Uw;
  link.U_v = Uv;
  if (link.parent == 0) return;
  const ArticulatedInertia<S> left{
      {I.A.xx - b.x * Uw.x, I.A.xy - b.x * Uw.y, I.A.xz - b.x * Uw.z, I.A.yy - b.y * Uw.y, I.A.yz - b.y * Uw.z,
       I.A.zz - b.z * Uw.z},
      {I.C.xx - c.x * Uv.x, I.C.xy - c.x * Uv.y, S(0.0), I.C.yy - c.y * Uv.y, S(0.0), S(0.0)},
      {I.B.x - Uv.x * b, I.B.y - Uv.y * b, {}}};
  const V3<S> p_w = link.p_w + left.B * link.c_v + u * b;  // c_w = 0
  const V3<S> p_v = link.p_v + left.C * link.c_v + u * c;
  pass_to_parent(link, left.seen_from(link.R, link.p), p_w, p_v, parent);
}

template <class S>
void ball_inward(TreeLink<S>& link, WideJoint<S>& wide, const V3<S>& tau, TreeLink<S>& parent) {  // (2), S = (1, 0)
  const Sym3<S>& A = link.I.A;
  S D[3][3] = {{A.xx}, {A.xy, A.yy}, {A.xz, A.yz, A.zz}};
  S u[3] = {tau.x - link.p_w.x, tau.y - link.p_w.y, tau.z - link.p_w.z};
  factor(D, u, link, wide);
  const M3<S>& B = link.I.B;
  V3<S> U[3] = {{B.x.x, B.y.x, B.z.x}, {B.x.y, B.y.y, B.z.y}, {B.x.z, B.y.z, B.z.z}};  // the rows of L⁻¹ B
  U[1] = U[1] - wide.L[1][0] * U[0];
  U[2] = U[2] - wide.L[2][0] * U[0] - wide.L[2][1] * U[1];
  ArticulatedInertia<S> left;  // A and B are gone
  left.C = link.I.C;
  V3<S> p_v = link.p_v;
  for (int i = 0; i < 3; ++i) {
    const V3<S> a = U[i], b = wide.d_inverse[i] * a;
    wide.U[i][0] = b.x, wide.U[i][1] = b.y, wide.U[i][2] = b.z;
    left.C = left.C + Sym3<S>{-a.x * b.x, -a.x * b.y, -a.x * b.z, -a.y * b.y, -a.y * b.z, -a.z * b.z};
    p_v += wide.u[i] * a;
  }
  if (link.parent == 0) return;
  p_v += left.C * link.c_v;
  pass_to_parent(link, left.seen_from(link.R, link.p), tau, p_v, parent);
}

template <class S>
void floating_inward(TreeLink<S>& link, WideJoint<S>& wide, const S* tau, TreeLink<S>& parent) {  // (2), S invertible
  const V3<S> t(tau[0], tau[1], tau[2]), f = floating_speed(link, tau);
  const Sym3<S>&A = link.I.A, &C = link.I.C;
  const M3<S>& B = link.I.B;
  S D[6][6] = {{C.xx},
               {C.xy, C.yy},
               {C.xz, C.yz, C.zz},
               {B.x.x, B.y.x, B.z.x, A.xx},
               {B.x.y, B.y.y, B.z.y, A.xy, A.yy},
               {B.x.z, B.y.z, B.z.z, A.xz, A.yz, A.zz}};
  const V3<S> u_v = f - link.p_v, u_w = t - link.p_w;
  S u[6] = {u_v.x, u_v.y, u_v.z, u_w.x, u_w.y, u_w.z};
  factor(D, u, link, wide);
  pass_to_parent(link, {}, t, f, parent);  // the force of its joint alone
}

// (4), of a turn or slide. What is not a number is none.
template <class S> bool has_no_inertia(const TreeLink<S>& link) {
  const ArticulatedInertia<S>& I = link.I;
  const bool turns = link.kind == LinkKind::turn;
  const V3<S> U_w = turns ? V3<S>(I.A.xz, I.A.yz, I.A.zz) : I.B.z;
  const V3<S> U_v = turns ? V3<S>(I.B.x.z, I.B.y.z, I.B.z.z) : V3<S>(I.C.xz, I.C.yz, I.C.zz);
  const double length = std::sqrt(link.area), unit = turns ? 1.0 : length;
  const double square = of_world(S(dot(U_w, U_w) + link.area * dot(U_v, U_v)), 0);
  return unit * std::sqrt(square) <= least_inertia * of_world(size_of(link), 0);
}

template <class S> void driven_inward(TreeLink<S>& link, TreeLink<S>& parent) {
  link.u = link.D_inverse = S(0.0);
  link.U_w = link.U_v = {};
  if (link.parent == 0) return;
  const ArticulatedInertia<S>& I = link.I;
  const V3<S> p_w = link.p_w + I.A * link.c_w + I.B * link.c_v;
  const V3<S> p_v = link.p_v + I.B.transposed_times(link.c_w) + I.C * link.c_v;
  pass_to_parent(link, I.seen_from(link.R, link.p), p_w, p_v, parent);
}

template <class S>
TANDEM_INLINE void move_outward(TreeLink<S>& link, const TreeLink<S>& parent, const WideJoint<S>* wide,
                                const S* by_rows,
                                S* v_dot) {  // (3)
  V3<S> a_w = link.R.transposed_times(parent.a_w) + link.c_w;
  V3<S> a_v = link.R.transposed_times(parent.a_v + cross(parent.a_w, link.p)) + link.c_v;
  switch (link.driven ? LinkKind::weld : link.kind) {
    case LinkKind::turn:
      v_dot[0] = link.u - a_w.z - link.U_w.x * a_w.x - link.U_w.y * a_w.y - dot(link.U_v, a_v);
      if (by_rows) v_dot[0] += link.D_inverse * by_rows[0];
      a_w.z += v_dot[0];
      break;
    case LinkKind::slide:
      v_dot[0] = link.u - dot(link.U_w, a_w) - dot(link.U_v, a_v);
      if (by_rows) v_dot[0] += link.D_inverse * by_rows[0];
      a_v.z += v_dot[0];
      break;
    case LinkKind::ball: {
      S full[3];
      for (int i = 0; i < 3; ++i)
        full[i] = wide->u[i] - wide->U[i][0] * a_v.x - wide->U[i][1] * a_v.y - wide->U[i][2] * a_v.z +
                  (by_rows ? wide->d_inverse[i] * by_rows[i] : S(0.0));
      solve_transposed(*wide, full);
      v_dot[0] = full[0] - a_w.x, v_dot[1] = full[1] - a_w.y, v_dot[2] = full[2] - a_w.z;
      a_w = {full[0], full[1], full[2]};
      break;
    }
    case LinkKind::floating: {
      S full[6];
      for (int i = 0; i < 6; ++i) full[i] = wide->u[i] + (by_rows ? wide->d_inverse[i] * by_rows[i] : S(0.0));
      solve_transposed(*wide, full);
      const V3<S> full_v(full[0], full[1], full[2]), full_w(full[3], full[4], full[5]);
      const V3<S> turning = full_w - a_w, moving = link.R_PF.transposed_times(link.R * (full_v - a_v));
      v_dot[0] = turning.x, v_dot[1] = turning.y, v_dot[2] = turning.z;
      v_dot[3] = moving.x, v_dot[4] = moving.y, v_dot[5] = moving.z;
      a_w = full_w;
      a_v = full_v;
      break;
    }
    case LinkKind::any: {
      V3<S> full_w = a_w, full_v = a_v;  // as in move_link
      link.any->outward(*wide, by_rows, full_w, full_v, v_dot);
      a_w = full_w;
      a_v = full_v;
      break;
    }
    case LinkKind::weld:
      if (link.driven) v_dot[0] = link.acceleration;
      break;
  }
  link.a_w = a_w;
  link.a_v = a_v;
}

}  // namespace

template <class S> template <bool with_rows> void Tree<S>::sweep_inward(const S* tau) {  // (2)
  for (std::size_t i = links_.size() - 1; i > 0; --i) {
    TreeLink<S>& link = links_[i];
    TreeLink<S>& parent = links_[static_cast<std::size_t>(link.parent)];
    const S* effort = tau + link.v;
    if (!link.has_children && (link.kind != LinkKind::turn || link.driven || (with_rows && holds_)))
      link.I = rigid(link);
    if (with_rows) loops_.eliminate_at(static_cast<int>(i), link);
    WideJoint<S>* wide = link.wide < 0 ? nullptr : &wide_[static_cast<std::size_t>(link.wide)];
    if (link.driven) {
      driven_inward(link, parent);
      if (with_rows) loops_.pass_joint(static_cast<int>(i), link, wide, parent);
      continue;
    }
    if (with_rows && holds_ && hold(i, effort)) continue;
    switch (link.kind) {
      case LinkKind::turn:
        if (link.has_children)
          turn_inward(link, effort[0], parent);
        else
          turn_leaf_inward(link, effort[0], parent);
        break;
      case LinkKind::slide:
        slide_inward(link, effort[0], parent);
        break;
      case LinkKind::ball:
        ball_inward(link, *wide, V3<S>(effort[0], effort[1], effort[2]), parent);
        break;
      case LinkKind::floating:
        floating_inward(link, *wide, effort, parent);
        break;
      case LinkKind::any:
        link.any->inward(link, *wide, effort, parent);
        break;
      case LinkKind::weld:
        pass_to_parent(link, link.I.seen_from(link.R, link.p), link.p_w, link.p_v, parent);
        break;
    }
    if (with_rows) loops_.pass_joint(static_cast<int>(i), link, wide, parent);
  }
}

template <class S> bool Tree<S>::hold(std::size_t index, const S* tau) {
  TreeLink<S>& link = links_[index];
  TreeLink<S>& parent = links_[static_cast<std::size_t>(link.parent)];
  const bool turns = link.kind == LinkKind::turn;
  if ((!turns && link.kind != LinkKind::slide) || !has_no_inertia(link)) return false;
  const S u = tau[0] - (turns ? link.p_w.z : link.p_v.z);
  if (!loops_.hold(static_cast<int>(index), turns ? 2 : 5, u, links_)) return false;
  driven_inward(link, parent);  // nothing is eliminated
  loops_.pass_joint(static_cast<int>(index), link, nullptr, parent);
  return true;
}

template <class S> void Tree<S>::move_held(std::size_t index, S& v_dot) {
  TreeLink<S>& link = links_[index];
  link.a_w = link.a_v = {};
  LinkKind kind = LinkKind::weld;
  std::swap(kind, link.kind);
  move_outward<S>(link, links_[static_cast<std::size_t>(link.parent)], nullptr, nullptr, nullptr);  // a′
  std::swap(kind, link.kind);
  v_dot = loops_.held_rate(static_cast<int>(index), link.a_w, link.a_v, links_);
  (link.kind == LinkKind::turn ? link.a_w : link.a_v).z += v_dot;
}

template <class S> template <bool with_rows> void Tree<S>::sweep_outward(S* v_dot) {  // (3)
  for (std::size_t i = 1; i < links_.size(); ++i) {
    TreeLink<S>& link = links_[i];
    const WideJoint<S>* wide = link.wide < 0 ? nullptr : &wide_[static_cast<std::size_t>(link.wide)];
    if (with_rows && holds_ && loops_.holds(static_cast<int>(i))) {
      move_held(i, v_dot[link.v]);
      loops_.back_at(static_cast<int>(i), link);
      continue;
    }
    S by_rows[6] = {};
    if (with_rows) loops_.add_to_joint(static_cast<int>(i), wide ? wide->freedoms : 1, by_rows);
    move_outward(link, links_[static_cast<std::size_t>(link.parent)], wide, with_rows ? by_rows : nullptr,
                 v_dot + link.v);
    if (with_rows) loops_.back_at(static_cast<int>(i), link);
  }
}

template <class S> template <bool with_rows> void Tree<S>::place_and_move(const S& t, const S* q, const S* v) {  // (1)
  turns_.update(q);
  for (std::size_t i = 1; i < links_.size(); ++i) {
    TreeLink<S>& link = links_[i];
    const TreeLink<S>& parent = links_[static_cast<std::size_t>(link.parent)];
    place_link(link, q + link.q, turns_);
    move_link(link, parent, v + link.v);
    bias_force(link, link.p_w, link.p_v);
    if (!with_rows) continue;
    link.R_W = link.parent == 0 ? link.R : parent.R_W * link.R;
    link.p_W = link.parent == 0 ? link.p : parent.p_W + parent.R_W * link.p;
  }
  if (with_rows) loops_.update(links_, q, v, t);
}

template <class S> template <bool with_rows> void Tree<S>::sweep(const S* tau, VecX<S>& v_dot) {
  v_dot.resize(nv());
  if (with_rows) loops_.begin(links_, choosing_);
  sweep_inward<with_rows>(tau);
  if (with_rows) loops_.solve_at_world();
  sweep_outward<with_rows>(v_dot.data());
  if (with_rows) loops_.end();
}

template <class S> void Tree<S>::forward(VecIn<S> q, VecIn<S> v, VecIn<S> tau, VecX<S>& v_dot) {
  if (loops_.wants_places()) find_places(S(0.0), q.data());
  if (loops_.empty())
    place_and_move<false>(S(0.0), q.data(), v.data());
  else
    place_and_move<true>(S(0.0), q.data(), v.data());
  if (sweep_where_placed(tau.data(), v_dot)) forward(q, v, tau, v_dot);
}

template <class S> void Tree<S>::accelerate(const S& t, VecIn<S> q, VecIn<S> v, bool located, VecX<S>& v_dot) {
  if (loops_.wants_places()) {
    find_places(t, q.data());
    located = false;
  }
  if (!located && loops_.empty() && !loads_.wants_world())
    place_and_move<false>(t, q.data(), v.data());
  else if (!located)
    place_and_move<true>(t, q.data(), v.data());
  for (const Driven& each : driven_) {
    TreeLink<S>& link = links_[each.link];
    if (link.any) {
      const S acceleration = link.any->acceleration[each.column] = each.motion.acceleration;
      link.c_w += acceleration * link.any->S_w[each.column];
      link.c_v += acceleration * link.any->S_v[each.column];
      continue;
    }
    link.acceleration = each.motion.acceleration;
    (link.kind == LinkKind::turn ? link.c_w : link.c_v).z += link.acceleration;
  }
  if (!loads_.empty()) {
    tau_.setZero();
    loads_.apply(t, q.data(), v.data(), links_, tau_);
  }
  if (sweep_where_placed((loads_.empty() ? still_ : tau_).data(), v_dot)) accelerate(t, q, v, false, v_dot);
}

[[maybe_unused]] static bool is_finite(const Eigen::VectorXd& v_dot) { return v_dot.allFinite(); }
template <class S> static bool is_finite(const VecX<S>& v_dot) {
  for (const S& each : v_dot)
    for (int w = 0; w < worlds_of<S>; ++w)
      if (!std::isfinite(of_world(each, w))) return false;
  return true;
}
template <class S> static void require_finite(const VecX<S>& v_dot) {
  if (!is_finite(v_dot))
    throw NumericalError(
        "the accelerations are not finite: a joint moves something without inertia, or the state is not finite");
}

template <class S> bool Tree<S>::sweep_where_placed(const S* tau, VecX<S>& v_dot) {
  if (loops_.empty())
    sweep<false>(tau, v_dot);
  else
    sweep<true>(tau, v_dot);
  if (loops_.leave_weak_places()) return true;  // each time further inward
  if (is_finite(v_dot)) return false;
  if (begins_to_hold(v_dot)) return true;
  require_finite(v_dot);
  return false;
}

template <class S> bool Tree<S>::begins_to_hold(const VecX<S>& v_dot) {  // (4)
  if (holds_ || loops_.empty() || is_finite(v_dot)) return false;
  return holds_ = true;
}

template <class S> S Tree<S>::effort_of(const Driven& driven) const {
  const TreeLink<S>& link = links_[driven.link];
  const ArticulatedInertia<S>& I = link.I;
  S by_rows[6] = {};
  if (!loops_.empty()) loops_.add_to_joint(static_cast<int>(driven.link), driven.column + 1, by_rows);
  const S force = link.any                      ? link.any->effort(driven.column, link)
                  : link.kind == LinkKind::turn ? (I.A * link.a_w + I.B * link.a_v + link.p_w).z
                                                : (I.B.transposed_times(link.a_w) + I.C * link.a_v + link.p_v).z;
  return force - by_rows[driven.column] - (loads_.empty() ? S(0.0) : tau_[driven.v]);
}

template <class S> void Tree<S>::choose_rows(VecIn<S> q, const S& t) {
  if (loops_.empty()) return;
  loops_.use_all_rows();
  if (loops_.wants_places()) find_places(t, q.data());
  choosing_ = true;
  VecX<S> v_dot;
  place_and_move<true>(t, q.data(), still_.data());
  sweep<true>(still_.data(), v_dot);
  choosing_ = false;
  if (begins_to_hold(v_dot)) return choose_rows(q, t);
  if (loops_.wants_places()) find_places(t, q.data());
}

template <class S> void Tree<S>::find_places(const S& t, const S* q) {
  t_of_places_ = of_world(t, 0);
  q_of_places_.resize(nq());
  for (int i = 0; i < nq(); ++i) q_of_places_[i] = of_world(q[i], 0);
  place_and_move<true>(t, q, still_.data());
  sweep_inward<false>(still_.data());
  loops_.begin_places(links_, wide_);
  sweep_inward<true>(still_.data());
  loops_.end_places(links_);
}

template <class S> void Tree<S>::save_places(RowPlaces& out) const {
  loops_.save_places(out);
  out.t = out.found ? t_of_places_ : 0.0;
  out.q = out.found ? q_of_places_ : Eigen::VectorXd();
}

template <class S> void Tree<S>::load_places(const RowPlaces& in) {
  if (!loops_.load_places(in, links_.size())) return;
  if (in.q.size() != nq()) throw std::invalid_argument("the memory of a simulation is of another model");
  find_places(S(in.t), VecX<S>(in.q.template cast<S>()).data());
}

template <class S> void Tree<S>::locate(const S& t, VecIn<S> q, VecIn<S> v) {
  if (loops_.wants_places()) find_places(t, q.data());
  place_and_move<true>(t, q.data(), v.data());
}

// No velocities, forces and drives: M δ = Jᵀ λ, J δ = what the rows ask for.
template <class S> void Tree<S>::clear_right_sides() {
  for (TreeLink<S>& link : links_) {
    link.c_w = link.c_v = link.p_w = link.p_v = {};
    link.acceleration = S(0.0);
  }
  for (const auto& joint : any_) std::fill_n(joint->acceleration, 6, S(0.0));
}

template <class S> template <bool with_rows> void Tree<S>::sweep_without_gravity(VecX<S>& delta) {
  V3<S> gravity;
  std::swap(gravity, links_.front().a_v);
  sweep<with_rows>(still_.data(), delta);
  std::swap(gravity, links_.front().a_v);
}

template <class S> void Tree<S>::least_change_of_position(VecX<S>& delta) {
  loops_.ask_for_positions();
  clear_right_sides();
  sweep_without_gravity<true>(delta);
  loops_.ask_for_all();
}

template <class S> void Tree<S>::least_change_of_velocity(VecX<S>& delta) {
  loops_.ask_for_velocities();
  clear_right_sides();
  sweep_without_gravity<true>(delta);
}

template <class S>
void Tree<S>::solve(const S& t, VecIn<S> q, const std::vector<Vec6<S>>& left, VecIn<S> rows, VecX<S>& v_dot) {
  locate(t, q, still_);
  clear_right_sides();
  for (std::size_t i = 0; i < link_of_node_.size(); ++i) {  // the power of both is the same
    const auto at = static_cast<std::size_t>(link_of_node_[i]);
    TreeLink<S>& link = links_[at];
    const Pose<S>& X_LC = X_LC_[at];
    link.p_v = link.R_W.transposed_times(V3<S>(Vec3<S>(left[i].template tail<3>())));
    link.p_w = V3<S>(Vec3<S>(X_LC.R * left[i].template head<3>())) + cross(V3<S>(X_LC.p), link.p_v);
  }
  loops_.ask_for(rows);
  if (loops_.empty())
    sweep_without_gravity<false>(v_dot);
  else
    sweep_without_gravity<true>(v_dot);
  if (loops_.leave_weak_places() || begins_to_hold(v_dot)) return solve(t, q, left, rows, v_dot);
  require_finite(v_dot);
}

#define TANDEM_INSTANTIATE(S) template class Tree<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
