#include "tandem/dynamics/state.hpp"

namespace tandem {

Segments segments_of_bodies(const Model& model) { return {model.nq, model.nv, model.angles}; }

void State::add_work(double h, const Work& powers) {
  x[parts.work.first] += h * powers.dampers;
  x[parts.work.first + 1] += h * powers.drives;
  x[parts.work.first + 2] += h * powers.forces;
}

void retract(const Model& model, VecIn<double> delta, VecOut<double> q) {
  for (const Body& body : model.bodies) {
    if (body.point_mass) {
      q.segment<3>(body.q_first) += delta.segment<3>(body.v_first);
      continue;
    }
    q.segment<4>(body.q_first) = quaternion_retract<double>(q.segment<4>(body.q_first), delta.segment<3>(body.v_first));
    q.segment<3>(body.q_first + 4) += delta.segment<3>(body.v_first + 3);
  }
}

void coordinate_rate(const Model& model, VecIn<double> q, VecIn<double> v, VecOut<double> q_dot) {
  for (const Body& body : model.bodies) {
    if (body.point_mass) {
      q_dot.segment<3>(body.q_first) = v.segment<3>(body.v_first);
      continue;
    }
    q_dot.segment<4>(body.q_first) = quaternion_rate<double>(q.segment<4>(body.q_first), v.segment<3>(body.v_first));
    q_dot.segment<3>(body.q_first + 4) = v.segment<3>(body.v_first + 3);
  }
}

void normalise_quaternions(const Model& model, VecOut<double> q) {
  for (const Body& body : model.bodies)
    if (!body.point_mass) q.segment<4>(body.q_first).normalize();
}

}  // namespace tandem
