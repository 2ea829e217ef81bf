#include "tandem/dynamics/state.hpp"

namespace tandem {

void retract(const Model& model, const Eigen::VectorXd& delta, Eigen::VectorXd& q) {
  for (const Body& body : model.bodies) {
    if (body.point_mass) {
      q.segment<3>(body.q_first) += delta.segment<3>(body.v_first);
      continue;
    }
    q.segment<4>(body.q_first) = quaternion_retract<double>(q.segment<4>(body.q_first), delta.segment<3>(body.v_first));
    q.segment<3>(body.q_first + 4) += delta.segment<3>(body.v_first + 3);
  }
}

void coordinate_rate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& q_dot) {
  for (const Body& body : model.bodies) {
    if (body.point_mass) {
      q_dot.segment<3>(body.q_first) = v.segment<3>(body.v_first);
      continue;
    }
    q_dot.segment<4>(body.q_first) = quaternion_rate<double>(q.segment<4>(body.q_first), v.segment<3>(body.v_first));
    q_dot.segment<3>(body.q_first + 4) = v.segment<3>(body.v_first + 3);
  }
}

void normalise_quaternions(const Model& model, Eigen::VectorXd& q) {
  for (const Body& body : model.bodies)
    if (!body.point_mass) q.segment<4>(body.q_first).normalize();
}

}  // namespace tandem
