#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

template <class S>
Kinematics<S>::Kinematics(const Model& model) : bodies_(model.bodies.size()), joints_(model.joints.size()) {}

template <class S>
void Kinematics<S>::update(const Model& model, const S& t, VecIn<S> q, VecIn<S> v, VecIn<double> angles) {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Body& body = model.bodies[i];
    BodyMotion<S>& motion = bodies_[i];
    if (body.point_mass) {
      motion.X_WC.p = q.template segment<3>(body.q_first);
      motion.v = v.template segment<3>(body.v_first);
      continue;
    }
    motion.X_WC.R = rotation_of<S>(quaternion_normalized<S>(q.template segment<4>(body.q_first)));
    motion.X_WC.p = q.template segment<3>(body.q_first + 4);
    motion.w_B = v.template segment<3>(body.v_first);
    motion.w_W = motion.X_WC.R * motion.w_B;
    motion.v = v.template segment<3>(body.v_first + 3);
  }
  update_joints(model, t, angles);
}

template <class S> void Kinematics<S>::update_joints(const Model& model, const S& t, VecIn<double> angles) {
  t_ = t;
  for (std::size_t i = 0; i < joints_.size(); ++i) update_joint(model, static_cast<int>(i), angles);
}

template <class S> void Kinematics<S>::update_joint(const Model& model, int index, VecIn<double> angles) {
  const ModelJoint& joint = model.joints[static_cast<std::size_t>(index)];
  JointMotion<S>& motion = joints_[static_cast<std::size_t>(index)];
  update_pair(body(joint.first.body), joint.first.X_CF, body(joint.second.body), joint.second.X_CF, motion.pair);
  const Joint* known = joint.joint();
  if (!known) return;
  const JointKernel<S>& kernel = known->template on<S>();
  motion.q = kernel.measure(motion.pair.x);
  kernel.rates(motion.pair.x, motion.W, motion.rate_bias);
  motion.v.noalias() = motion.W.transpose().lazyProduct(motion.pair.x.twist());
  const auto& coordinates = known->traits().coordinates;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    const JointCoordinate& coordinate = coordinates[k];
    if (!coordinate.angular || coordinate.counts_turns) continue;
    if (const int at = model_coordinate(joint, static_cast<int>(k)); at >= 0)
      motion.q[at] = unwrap_angle<S>(motion.q[at], angles[joint.turns_first + static_cast<int>(k)]);
  }
}

template <class S> void Kinematics<S>::read_angles(const Model& model, VecOut<double> angles) const {
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint* joint = model.joints[i].joint();
    if (!joint) continue;
    for (int k = 0; k < joint->traits().nv; ++k)
      if (const int at = model_coordinate(model.joints[i], k); at >= 0)
        angles[model.joints[i].turns_first + k] = value_of(joints_[i].q[at]);
  }
}

template <class S> PointMotion<S> Kinematics<S>::point(const BodyFrame& frame) const {
  const BodyMotion<S>& on = body(frame.body);
  const Vec3<S> r = on.X_WC.R * lift<S>(frame.X_CF.p);
  PointMotion<S> out;
  out.R = on.X_WC.R * lift<S>(frame.X_CF.R);
  out.p = on.X_WC.p + r;
  out.w = on.w_W;
  out.v = on.v + on.w_W.cross(r);
  return out;
}

#define TANDEM_DEFINE(S) template class Kinematics<S>;
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
