#include "tandem/tree/any_joint.hpp"

#include "tandem/tree/inward.hpp"

namespace tandem {

namespace {

template <class Vector, class S> Vector read(const S* from, int size) {
  Vector out(size);
  for (int i = 0; i < size; ++i) out[i] = from[i];
  return out;
}

}  // namespace

template <class S>
void AnyJoint<S>::take(const Joint& of, const JointTraits& traits, bool from_the_far_side,
                       const std::vector<int>& drives) {
  kernel = kernel_on<S>(of);
  reversed = from_the_far_side;
  nq = traits.nq;
  nv = traits.nv;
  int columns = 0;
  for (const bool driven : {false, true}) {
    for (int k = 0; k < nv; ++k)
      if ((drives[static_cast<std::size_t>(k)] >= 0) == driven) speed[columns++] = k;
    if (!driven) freedoms = columns;
  }
}

template <class S> int AnyJoint<S>::column_of(int wanted) const {
  int column = 0;
  while (speed[column] != wanted) ++column;
  return column;
}

template <class S> void AnyJoint<S>::place(TreeLink<S>& link, const S* coordinates) {
  q = read<VecUpTo7<S>>(coordinates, nq);
  if (nq != nv) q = kernel->retract(q, VecUpTo6<S>::Zero(nv));  // a quaternion of unit length
  const Pose<S> X = kernel->pose(q);
  R = M3<S>(X.R);
  p = V3<S>(X.p);
  link.R = link.R_PF * (reversed ? R.transposed() : R);
  link.p = link.p_PF + link.R_PF * (reversed ? R.transposed_times(S(-1.0) * p) : p);
}

template <class S> Vec6<S> AnyJoint<S>::find_columns(const S* v, V3<S>& turning, V3<S>& moving) {
  Mat6UpTo6<S> S_F;
  Vec6<S> c_F;
  kernel->motion(q, read<VecUpTo6<S>>(v, nv), S_F, c_F);
  turning = moving = {};
  for (int column = 0; column < nv; ++column) {
    const int k = speed[column];
    const V3<S> angular(S_F(0, k), S_F(1, k), S_F(2, k)), linear(S_F(3, k), S_F(4, k), S_F(5, k));
    turning += v[k] * angular;
    moving += v[k] * linear;
    S_w[column] = reversed ? S(-1.0) * angular : R.transposed_times(angular);  // (1), (2)
    S_v[column] = reversed ? S(-1.0) * (linear + cross(p, angular)) : R.transposed_times(linear);
  }
  return c_F;
}

template <class S> void AnyJoint<S>::move(TreeLink<S>& link, const S* v, V3<S>& w, V3<S>& v_origin) {
  V3<S> turning, moving;  // ω, ṗ
  const Vec6<S> c_F = find_columns(v, turning, moving);
  V3<S> w_J, v_J;
  add(v, w_J, v_J);  // S v
  w += w_J;
  v_origin += v_J;
  const V3<S> c_w(c_F[0], c_F[1], c_F[2]), c_v(c_F[3], c_F[4], c_F[5]);
  const V3<S> own_w = reversed ? S(-1.0) * c_w : R.transposed_times(c_w);
  const V3<S> own_v = reversed ? S(-1.0) * (c_v + cross(moving, turning) + cross(p, c_w))
                               : R.transposed_times(c_v - cross(turning, moving));
  link.c_w = cross(w, w_J) + own_w;  // (3)
  link.c_v = cross(w, v_J) + cross(v_origin, w_J) + own_v;
}

template <class S> void AnyJoint<S>::add(const S* v, V3<S>& w, V3<S>& v_origin) const {
  for (int k = 0; k < nv; ++k) {
    w += v[speed[k]] * S_w[k];
    v_origin += v[speed[k]] * S_v[k];
  }
}

template <class S> void AnyJoint<S>::read_effort(const V3<S>& f_w, const V3<S>& f_v, S* tau) const {
  for (int k = 0; k < nv; ++k) tau[speed[k]] = dot(S_w[k], f_w) + dot(S_v[k], f_v);
}

template <class S> void AnyJoint<S>::inward(TreeLink<S>& link, WideJoint<S>& wide, const S* tau, TreeLink<S>& parent) {
  const ArticulatedInertia<S>& I = link.I;
  const S least = least_inertia * size_of(link);
  S D[6][6], u[6];
  for (int k = 0; k < freedoms; ++k) {
    U_w[k] = I.A * S_w[k] + I.B * S_v[k];
    U_v[k] = I.B.transposed_times(S_w[k]) + I.C * S_v[k];
    u[k] = tau[speed[k]] - dot(S_w[k], link.p_w) - dot(S_v[k], link.p_v);
    for (int j = 0; j <= k; ++j) D[k][j] = dot(S_w[j], U_w[k]) + dot(S_v[j], U_v[k]);
  }
  ArticulatedInertia<S> left = I;
  V3<S> p_w = link.p_w, p_v = link.p_v;
  for (int j = 0; j < freedoms; ++j) {
    // how large D is where nothing of it cancels, of a column with this turn and this slide
    const S share = dot(S_w[j], S_w[j]) + dot(S_v[j], S_v[j]) / link.area;
    const S d_inverse = select(D[j][j] > least * share, S(S(1.0) / D[j][j]), S(not_a_number));
    for (int i = j + 1; i < freedoms; ++i) {  // (4)
      const S l = D[i][j] * d_inverse;
      for (int k = i; k < freedoms; ++k) D[k][i] -= l * D[k][j];
      u[i] -= l * u[j];
      U_w[i] = U_w[i] - l * U_w[j];
      U_v[i] = U_v[i] - l * U_v[j];
      wide.L[i][j] = l;
    }
    wide.d_inverse[j] = d_inverse;
    wide.u[j] = u[j] * d_inverse;
    left.take_off(U_w[j], U_v[j], d_inverse);
    p_w += wide.u[j] * U_w[j];
    p_v += wide.u[j] * U_v[j];
    U_w[j] = d_inverse * U_w[j];
    U_v[j] = d_inverse * U_v[j];
  }
  if (link.parent == 0) return;
  p_w += left.A * link.c_w + left.B * link.c_v;
  p_v += left.B.transposed_times(link.c_w) + left.C * link.c_v;
  pass_to_parent(link, left.seen_from(link.R, link.p), p_w, p_v, parent);
}

template <class S>
void AnyJoint<S>::outward(const WideJoint<S>& wide, const S* by_rows, V3<S>& a_w, V3<S>& a_v, S* v_dot) const {
  S x[6];
  for (int i = 0; i < freedoms; ++i) {
    x[i] = wide.u[i] - dot(U_w[i], a_w) - dot(U_v[i], a_v);
    if (by_rows) x[i] += wide.d_inverse[i] * by_rows[i];
  }
  for (int i = freedoms - 1; i > 0; --i)
    for (int k = 0; k < i; ++k) x[k] -= wide.L[i][k] * x[i];
  for (int i = 0; i < nv; ++i) v_dot[speed[i]] = i < freedoms ? x[i] : acceleration[i];
  for (int i = 0; i < freedoms; ++i) {
    a_w += x[i] * S_w[i];
    a_v += x[i] * S_v[i];
  }
}

template <class S> S AnyJoint<S>::effort(int column, const TreeLink<S>& link) const {
  const ArticulatedInertia<S>& I = link.I;
  return dot(S_w[column], I.A * link.a_w + I.B * link.a_v + link.p_w) +
         dot(S_v[column], I.B.transposed_times(link.a_w) + I.C * link.a_v + link.p_v);
}

template <class S> VecUpTo7<S> AnyJoint<S>::rate(const S* coordinates, const S* v) const {
  return kernel->coordinate_rate(read<VecUpTo7<S>>(coordinates, nq), read<VecUpTo6<S>>(v, nv));
}

template <class S> void AnyJoint<S>::retract(const S* delta, S* coordinates) const {
  const VecUpTo7<S> moved = kernel->retract(read<VecUpTo7<S>>(coordinates, nq), read<VecUpTo6<S>>(delta, nv));
  for (int i = 0; i < nq; ++i) coordinates[i] = moved[i];
}

template <class S> S AnyJoint<S>::settle(S* coordinates) const {
  if (nq == nv) return S(0.0);
  using std::abs;
  const S off = abs(Vec4<S>(coordinates[0], coordinates[1], coordinates[2], coordinates[3]).norm() - S(1.0));
  const S still[6] = {};
  retract(still, coordinates);
  return off;
}

#define TANDEM_INSTANTIATE(S) template struct AnyJoint<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
