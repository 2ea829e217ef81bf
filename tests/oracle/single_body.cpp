#include "oracle/single_body.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tandem::oracle {

namespace {

constexpr double independent = 1e-12;  // least pivot of a matrix scaled to a unit diagonal
constexpr double fits = 1e-7;          // how well T and its rate must fit S and its rate

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("constrained body: " + what); }

template <class M> void require_finite(const M& m, const char* name) {
  if (!m.allFinite()) refuse(std::string(name) + " has entries that are not finite");
}

// Scaled to a unit diagonal first, so that kilograms and kilogram square metres do not compete.
bool positive_definite(const MatX<double>& m) {
  if (m.size() == 0) return true;
  if (!(m.diagonal().minCoeff() > 0.0)) return false;
  const VecX<double> d = m.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<MatX<double>> llt(d.asDiagonal() * m * d.asDiagonal());
  return llt.info() == Eigen::Success && llt.matrixLLT().diagonal().cwiseAbs2().minCoeff() > independent;
}

void require_subspace(const MatX<double>& m, const char* name) {
  if (m.rows() != 6 || m.cols() > 6)
    refuse(std::string(name) + " is " + std::to_string(m.rows()) + "×" + std::to_string(m.cols()) +
           "; it must have 6 rows and at most 6 columns");
  require_finite(m, name);
}

void require_inertia(const Mat6<double>& I) {
  require_finite(I, "the inertia I");
  if (!((I - I.transpose()).norm() <= fits * I.norm())) refuse("the inertia I is not symmetric");
  if (!positive_definite(I)) refuse("the inertia I is not positive definite");
}

// Checks the body; Sᵀ I S is positive definite just when the columns of S are independent.
MatX<double> joint_inertia(const ConstrainedBody& body) {
  require_subspace(body.S, "the allowed motion S");
  require_inertia(body.I);
  require_finite(body.s_dot, "the rate s_dot");
  require_finite(body.p, "the bias wrench p");
  MatX<double> H = body.S.transpose() * body.I * body.S;
  if (!positive_definite(H)) refuse("the columns of the allowed motion S are not independent");
  return H;
}

Vec6<double> bias(const ConstrainedBody& body) { return body.I * body.s_dot + body.p; }

ApparentInertia apparent_inertia(const ConstrainedBody& body, const Eigen::LLT<MatX<double>>& H) {
  MatX<double> W = body.S.transpose();
  if (W.rows() > 0) H.matrixL().solveInPlace(W);
  const Mat6<double> Phi = W.transpose() * W;   // (4)
  return {Phi, body.s_dot - Phi * bias(body)};  // (4)
}

void require_forbidden(const ConstrainedBody& body, const ForbiddenMotion& forbidden, const Vec6<double>& d) {
  require_subspace(forbidden.T, "the forbidden motion T");
  const Eigen::Index n_c = 6 - body.S.cols();
  if (forbidden.T.cols() != n_c || forbidden.T_dot_v.size() != n_c)
    refuse("the allowed motion S has " + std::to_string(body.S.cols()) + " columns, so T must have " +
           std::to_string(n_c) + " columns and T_dot_v as many entries; they have " +
           std::to_string(forbidden.T.cols()) + " and " + std::to_string(forbidden.T_dot_v.size()));
  require_finite(forbidden.T_dot_v, "the rate T_dot_v");
  const MatX<double> T = d.asDiagonal() * forbidden.T, S = d.cwiseInverse().asDiagonal() * body.S;
  if (!positive_definite(T.transpose() * T)) refuse("the columns of the forbidden motion T are not independent");
  for (Eigen::Index i = 0; i < T.cols(); ++i)
    for (Eigen::Index j = 0; j < S.cols(); ++j)
      if (!(std::abs(T.col(i).dot(S.col(j))) <= fits * T.col(i).norm() * S.col(j).norm()))
        refuse("column " + std::to_string(i) + " of the forbidden motion T is not orthogonal to column " +
               std::to_string(j) + " of the allowed motion S");
}

// q̈ from S q̈ = a − ṡ, all scaled to one unit; `force`: the size of f − p in it.
VecX<double> joint_acceleration(const ConstrainedBody& body, const Vec6<double>& a, const Vec6<double>& d,
                                double force) {
  const Vec6<double> scale = d.cwiseInverse();
  const MatX<double> S = scale.asDiagonal() * body.S;
  const Vec6<double> moved = scale.cwiseProduct(a - body.s_dot);
  VecX<double> q_ddot(S.cols());
  if (q_ddot.size() > 0) q_ddot = S.householderQr().solve(moved);  // (2)
  const double size = scale.cwiseProduct(a).norm() + scale.cwiseProduct(body.s_dot).norm() + force;
  if (!((moved - S * q_ddot).norm() <= fits * size))
    refuse("the rate T_dot_v does not fit the rate s_dot: T_dot_v + Tᵀ s_dot must be zero");
  return q_ddot;
}

}  // namespace

