#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

State start_state(const Model& model) {
  State state(segments_of_bodies(model));
  for (const Body& body : model.bodies) {
    if (body.point_mass) {
      state.q().segment<3>(body.q_first) = body.X_WC.p;
      state.v().segment<3>(body.v_first) = body.velocity;
    } else {
      state.q().segment<4>(body.q_first) = quaternion_of<double>(body.X_WC.R);
      state.q().segment<3>(body.q_first + 4) = body.X_WC.p;
      state.v().segment<3>(body.v_first) = body.angular_velocity;
      state.v().segment<3>(body.v_first + 3) = body.velocity;
    }
  }
  Kinematics<double> kinematics(model);
  kinematics.update(model, state.t, state.q(), state.v(), state.angles());
  // The turn to start on is the one each joint reads by itself: a screw knows how far it has gone.
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint* joint = model.joints[i].joint();
    if (!joint) continue;
    const VecUpTo7<double> q = joint->on<double>().measure(kinematics.joint(static_cast<int>(i)).pair.x);
    for (int k = 0; k < joint->traits().nv; ++k)
      if (const int at = model_coordinate(model.joints[i], k); at >= 0)
        state.angles()[model.joints[i].turns_first + k] = q[at];
  }
  return state;
}

}  // namespace tandem
