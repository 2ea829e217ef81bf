#include "tandem/tree/link_form.hpp"

#include "tandem/base/tolerances.hpp"
#include "tandem/math/quaternion.hpp"

namespace tandem {

namespace {

constexpr int states = 3;  // at which a declaration is held against the kernel

// Numbers near one that have nothing to do with each other.
double number(int state, int i) { return 0.3 + 0.37 * state + 0.61 * i - 0.17 * state * i; }

template <class V> V numbers(int state, int size, int from = 0) {
  V out(size);
  for (int i = 0; i < size; ++i) out[i] = number(state, from + i);
  return out;
}

bool same(const Pose<double>& a, const Pose<double>& b) {
  return (a.R - b.R).cwiseAbs().maxCoeff() < tolerances::declared &&
         (a.p - b.p).cwiseAbs().maxCoeff() < tolerances::declared;
}

// Pose and q̇ of the declared form at a state.
Pose<double> declared_pose(const JointTraits& traits, const VecUpTo7<double>& q) {
  switch (traits.form) {
    case LinkForm::axes:
      return product_of(traits.axes, q);
    case LinkForm::ball:
      return {rotation_of<double>(q.head<4>()), Vector3::Zero()};
    case LinkForm::floating:
      return {rotation_of<double>(q.head<4>()), q.tail<3>()};
    case LinkForm::weld:
    case LinkForm::any:
      break;
  }
  return {};
}

VecUpTo7<double> declared_rate(const JointTraits& traits, const VecUpTo7<double>& q, const VecUpTo6<double>& v) {
  if (traits.form != LinkForm::ball && traits.form != LinkForm::floating) return v;
  VecUpTo7<double> rate(traits.nq);
  rate.head<4>() = quaternion_rate<double>(q.head<4>(), v.head<3>());
  rate.tail(traits.nv - 3) = v.tail(traits.nv - 3);
  return rate;
}

bool has_sizes_of(const JointTraits& traits) {
  switch (traits.form) {
    case LinkForm::axes: {
      std::vector<int> times(static_cast<std::size_t>(traits.nv), 0);
      for (const LinkAxis& axis : traits.axes)
        if (axis.speed < 0 || axis.speed >= traits.nv || ++times[static_cast<std::size_t>(axis.speed)] > 1)
          return false;
      return traits.nq == traits.nv && static_cast<int>(traits.axes.size()) == traits.nv;
    }
    case LinkForm::ball:
      return traits.nq == 4 && traits.nv == 3;
    case LinkForm::floating:
      return traits.nq == 7 && traits.nv == 6;
    case LinkForm::weld:
      return traits.nq == 0 && traits.nv == 0;
    case LinkForm::any:
      break;
  }
  return false;
}

}  // namespace

Pose<double> product_of(const std::vector<LinkAxis>& axes, const VecUpTo7<double>& q) {
  Pose<double> X;
  for (const LinkAxis& axis : axes) {
    const Vector3 along = Vector3::Unit(axis.axis);
    if (axis.motion == LinkAxis::turn)
      X.R = X.R * rotation_exp<double>(Vector3(q[axis.speed] * along));
    else
      X.p += X.R * (q[axis.speed] * along);
  }
  return X;
}

LinkForm link_form(const Joint& joint) {
  const JointTraits& traits = joint.traits();
  if (!has_sizes_of(traits)) return LinkForm::any;
  const JointKernel<double>& kernel = joint.on<double>();
  for (int state = 0; state < states; ++state) {
    VecUpTo7<double> q = numbers<VecUpTo7<double>>(state, traits.nq);
    if (traits.nq != traits.nv) q.head<4>().normalize();
    const VecUpTo6<double> v = numbers<VecUpTo6<double>>(state, traits.nv, traits.nq);
    const VecUpTo7<double> rate = kernel.coordinate_rate(q, v) - declared_rate(traits, q, v);
    if (!same(kernel.pose(q), declared_pose(traits, q))) return LinkForm::any;
    if (rate.size() > 0 && !(rate.cwiseAbs().maxCoeff() < tolerances::declared)) return LinkForm::any;
  }
  return traits.form;
}

bool begins_with_point(const Joint& joint) {
  if (joint.traits().position_rows < 3) return false;
  PairRows<double> rows;
  for (int state = 0; state < states; ++state) {
    const auto vector = [&](int from) { return numbers<Vector3>(state, 3, from); };
    const Relative<double> x{rotation_exp<double>(vector(0)), vector(3), vector(6), vector(9)};
    joint.on<double>().forbid(x, rows);
    if (rows.phi.head<3>() != x.p || !rows.T.topLeftCorner<3, 3>().isZero(0.0) || !rows.bias.head<3>().isZero(0.0) ||
        rows.T.block<3, 3>(3, 0) != Matrix3::Identity())
      return false;
  }
  return true;
}

}  // namespace tandem
