#include "oracle/states.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tandem/base/faults.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem::oracle {

namespace {

// Of all speeds, as displacements: the length of the island, or a radian.
Eigen::VectorXd speed_sizes(const Model& model) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(model.nv);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    sizes.segment<3>(model.bodies[i].v_first + model.bodies[i].nv() - 3).setConstant(model.scale.of_body[i]);
  return sizes;
}

void fill(const Model& model, const State& bodies, BodyEquations& out) {
  Kinematics<double> kinematics(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  AppliedForces<double> applied(model);
  applied.update(model, kinematics);
  Rows<double> rows(model);
  rows.update(model, kinematics);
  out.M.setZero(model.nv, model.nv);
  out.J.setZero(model.rows, model.nv);
  out.f.setZero(model.nv);
  out.b.setZero(model.rows);
  out.phi.setZero(model.rows);
  out.rate.setZero(model.rows);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const int linear = body.v_first + body.nv() - 3;
    out.M.block<3, 3>(linear, linear) = body.mass * Matrix3::Identity();
    if (!body.point_mass) out.M.block<3, 3>(body.v_first, body.v_first) = body.inertia;
    out.f.segment(body.v_first, body.nv()) = applied.on_body(i).tail(body.nv());
  }
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    out.phi.segment(info.first_row, info.holonomic) = rows.block(i).phi.head(info.holonomic);
    out.rate.segment(info.first_row, info.rows) = rows.block(i).phi_t;
    out.b.segment(info.first_row, info.rows) = rows.block(i).b;
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      out.J.block(info.first_row, body.v_first, info.rows, body.nv()) =
          rows.block(i).J.middleCols(6 * static_cast<Eigen::Index>(k) + 6 - body.nv(), body.nv());
    }
  }
  out.rate += out.J * bodies.v();
}

// Rows of unit length, lengths in parts of the machine's; transposed.
Eigen::MatrixXd scaled_rows(const Model& model, const Eigen::MatrixXd& J, Eigen::VectorXd& lengths) {
  Eigen::MatrixXd Jt = speed_sizes(model).asDiagonal() * J.transpose();
  lengths = Jt.colwise().norm().transpose();
  for (Eigen::Index k = 0; k < Jt.cols(); ++k)
    if (lengths[k] > 0.0) Jt.col(k) /= lengths[k];
  return Jt;
}

// The least δ, in parts of the machine, with J δ = −residual over the holonomic rows or all.
Eigen::VectorXd least_change(const Model& model, const BodyEquations& at, const Eigen::VectorXd& residual,
                             bool holonomic) {
  Eigen::VectorXd lengths, right = -residual;
  Eigen::MatrixXd Jt = scaled_rows(model, at.J, lengths);
  for (Eigen::Index k = 0; k < right.size(); ++k)
    if (lengths[k] > 0.0) right[k] /= lengths[k];
  if (holonomic)
    for (const RowBlockInfo& info : model.blocks)
      for (int k = info.holonomic; k < info.rows; ++k) {
        Jt.col(info.first_row + k).setZero();
        right[info.first_row + k] = 0.0;
      }
  if (Jt.size() == 0) return Eigen::VectorXd::Zero(model.nv);
  // Of rows that depend on each other some say the same: Jtᵀ = P R ᵀ Qᵀ over the independent ones alone.
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Jt.rows(), Jt.cols());
  qr.setThreshold(1e-6);
  qr.compute(Jt);
  const Eigen::Index rank = qr.rank();
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(model.nv);
  delta.head(rank) = qr.matrixR()
                         .topLeftCorner(rank, rank)
                         .triangularView<Eigen::Upper>()
                         .transpose()
                         .solve((qr.colsPermutation().transpose() * right).head(rank));
  delta.applyOnTheLeft(qr.householderQ().setLength(rank));
  return speed_sizes(model).cwiseProduct(delta);
}

