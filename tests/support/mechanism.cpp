#include "support/mechanism.hpp"

#include "support/dense.hpp"
#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem::test {

template <class S>
Equations<S> equations(const Model& model, const S& t, VecIn<S> q, VecIn<S> v, VecIn<double> angles) {
  Kinematics<S> kinematics(model);
  kinematics.update(model, t, q, v, angles);
  Rows<S> rows(model);
  rows.update(model, kinematics);
  AppliedForces<S> applied(model);
  applied.update(model, kinematics);

  Equations<S> out;
  out.phi.setZero(model.rows);
  out.phi_t.setZero(model.rows);
  out.b.setZero(model.rows);
  out.J.setZero(model.rows, model.nv);
  out.f.setZero(model.nv);
  for (std::size_t k = 0; k < model.blocks.size(); ++k) {
    const RowBlockInfo& info = model.blocks[k];
    const RowBlock<S>& block = rows.block(k);
    out.phi.segment(info.first_row, info.rows) = block.phi;
    out.phi_t.segment(info.first_row, info.rows) = block.phi_t;
    out.b.segment(info.first_row, info.rows) = block.b;
    for (std::size_t i = 0; i < info.bodies.size(); ++i) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[i])];
      out.J.block(info.first_row, body.v_first, info.rows, body.nv()) =
          block.J.middleCols(6 * static_cast<Eigen::Index>(i) + 6 - body.nv(), body.nv());
    }
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    out.f.segment(body.v_first, body.nv()) = applied.on_body(i).tail(body.nv());
  }
  return out;
}

template Equations<double> equations(const Model&, const double&, VecIn<double>, VecIn<double>, VecIn<double>);
template Equations<D> equations(const Model&, const D&, VecIn<D>, VecIn<D>, VecIn<double>);

Equations<double> equations(const Model& model, const State& state) {
  return equations<double>(model, state.t, state.q(), state.v(), state.angles());
}

Equations<D> equations_along(const Model& model, const State& state) {
  Eigen::VectorXd q_dot = Eigen::VectorXd::Zero(model.nq);
  coordinate_rate(model, state.q(), state.v(), q_dot);
  return equations<D>(model, D(state.t, 1.0), seed(state.q(), q_dot), held(state.v()), state.angles());
}

Eigen::MatrixXd mass_matrix(const Model& model) {
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(model.nv, model.nv);
  for (const Body& body : model.bodies) {
    const int linear = body.v_first + body.nv() - 3;
    M.block<3, 3>(linear, linear) = body.mass * Matrix3::Identity();
    if (!body.point_mass) M.block<3, 3>(body.v_first, body.v_first) = body.inertia;
  }
  return M;
}

Eigen::VectorXd acceleration(const Model& model, const State& state) {
  const Equations<double> e = equations(model, state);
  const Eigen::Index n = model.nv, m = model.rows;
  Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + m, n + m);
  kkt.topLeftCorner(n, n) = mass_matrix(model);
  kkt.topRightCorner(n, m) = e.J.transpose();
  kkt.bottomLeftCorner(m, n) = e.J;
  Eigen::VectorXd right(n + m);
  right << e.f, e.b;
  return pivoted_solution(kkt, right).head(n);
}

void set_relative_velocity(const Model& model, const BodyFrame& first, const BodyFrame& second,
                           const Vec6<double>& V_FM, State& state) {
  const Body& body = model.bodies[static_cast<std::size_t>(second.body)];
  state.v().segment<6>(body.v_first).setZero();
  Kinematics<double> kinematics(model);
  kinematics.update(model, state.t, state.q(), state.v(), state.angles());
  PairMotion<double> pair;
  update_pair(kinematics.body(first.body), first.X_CF, kinematics.body(second.body), second.X_CF, pair);
  state.v().segment<6>(body.v_first) = pivoted_solution(pair.G_second, V_FM - pair.x.twist());
}

}  // namespace tandem::test
