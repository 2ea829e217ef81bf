#include "tandem/dynamics/gauss_problem.hpp"

#include "tandem/linalg/independent_rows.hpp"

namespace tandem {

Workspace::Workspace(const Model& model) : kinematics(model), applied(model), rows(model) {
  problem.M.setZero(model.nv, model.nv);
  for (const Body& body : model.bodies) {
    if (!body.point_mass) problem.M.block<3, 3>(body.v_first, body.v_first) = body.inertia;
    const int linear = body.v_first + body.nv() - 3;
    problem.M.block<3, 3>(linear, linear).diagonal().setConstant(body.mass);
  }
  problem.J.setZero(model.rows, model.nv);
  problem.f.setZero(model.nv);
  problem.b.setZero(model.rows);
  problem.phi.setZero(model.rows);
  problem.phi_t.setZero(model.rows);
}

void Workspace::update(const Model& model, const State& state) {
  refresh(model, state);
  // A start that is off by a little blurs dependence by as much.
  const double off = model.rows == 0 ? 0.0 : problem.phi.cwiseAbs().maxCoeff();
  problem.rows = best_independent_rows(problem.J, std::max(solving_tolerance, std::min(100.0 * off, 1e-3)));
}

void Workspace::refresh(const Model& model, const State& state) {
  kinematics.update(model, state.t, state.q, state.v, state.angles);
  applied.update(model, kinematics);
  rows.update(model, kinematics);
  gather(model);
}

void Workspace::gather(const Model& model) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    problem.f.segment(body.v_first, body.nv()) = applied.on_body(i).tail(body.nv());
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    const RowBlock<double>& block = rows.block(i);
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      problem.J.block(info.first_row, body.v_first, info.rows, body.nv()) =
          body_columns(body, block.J.middleCols(6 * static_cast<Eigen::Index>(k), 6));
    }
    problem.phi.segment(info.first_row, info.rows) = block.phi;
    problem.phi.segment(info.first_row + info.holonomic, info.rows - info.holonomic).setZero();
    problem.phi_t.segment(info.first_row, info.rows) = block.phi_t;
    problem.b.segment(info.first_row, info.rows) = block.b;
  }
}

double kinetic_energy(const Model& model, const Eigen::VectorXd& v) {
  double energy = 0.0;
  for (const Body& body : model.bodies) {
    if (!body.point_mass) {
      const Vector3 w = v.segment<3>(body.v_first);
      energy += 0.5 * w.dot(body.inertia * w);
    }
    energy += 0.5 * body.mass * v.segment<3>(body.v_first + body.nv() - 3).squaredNorm();
  }
  return energy;
}

}  // namespace tandem