double largest_gap(const Model& model, const BodyEquations& at) {
  double gap = 0.0;
  for (int k = 0; k < model.rows; ++k) gap = std::max(gap, std::abs(at.phi[k]) / model.row_size(k));
  return at.phi.allFinite() ? gap : std::numeric_limits<double>::infinity();
}

void meet_speeds(const Model& model, State& state) {
  BodyEquations at;
  for (int pass = 0; pass < 2; ++pass) {  // the second takes the round-off of the first
    fill(model, state, at);
    state.v() += least_change(model, at, at.rate, false);
  }
}

bool meet_positions(const Model& model, State& state) {
  BodyEquations at;
  for (int pass = 0; pass < 20; ++pass) {
    fill(model, state, at);
    const double gap = largest_gap(model, at);
    if (gap < 1e-14 || (pass > 5 && gap < 1e-13)) return true;
    if (!(gap < 1.0)) return false;
    retract(model, least_change(model, at, at.phi, true), state.q());
    normalise_quaternions(model, state.q());
  }
  return false;
}

}  // namespace

double BodyEquations::mass_norm(const Eigen::VectorXd& y) const { return std::sqrt(std::max(0.0, y.dot(M * y))); }

BodyEquations body_equations(const Model& model, const State& bodies) {
  BodyEquations out;
  fill(model, bodies, out);
  out.unique.assign(static_cast<std::size_t>(model.rows), 1);
  Eigen::VectorXd lengths;
  const Eigen::MatrixXd Jt = scaled_rows(model, out.J, lengths);
  if (Jt.size() == 0) return out;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Jt.rows(), Jt.cols());
  qr.setThreshold(tolerances::rank);
  qr.compute(Jt);
  const Eigen::Index rank = qr.rank();
  const auto& order = qr.colsPermutation().indices();
  Eigen::MatrixXd chosen(Jt.rows(), rank);
  for (Eigen::Index k = 0; k < rank; ++k) {
    out.rows.push_back(order[k]);
    chosen.col(k) = Jt.col(order[k]);
  }
  std::sort(out.rows.begin(), out.rows.end());
  if (rank < Jt.cols()) {  // n of Jᵀ n = 0: what multipliers can do without a force
    const auto R = qr.matrixR();
    const Eigen::MatrixXd n = R.topLeftCorner(rank, rank)
                                  .triangularView<Eigen::Upper>()
                                  .solve(Eigen::MatrixXd(R.topRightCorner(rank, Jt.cols() - rank)));
    for (Eigen::Index k = 0; k < Jt.cols(); ++k)
      if (k >= rank || n.row(k).cwiseAbs().maxCoeff() > 1e-7) out.unique[static_cast<std::size_t>(order[k])] = 0;
  }
  const Eigen::MatrixXd gram = chosen.transpose() * chosen;
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  const double least = values[0] / values[rank - 1];
  out.kappa = least > 1e-14 ? 1.0 / std::sqrt(least) : std::numeric_limits<double>::infinity();
  return out;
}

Moved moved_state(const Model& model, const State& from, double dt, unsigned number) {
  std::mt19937 random(number);
  Eigen::VectorXd change = speed_sizes(model) / model.scale.time;
  for (double& each : change) each *= 0.5 * (static_cast<double>(random()) / 4294967296.0 - 0.5);
  State other = from;
  other.v() += change;
  meet_speeds(model, other);
  for (int pass = 0; pass < 12; ++pass, dt *= 0.5) {
    Moved out{other, {}};
    out.unmet.t += dt;
    retract(model, dt * other.v(), out.unmet.q());
    normalise_quaternions(model, out.unmet.q());
    out.met = out.unmet;
    if (!meet_positions(model, out.met)) continue;
    meet_speeds(model, out.met);
    Kinematics<double> kinematics(model);
    kinematics.update(model, out.met.t, out.met.q(), out.met.v(), out.met.angles());
    kinematics.read_angles(model, out.met.angles());
    return out;
  }
  throw NumericalError("no state nearby meets the constraints");
}

}  // namespace tandem::oracle
