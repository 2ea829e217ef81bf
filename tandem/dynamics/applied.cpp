#include "tandem/dynamics/applied.hpp"

namespace tandem {

template <class S>
void attach(const Model& model, const ModelForce& force, const Kinematics<S>& kinematics, Attachments<S>& at) {
  at.points.clear();
  at.coordinates.clear();
  for (const BodyFrame& point : force.points) at.points.push_back(kinematics.point(point));
  for (const CoordinateRef& ref : force.coordinates) {
    const JointMotion<S>& motion = kinematics.joint(ref.joint);
    const Eigen::Index i = model_coordinate(model.joints[static_cast<std::size_t>(ref.joint)], ref.coordinate);
    at.coordinates.push_back({i < 0 ? S(0.0) : motion.q[i], motion.v[ref.coordinate]});
  }
}

template <class S>
AppliedForces<S>::AppliedForces(const Model& model) : wrenches_(model.bodies.size()), efforts_(model.angles) {}

template <class S> void AppliedForces<S>::update(const Model& model, const Kinematics<S>& kinematics) {
  gravity_potential_ = spring_potential_ = damped_ = brought_ = S(0.0);
  efforts_.setZero();
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<S>& motion = kinematics.body(static_cast<int>(i));
    const Vec3<S> weight = lift<S>(body.mass * model.gravity);
    wrenches_[i].template head<3>() = -motion.w_B.cross(Vec3<S>(lift<S>(body.inertia) * motion.w_B));  // (1)
    wrenches_[i].template tail<3>() = weight;                                                          // (3)
    gravity_potential_ -= weight.dot(motion.X_WC.p);
  }
  for (const ModelForce& force : model.forces) apply_law(model, force, kinematics);
}

template <class S>
void AppliedForces<S>::apply_law(const Model& model, const ModelForce& force, const Kinematics<S>& kinematics) {
  attach(model, force, kinematics, attachments_);
  loads_.reset(force.points.size(), force.coordinates.size());
  force.force.template apply<S>(attachments_, kinematics.time(), loads_);
  spring_potential_ += loads_.potential;
  damped_ += loads_.damped;
  brought_ += loads_.brought;

  for (std::size_t i = 0; i < force.points.size(); ++i) {
    const BodyMotion<S>& body = kinematics.body(force.points[i].body);
    const Vec3<S> r = attachments_.points[i].p - body.X_WC.p;
    Vec6<S> wrench;
    wrench.template head<3>() = body.X_WC.R.transpose() * (loads_.torques[i] + r.cross(loads_.forces[i]));
    wrench.template tail<3>() = loads_.forces[i];
    add(force.points[i].body, wrench);
  }
  for (std::size_t i = 0; i < force.coordinates.size(); ++i) {  // (2)
    const CoordinateRef& ref = force.coordinates[i];
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
    const JointMotion<S>& motion = kinematics.joint(ref.joint);
    const Vec6<S> w = loads_.efforts[i] * motion.W.col(ref.coordinate);
    add(joint.first.body, motion.pair.G_first.transpose() * w);
    add(joint.second.body, motion.pair.G_second.transpose() * w);
    efforts_[joint.turns_first + ref.coordinate] += loads_.efforts[i];
  }
}

#define TANDEM_DEFINE(S)           \
  template class AppliedForces<S>; \
  template void attach<S>(const Model&, const ModelForce&, const Kinematics<S>&, Attachments<S>&);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
