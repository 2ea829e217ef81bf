#include "tandem/dynamics/tangent.hpp"

namespace tandem {

Tangent::Tangent(const Model& model)
    : model_(model), kinematics_(model), applied_(model), rows_(model), q_dot_(model.nq), q_(model.nq), v_(model.nv) {}

void Tangent::update_kinematics(const State& bodies, const Direction& along) {
  coordinate_rate(model_, bodies.q(), along.q, q_dot_);
  for (Eigen::Index i = 0; i < q_.size(); ++i) q_[i] = D(bodies.q()[i], q_dot_[i]);
  for (Eigen::Index i = 0; i < v_.size(); ++i) v_[i] = D(bodies.v()[i], along.v[i]);
  kinematics_.update(model_, D(bodies.t, along.t), q_, v_, bodies.angles());  // (1)
}

void Tangent::update(const State& bodies, const Direction& along) {
  update_kinematics(bodies, along);
  applied_.update(model_, kinematics_);
  rows_.update(model_, kinematics_);
}

void Tangent::update_placed(double t, VecIn<double> angles) {
  kinematics_.update_joints(model_, D(t), angles);
  applied_.update(model_, kinematics_);
  rows_.update(model_, kinematics_);
}

void Tangent::force(const Eigen::VectorXd& lambda, Eigen::VectorXd& out) const {  // (2)
  out.resize(model_.nv);
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    for (int k = 0; k < body.nv(); ++k) out[body.v_first + k] = derivative_of(applied_.on_body(i)[6 - body.nv() + k]);
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlockInfo& info = model_.blocks[i];
    const MatX<D>& J = rows_.block(i).J;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model_.bodies[static_cast<std::size_t>(info.bodies[k])];
      const Eigen::Index first = 6 * static_cast<Eigen::Index>(k) + 6 - body.nv();
      for (int column = 0; column < body.nv(); ++column)
        for (int row = 0; row < info.rows; ++row)
          out[body.v_first + column] += derivative_of(J(row, first + column)) * lambda[info.first_row + row];
    }
  }
}

void Tangent::subtract_inertia(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {  // (2)
  for (const Body& body : model_.bodies) {
    const int linear = body.v_first + body.nv() - 3;
    for (int i = 0; i < 3; ++i) {
      out[linear + i] -= derivative_of(D(D(body.mass) * y[linear + i]));
      for (int k = 0; k < 3 && !body.point_mass; ++k)
        out[body.v_first + i] -= derivative_of(D(D(body.inertia(i, k)) * y[body.v_first + k]));
    }
  }
}

void Tangent::rows(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {  // (2)
  out.resize(model_.rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlockInfo& info = model_.blocks[i];
    const RowBlock<D>& block = rows_.block(i);
    for (int row = 0; row < info.rows; ++row) {
      double sum = derivative_of(block.b[row]);
      for (std::size_t k = 0; k < info.bodies.size(); ++k) {
        const Body& body = model_.bodies[static_cast<std::size_t>(info.bodies[k])];
        const Eigen::Index first = 6 * static_cast<Eigen::Index>(k) + 6 - body.nv();
        for (int column = 0; column < body.nv(); ++column)
          sum -= derivative_of(block.J(row, first + column)) * y[body.v_first + column];
      }
      out[info.first_row + row] = sum;
    }
  }
}

void Tangent::rate(Eigen::VectorXd& out) const {  // (4)
  out.resize(model_.rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlockInfo& info = model_.blocks[i];
    const RowBlock<D>& block = rows_.block(i);
    for (int row = 0; row < info.rows; ++row) {
      double sum = derivative_of(block.phi_t[row]);
      for (std::size_t k = 0; k < info.bodies.size(); ++k) {
        const Body& body = model_.bodies[static_cast<std::size_t>(info.bodies[k])];
        const Vec6<D> V = kinematics_.body(info.bodies[k]).velocity();
        const int first = 6 - body.nv();
        for (int column = first; column < 6; ++column)
          sum += derivative_of(D(block.J(row, 6 * static_cast<Eigen::Index>(k) + column) * V[column]));
      }
      out[info.first_row + row] = sum;
    }
  }
}

void Tangent::phi(Eigen::VectorXd& out) const {  // (4)
  out.setZero(model_.rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlockInfo& info = model_.blocks[i];
    for (int row = 0; row < info.holonomic; ++row) out[info.first_row + row] = derivative_of(rows_.block(i).phi[row]);
  }
}

}  // namespace tandem
