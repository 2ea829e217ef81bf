#include "tandem/dynamics/workspace.hpp"

#include "tandem/linalg/independent_rows.hpp"

namespace tandem {

Workspace::Workspace(const Model& model, std::string_view cut, std::string_view coordinates_name)
    : kinematics(model),
      applied(model),
      rows(model),
      coordinates(make_coordinates(model, cut, coordinates_name)),
      problem(coordinates->structure(model)) {
  problem.rows.reserve(static_cast<std::size_t>(problem.row_count()));
  system_.analyse(problem);
  coordinates->sizes(model, q_size, v_size);
  v_size /= model.scale.time;
}

void Workspace::update(const Model& model, const State& state) {
  refresh(model, state);
  if (problem.row_count() == 0) return;
  // A start that is off by a little blurs dependence by as much.
  const double off = problem.largest_gap();
  system_.form(problem, RowSystem::Weight::one);
  system_.choose_rows(problem, std::max(solving_tolerance, std::min(100.0 * off, 1e-3)), problem.rows);
}

void Workspace::refresh(const Model& model, const State& state) {
  coordinates->place_bodies(model, state, kinematics);
  kinematics.update_joints(model, state.t, state.angles);
  applied.update(model, kinematics);
  rows.update(model, kinematics);
  coordinates->fill({model, state, kinematics, applied, rows}, with_mass, problem);
}

void Workspace::expand(const Model& model, const State& state, const Solution& in, Solution& out) {
  coordinates->expand({model, state, kinematics, applied, rows}, problem, in, out);
}

Eigen::VectorXd motion_sizes(const Model& model) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(model.nv);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    sizes.segment<3>(body.v_first + body.nv() - 3).setConstant(model.scale.of_body[i]);
  }
  return sizes;
}

double kinetic_energy(const Model& model, const Kinematics<double>& kinematics) {
  double energy = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
    if (!body.point_mass) energy += 0.5 * motion.w_B.dot(body.inertia * motion.w_B);
    energy += 0.5 * body.mass * motion.v.squaredNorm();
  }
  return energy;
}

Eigen::MatrixXd dense_rows(const Model& model, const Rows<double>& rows) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(model.rows, model.nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      J.block(info.first_row, body.v_first, info.rows, body.nv()) =
          body_columns(body, rows.block(i).J.middleCols(6 * static_cast<Eigen::Index>(k), 6));
    }
  }
  return J;
}

}  // namespace tandem