Vec6<double> bias_wrench(const Vec6<double>& v, const Mat6<double>& I, const Vec6<double>& f_g) {
  require_inertia(I);
  require_finite(v, "the velocity v");
  require_finite(f_g, "the wrench f_g");
  return force_cross<double>(Twist<double>::of(v)) * (I * v) - f_g;  // (1)
}

ApparentInertia apparent_inertia(const ConstrainedBody& body) {
  return apparent_inertia(body, Eigen::LLT<MatX<double>>(joint_inertia(body)));
}

ConstrainedMotion solve_by_apparent_inertia(const ConstrainedBody& body, const Vec6<double>& f) {
  const Eigen::LLT<MatX<double>> H(joint_inertia(body));
  require_finite(f, "the external wrench f");
  const ApparentInertia apparent = apparent_inertia(body, H);
  VecX<double> q_ddot = body.S.transpose() * (f - bias(body));
  if (q_ddot.size() > 0) H.solveInPlace(q_ddot);         // (3)
  const Vec6<double> a = apparent.Phi * f + apparent.b;  // (4)
  return {q_ddot, a, body.I * a + body.p - f};           // (1)
}

ForbiddenMotion forbidden_motion(const ConstrainedBody& body) {
  joint_inertia(body);
  MatX<double> T = MatX<double>::Identity(6, 6);
  if (body.S.cols() > 0) {
    const Eigen::HouseholderQR<MatX<double>> qr(body.S.colwise().normalized());
    const MatX<double> Q = qr.householderQ() * T;
    T = Q.rightCols(6 - body.S.cols());
  }
  const VecX<double> T_dot_v = -(T.transpose() * body.s_dot);  // (6)
  return {T, T_dot_v};
}

ConstrainedMotion solve_by_multipliers(const ConstrainedBody& body, const ForbiddenMotion& forbidden,
                                       const Vec6<double>& f) {
  joint_inertia(body);
  require_finite(f, "the external wrench f");
  const Vec6<double> d = body.I.diagonal().cwiseSqrt().cwiseInverse();  // scales all to one unit
  require_forbidden(body, forbidden, d);
  const Eigen::Index n_c = forbidden.T.cols();
  MatX<double> T = d.asDiagonal() * forbidden.T;
  const VecX<double> lengths = T.colwise().norm();
  T = T * lengths.cwiseInverse().asDiagonal();

  MatX<double> K = MatX<double>::Zero(6 + n_c, 6 + n_c);
  K.topLeftCorner<6, 6>() = d.asDiagonal() * body.I * d.asDiagonal();
  K.topRightCorner(6, n_c) = T;
  K.bottomLeftCorner(n_c, 6) = T.transpose();
  VecX<double> right(6 + n_c);
  right.head<6>() = d.cwiseProduct(f - body.p);
  right.tail(n_c) = -forbidden.T_dot_v.cwiseQuotient(lengths);
  const VecX<double> solution = K.fullPivLu().solve(right);  // (5)

  const Vec6<double> a = d.cwiseProduct(solution.head<6>());
  const VecX<double> lambda = -solution.tail(n_c).cwiseQuotient(lengths);
  return {joint_acceleration(body, a, d, right.head<6>().norm()), a, forbidden.T * lambda};  // (5)
}

ConstrainedMotion solve_by_multipliers(const ConstrainedBody& body, const Vec6<double>& f) {
  return solve_by_multipliers(body, forbidden_motion(body), f);
}

JointSpaceEquation joint_space_equation(const ConstrainedBody& body) {
  return {joint_inertia(body), body.S.transpose() * bias(body)};  // (7)
}

ConstrainedMotion solve_in_joint_space(const ConstrainedBody& body, const Vec6<double>& f) {
  const JointSpaceEquation equation = joint_space_equation(body);
  require_finite(f, "the external wrench f");
  VecX<double> q_ddot = body.S.transpose() * f - equation.C;        // (7)
  if (q_ddot.size() > 0) q_ddot = equation.H.ldlt().solve(q_ddot);  // (7)
  const Vec6<double> a = body.S * q_ddot + body.s_dot;              // (2)
  return {q_ddot, a, body.I * a + body.p - f};                      // (1)
}

}  // namespace tandem::oracle
