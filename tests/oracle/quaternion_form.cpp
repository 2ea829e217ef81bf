#include "oracle/quaternion_form.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <stdexcept>

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"
#include "tandem/linalg/independent_rows.hpp"
#include "tandem/methods/udwadia_kalaba.hpp"

namespace tandem::oracle {

DenseSystem quaternion_form(const Model& model, const State& bodies) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  AppliedForces<double> applied(model);
  applied.update(model, kinematics);
  Rows<double> rows(model);
  rows.update(model, kinematics);
  std::vector<int> first;  // coordinate of each body
  int n = 0, m = model.rows;
  for (const Body& body : model.bodies) {
    first.push_back(n);
    n += body.nq();
    if (!body.point_mass) ++m;
  }
  DenseSystem system{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(m, n), Eigen::VectorXd::Zero(n),
                     Eigen::VectorXd::Zero(m)};
  m = model.rows;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {  // (1)
    const Body& body = model.bodies[i];
    const int at = first[i], position = at + body.nq() - 3;
    system.M.block<3, 3>(position, position).diagonal().setConstant(body.mass);
    system.F.segment<3>(position) = applied.on_body(i).tail<3>();
    if (body.point_mass) continue;
    const Vec4<double> q = bodies.q().segment<4>(body.q_first);
    const Mat34<double> T = quaternion_rate_matrix<double>(q);
    system.M.block<4, 4>(at, at) = T.transpose() * body.inertia * T;
    system.F.segment<4>(at) = T.transpose() * applied.on_body(i).head<3>();
    system.A.block<1, 4>(m, at) = q.transpose();  // (2)
    system.b[m++] = -quaternion_rate<double>(q, bodies.v().segment<3>(body.v_first)).squaredNorm();
  }
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {  // (2)
    const RowBlockInfo& info = model.blocks[i];
    system.b.segment(info.first_row, info.rows) = rows.block(i).b;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const auto which = static_cast<std::size_t>(info.bodies[k]);
      const Body& body = model.bodies[which];
      const Eigen::MatrixXd J = rows.block(i).J.middleCols(6 * static_cast<Eigen::Index>(k), 6);
      auto A = system.A.block(info.first_row, first[which], info.rows, body.nq());
      A.rightCols<3>() += J.rightCols<3>();
      if (!body.point_mass)
        A.leftCols<4>() += J.leftCols<3>() * quaternion_rate_matrix<double>(bodies.q().segment<4>(body.q_first));
    }
  }
  return system;
}

DenseSystem regular_quaternion_form(const Model& model, const State& bodies) {
  DenseSystem system = quaternion_form(model, bodies);
  int at = 0, row = model.rows;
  for (const Body& body : model.bodies) {
    if (!body.point_mass) {
      const Vec4<double> q = bodies.q().segment<4>(body.q_first);
      const double w = body.inertia.trace();
      system.M.block<4, 4>(at, at) += w * q * q.transpose();
      system.F.segment<4>(at) += w * system.b[row++] * q;
    }
    at += body.nq();
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

namespace {

Eigen::Index rank_of(const Eigen::MatrixXd& A) {
  return static_cast<Eigen::Index>(first_independent_rows(A, all_rows(A.rows())).size());
}

DenseSystem with_independent_rows_first(const DenseSystem& system) {
  std::vector<int> order = first_independent_rows(system.A, all_rows(system.A.rows()));
  for (int row = 0; row < static_cast<int>(system.A.rows()); ++row)
    if (std::find(order.begin(), order.end(), row) == order.end()) order.push_back(row);
  DenseSystem out = system;
  for (std::size_t k = 0; k < order.size(); ++k) {
    out.A.row(static_cast<Eigen::Index>(k)) = system.A.row(order[k]);
    out.b[static_cast<Eigen::Index>(k)] = system.b[order[k]];
  }
  return out;
}

DenseAnswer answer(const DenseSystem& system, Eigen::VectorXd acceleration, Eigen::Index rank) {
  DenseAnswer out;
  out.constraint_force = system.M * acceleration - system.F;
  out.unmet = system.A.rows() == 0 ? 0.0 : (system.A * acceleration - system.b).cwiseAbs().maxCoeff();
  out.rank = static_cast<int>(rank);
  out.acceleration = std::move(acceleration);
  return out;
}

void check_sizes(const DenseSystem& system) {
  const Eigen::Index n = system.F.size();
  if (system.M.rows() != n || system.M.cols() != n || system.A.cols() != n || system.A.rows() != system.b.size())
    throw std::invalid_argument("a dense system needs M (n × n), F (n), A (m × n) and b (m)");
}

// Of M with a unit diagonal, so that units do not matter: beyond this, an eigenvalue is round-off.
bool is_regular(const Eigen::MatrixXd& M) {
  constexpr double round_off = 1e-13;
  if (!(M.diagonal().minCoeff() > 0.0)) return M.size() == 0;
  const Eigen::VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> mass(scale.asDiagonal() * M * scale.asDiagonal());
  return mass.eigenvalues()[0] > round_off * mass.eigenvalues().cwiseAbs().maxCoeff();
}

}  // namespace

DenseAnswer solve_udwadia_kalaba(const DenseSystem& system) {
  check_sizes(system);
  if (!is_regular(system.M))
    throw std::invalid_argument("Udwadia-Kalaba needs a regular mass matrix; Udwadia-Phohomsiri does not");
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> mass(system.M);
  const Eigen::MatrixXd half_inverse = mass.operatorInverseSqrt();
  const Eigen::VectorXd a = half_inverse * (half_inverse * system.F);
  const DenseSystem ordered = with_independent_rows_first(system);
  const Eigen::Index rank = rank_of(system.A);
  PseudoInverse inverse;
  inverse.compute(ordered.A * half_inverse, rank);
  Eigen::VectorXd force;
  inverse.solve(ordered.b - ordered.A * a, force);
  return answer(system, a + half_inverse * force, rank);
}

DenseAnswer solve_udwadia_phohomsiri(const DenseSystem& system) {
  check_sizes(system);
  const Eigen::Index n = system.F.size(), rank = rank_of(system.A);
  const DenseSystem ordered = with_independent_rows_first(system);
  StackedSystem stacked;
  stacked.stack(ordered.M, ordered.F, ordered.A, ordered.b, rank);
  if (stacked.rank() < n) throw std::invalid_argument("the accelerations are not determined: [M; A] lacks rank");
  Eigen::VectorXd acceleration;
  stacked.solve(acceleration);
  return answer(system, std::move(acceleration), rank);
}

DenseAnswer solve_kkt(const DenseSystem& system) {
  check_sizes(system);
  const Eigen::Index n = system.F.size(), m = system.A.rows();
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m, n + m);
  K.topLeftCorner(n, n) = system.M;
  K.topRightCorner(n, m) = system.A.transpose();
  K.bottomLeftCorner(m, n) = system.A;
  Eigen::VectorXd right(n + m);
  right << system.F, system.b;
  const Eigen::VectorXd solved = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(K).solve(right);
  return answer(system, solved.head(n), rank_of(system.A));
}

}  // namespace tandem::oracle
