#include "tandem/observe/coordinate_reading.hpp"

#include "tandem/math/euler312.hpp"

namespace tandem {

namespace {

template <class S> Vec6<S> acceleration_of(const Model& model, int index, const VecX<S>& y) {
  Vec6<S> out = Vec6<S>::Zero();
  if (index == world) return out;
  const Body& body = model.bodies[static_cast<std::size_t>(index)];
  out.tail(body.nv()) = y.segment(body.v_first, body.nv());
  return out;
}

template <class S>
CoordinateReading<S> read_joint(const Model& model, const CoordinateRef& ref, const Kinematics<S>& kinematics,
                                const VecX<S>* y) {  // (1)
  const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
  const JointMotion<S>& motion = kinematics.joint(ref.joint);
  const Eigen::Index k = ref.coordinate;
  const int q = model_coordinate(joint, ref.coordinate);
  CoordinateReading<S> out{q < 0 ? S(0.0) : motion.q[q], motion.v[k], S(0.0)};
  if (!y) return out;
  const PairMotion<S>& pair = motion.pair;
  const Vec6<S> relative = pair.G_first * acceleration_of<S>(model, joint.first.body, *y) +
                           pair.G_second * acceleration_of<S>(model, joint.second.body, *y) + pair.gamma;
  out.acceleration = motion.W.col(k).dot(relative) + motion.rate_bias[k];
  return out;
}

}  // namespace

template <class S>
CoordinateReading<S> read_coordinate(const Model& model, const ModelStart& what, const Kinematics<S>& kinematics,
                                     const VecX<S>* y) {
  if (what.of == ModelStart::Of::joint) return read_joint<S>(model, what.coordinate, kinematics, y);
  const BodyMotion<S>& body = kinematics.body(what.point.body);
  const Vec6<S> a = y ? acceleration_of<S>(model, what.point.body, *y) : Vec6<S>(Vec6<S>::Zero());
  const int axis = what.axis();
  if (!what.is_angle_of_body()) {  // (2)
    const PointMotion<S> point = kinematics.point(what.point);
    const Vec3<S> r = point.p - body.X_WC.p, alpha = body.X_WC.R * a.template head<3>();
    const Vec3<S> spin = body.w_W.cross(r);
    const Vec3<S> acceleration = a.template tail<3>() + alpha.cross(r) + body.w_W.cross(spin);
    return {point.p[axis], point.v[axis], y ? acceleration[axis] : S(0.0)};
  }
  const Vec3<S> p = euler312_of<S>(body.X_WC.R);  // (3)
  const Mat3<S> inverse = euler312_body_matrix_inverse<S>(p);
  const Vec3<S> rate = inverse * body.w_B;
  if (!y) return {p[axis], rate[axis], S(0.0)};
  const Vec3<S> acceleration = inverse * (a.template head<3>() - euler312_body_matrix_rate<S>(p, rate) * rate);
  return {p[axis], rate[axis], acceleration[axis]};
}

VecX<Real> rate_row(const Model& model, const ModelStart& what, const Kinematics<Real>& kinematics) {
  VecX<Real> row = VecX<Real>::Zero(model.nv);
  const auto add = [&](int index, const Vec6<Real>& six) {
    if (index == world) return;
    const Body& body = model.bodies[static_cast<std::size_t>(index)];
    row.segment(body.v_first, body.nv()) += six.tail(body.nv());
  };
  if (what.of == ModelStart::Of::joint) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(what.coordinate.joint)];
    const JointMotion<Real>& motion = kinematics.joint(what.coordinate.joint);
    const Vec6<Real> w = motion.W.col(what.coordinate.coordinate);
    add(joint.first.body, motion.pair.G_first.transpose() * w);
    add(joint.second.body, motion.pair.G_second.transpose() * w);
    return row;
  }
  const BodyMotion<Real>& body = kinematics.body(what.point.body);
  Vec6<Real> six = Vec6<Real>::Zero();
  if (what.is_angle_of_body())
    six.head<3>() = euler312_body_matrix_inverse<Real>(euler312_of<Real>(body.X_WC.R)).row(what.axis());
  else
    six = point_jacobian<Real>(body, kinematics.point(what.point).p - body.X_WC.p).row(what.axis());
  add(what.point.body, six);
  return row;
}

bool is_angular(const Model& model, const ModelStart& what) {
  if (what.of != ModelStart::Of::joint) return what.is_angle_of_body();
  const Joint& joint = *model.joints[static_cast<std::size_t>(what.coordinate.joint)].joint();
  return joint.traits().coordinates[static_cast<std::size_t>(what.coordinate.coordinate)].angular;
}

#define TANDEM_DEFINE(S)                                                                                  \
  template CoordinateReading<S> read_coordinate<S>(const Model&, const ModelStart&, const Kinematics<S>&, \
                                                   const VecX<S>*);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
