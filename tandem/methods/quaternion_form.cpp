#include "tandem/methods/quaternion_form.hpp"

namespace tandem {

DenseSystem regular_quaternion_form(const Model& model, const State& bodies) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q, bodies.v, bodies.angles);
  Workspace workspace(model, "all", "quaternion");
  const State state = workspace.coordinates->from_bodies(model, bodies, kinematics);
  workspace.refresh(model, state);
  return {workspace.problem.dense_M(), workspace.problem.dense_J(), workspace.problem.f, workspace.problem.b};
}

DenseSystem quaternion_form(const Model& model, const State& bodies) {
  DenseSystem system = regular_quaternion_form(model, bodies);
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q, bodies.v, bodies.angles);
  AppliedForces<double> applied(model);
  applied.update(model, kinematics);
  int first = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (1), without what makes M regular
    const Body& body = model.bodies[i];
    if (!body.point_mass) {
      const Mat34<double> T = quaternion_rate_matrix<double>(bodies.q.segment<4>(body.q_first));
      system.M.block<4, 4>(first, first) = T.transpose() * body.inertia * T;
      system.F.segment<4>(first) = T.transpose() * applied.on_body(i).head<3>();
    }
    first += body.nq();
  }
  return system;
}

std::vector<int> positions_first(const Model& model) {
  std::vector<int> order;
  for (const bool positions : {true, false}) {
    int first = 0;
    for (const Body& body : model.bodies) {
      const int rotation = body.nq() - 3;
      for (int k = 0; k < body.nq(); ++k)
        if ((k >= rotation) == positions) order.push_back(first + k);
      first += body.nq();
    }
  }
  return order;
}

DenseSystem reordered(const DenseSystem& system, const std::vector<int>& order) {
  DenseSystem out = system;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto to = static_cast<Eigen::Index>(i);
    out.A.col(to) = system.A.col(order[i]);
    out.F[to] = system.F[order[i]];
    for (std::size_t j = 0; j < order.size(); ++j)
      out.M(to, static_cast<Eigen::Index>(j)) = system.M(order[i], order[j]);
  }
  return out;
}

}  // namespace tandem
