// The kernels of joints, constraints, drives, laws and custom rows on the scalar of a tree. They are compiled for
// doubles and duals (base/scalar.hpp). A pack calls those on doubles, a world at a time: each gets the bits it would
// have alone. Kernels on packs themselves would stand in for this file.
#pragma once

#include <span>

#include "tandem/base/pack.hpp"
#include "tandem/constraints/constraint.hpp"
#include "tandem/constraints/custom_rows.hpp"
#include "tandem/drives/drive.hpp"
#include "tandem/forces/force.hpp"
#include "tandem/joints/joint.hpp"
#include "tandem/math/quaternion.hpp"

namespace tandem {

template <class S> inline constexpr bool is_pack = worlds_of<S> > 1;

// ---- one world of a pack, and back
// -----------------------------------------------------------------------------------

template <class Derived> auto of_world(const Eigen::MatrixBase<Derived>& m, int w) {
  return m.unaryExpr([w](const typename Derived::Scalar& x) { return of_world(x, w); }).eval();
}
template <class S> Pose<double> of_world(const Pose<S>& X, int w) { return {of_world(X.R, w), of_world(X.p, w)}; }
template <class S> Relative<double> of_world(const Relative<S>& x, int w) {
  return {of_world(x.R, w), of_world(x.p, w), of_world(x.w, w), of_world(x.v, w)};
}
template <class S> BodyMotion<double> of_world(const BodyMotion<S>& body, int w) {
  return {of_world(body.X_WC, w), of_world(body.w_B, w), of_world(body.w_W, w), of_world(body.v, w)};
}
template <class S> Attachments<double> of_world(const Attachments<S>& at, int w) {
  Attachments<double> out;
  for (const PointMotion<S>& x : at.points)
    out.points.push_back({of_world(x.R, w), of_world(x.p, w), of_world(x.v, w), of_world(x.w, w)});
  for (const CoordinateMotion<S>& x : at.coordinates) out.coordinates.push_back({of_world(x.q, w), of_world(x.v, w)});
  return out;
}

template <class Numbers, class Derived>
void put_world(Eigen::PlainObjectBase<Numbers>& m, int w, const Eigen::MatrixBase<Derived>& numbers) {
  m.resize(numbers.rows(), numbers.cols());
  for (Eigen::Index j = 0; j < numbers.cols(); ++j)
    for (Eigen::Index i = 0; i < numbers.rows(); ++i) put_world(m(i, j), w, numbers(i, j));
}
template <class S> void put_world(Pose<S>& X, int w, const Pose<double>& one) {
  put_world(X.R, w, one.R);
  put_world(X.p, w, one.p);
}
template <class S> void put_world(PairRows<S>& rows, int w, const PairRows<double>& one) {
  put_world(rows.phi, w, one.phi);
  put_world(rows.T, w, one.T);
  put_world(rows.phi_t, w, one.phi_t);
  put_world(rows.bias, w, one.bias);
}
template <class S> void put_world(BodyRows<S>& rows, int w, const BodyRows<double>& one) {
  put_world(rows.phi, w, one.phi);
  put_world(rows.J, w, one.J);
  put_world(rows.phi_t, w, one.phi_t);
  put_world(rows.bias, w, one.bias);
}
template <class S> void put_world(Jet<S>& x, int w, const Jet<double>& one) {
  put_world(x.value, w, one.value);
  put_world(x.rate, w, one.rate);
  put_world(x.acceleration, w, one.acceleration);
}

// What `call` finds for each world by its number.
template <class Out, int worlds, class Call> Out by_worlds(Call&& call) {
  Out out;
  for (int w = 0; w < worlds; ++w) put_world(out, w, call(w));
  return out;
}

// ---- kernels
// ---------------------------------------------------------------------------------------------------------

template <class S> struct JointByWorlds final : JointKernel<S> {
  explicit JointByWorlds(const JointKernel<double>& one_) : one(one_) {}
  const JointKernel<double>& one;

  template <class Out, class Call> static Out each(Call&& call) { return by_worlds<Out, worlds_of<S>>(call); }
  Pose<S> pose(const VecUpTo7<S>& q) const override {
    return each<Pose<S>>([&](int w) { return one.pose(of_world(q, w)); });
  }
  void motion(const VecUpTo7<S>& q, const VecUpTo6<S>& v, Mat6UpTo6<S>& S_F, Vec6<S>& c) const override {
    for (int w = 0; w < worlds_of<S>; ++w) {
      Mat6UpTo6<double> S_F_of_one;
      Vec6<double> c_of_one;
      one.motion(of_world(q, w), of_world(v, w), S_F_of_one, c_of_one);
      put_world(S_F, w, S_F_of_one);
      put_world(c, w, c_of_one);
    }
  }
  VecUpTo7<S> coordinate_rate(const VecUpTo7<S>& q, const VecUpTo6<S>& v) const override {
    return each<VecUpTo7<S>>([&](int w) { return one.coordinate_rate(of_world(q, w), of_world(v, w)); });
  }
  VecUpTo7<S> retract(const VecUpTo7<S>& q, const VecUpTo6<S>& delta) const override {
    return each<VecUpTo7<S>>([&](int w) { return one.retract(of_world(q, w), of_world(delta, w)); });
  }
  VecUpTo6<S> difference(const VecUpTo7<S>& q1, const VecUpTo7<S>& q0) const override {
    return each<VecUpTo6<S>>([&](int w) { return one.difference(of_world(q1, w), of_world(q0, w)); });
  }
  void forbid(const Relative<S>& x, PairRows<S>& rows) const override {
    for (int w = 0; w < worlds_of<S>; ++w) {
      PairRows<double> of_one;
      one.forbid(of_world(x, w), of_one);
      put_world(rows, w, of_one);
    }
  }
  VecUpTo7<S> measure(const Relative<S>& x) const override {
    return each<VecUpTo7<S>>([&](int w) { return one.measure(of_world(x, w)); });
  }
  void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const override {
    for (int w = 0; w < worlds_of<S>; ++w) {
      Mat6UpTo6<double> W_of_one;
      VecUpTo6<double> bias_of_one;
      one.rates(of_world(x, w), W_of_one, bias_of_one);
      put_world(W, w, W_of_one);
      put_world(bias, w, bias_of_one);
    }
  }
};

template <class S> struct ConstraintByWorlds final : ConstraintKernel<S> {
  explicit ConstraintByWorlds(const ConstraintKernel<double>& one_) : one(one_) {}
  const ConstraintKernel<double>& one;

  void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const override {
    for (int w = 0; w < worlds_of<S>; ++w) {
      PairRows<double> of_one;
      one.rows(of_world(x, w), of_world(t, w), of_one);
      put_world(rows, w, of_one);
    }
  }
  Vec3<S> reaction_point(const Relative<S>& x) const override {
    return by_worlds<Vec3<S>, worlds_of<S>>([&](int w) { return one.reaction_point(of_world(x, w)); });
  }
};

template <class S, template <class> class Kernel, template <class> class ByWorlds, class Thing>
std::shared_ptr<const Kernel<S>> kernel_of(const Thing& thing) {
  if constexpr (is_pack<S>)
    return std::make_shared<ByWorlds<S>>(thing.template on<double>());
  else  // the model's own
    return {std::shared_ptr<const void>(), &thing.template on<S>()};
}
// The model must outlive them.
template <class S> std::shared_ptr<const JointKernel<S>> kernel_on(const Joint& joint) {
  return kernel_of<S, JointKernel, JointByWorlds>(joint);
}
template <class S> std::shared_ptr<const ConstraintKernel<S>> kernel_on(const Constraint& constraint) {
  return kernel_of<S, ConstraintKernel, ConstraintByWorlds>(constraint);
}

template <class S> Jet<S> motion_of(const Drive& drive, const S& t) {
  if constexpr (is_pack<S>)
    return by_worlds<Jet<S>, worlds_of<S>>([&](int w) { return drive.motion<double>(of_world(t, w)); });
  else
    return drive.motion<S>(t);
}

template <class S> S value_at(const TimeFunction& function, const S& t) {
  if constexpr (is_pack<S>)
    return by_worlds<S, worlds_of<S>>([&](int w) { return function(of_world(t, w)); });
  else
    return function(t);
}

template <class S> void apply_force(const Force& force, const Attachments<S>& at, const S& t, Loads<S>& loads) {
  if constexpr (is_pack<S>) {
    for (int w = 0; w < worlds_of<S>; ++w) {
      Loads<double> one;
      one.reset(at.points.size(), at.coordinates.size());
      force.apply<double>(of_world(at, w), of_world(t, w), one);
      for (std::size_t i = 0; i < at.points.size(); ++i) {
        put_world(loads.forces[i], w, one.forces[i]);
        put_world(loads.torques[i], w, one.torques[i]);
      }
      for (std::size_t i = 0; i < at.coordinates.size(); ++i) put_world(loads.efforts[i], w, one.efforts[i]);
      put_world(loads.potential, w, one.potential);
      put_world(loads.damped, w, one.damped);
      put_world(loads.brought, w, one.brought);
    }
  } else {
    force.apply<S>(at, t, loads);
  }
}

// Custom rows with what they are found in: kept from call to call, of one size.
template <class S> struct CustomWork {
  BodyRows<S> rows;
  CustomScratch<std::conditional_t<is_pack<S>, double, S>> scratch;

  void find(const CustomRows& of, const std::vector<BodyMotion<S>>& bodies, const S& t) {
    if constexpr (is_pack<S>) {
      std::vector<BodyMotion<double>> moving(bodies.size());
      BodyRows<double> one;
      for (int w = 0; w < worlds_of<S>; ++w) {
        for (std::size_t i = 0; i < bodies.size(); ++i) moving[i] = of_world(bodies[i], w);
        of.rows<double>(std::span<const BodyMotion<double>>(moving), of_world(t, w), one, scratch);
        put_world(rows, w, one);
      }
    } else {
      of.rows<S>(std::span<const BodyMotion<S>>(bodies), t, rows, scratch);
    }
  }
};

// ---- small ones
// ------------------------------------------------------------------------------------------------------

template <class S> S nearest_turn(const S& angle, const S& reference) {
  if constexpr (is_pack<S>)
    return by_worlds<S, worlds_of<S>>(
        [&](int w) { return unwrap_angle<double>(of_world(angle, w), of_world(reference, w)); });
  else
    return unwrap_angle<S>(angle, value_of(reference));
}

template <class S> Vec4<S> turned_by(const Vec4<S>& q, const Vec3<S>& theta) {
  if constexpr (is_pack<S>)
    return by_worlds<Vec4<S>, worlds_of<S>>(
        [&](int w) { return quaternion_retract<double>(of_world(q, w), of_world(theta, w)); });
  else
    return quaternion_retract<S>(q, theta);
}

template <class S> Vec4<S> quaternion_of_rotation(const Mat3<S>& R) {
  if constexpr (is_pack<S>)
    return by_worlds<Vec4<S>, worlds_of<S>>([&](int w) { return quaternion_of<double>(of_world(R, w)); });
  else
    return quaternion_of<S>(R);
}

}  // namespace tandem
