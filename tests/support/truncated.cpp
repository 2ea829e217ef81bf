#include "support/truncated.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "support/mechanism.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem::test {

TruncatedSystem::TruncatedSystem(const Model& model, const State& bodies) {
  const Equations<double> e = equations(model, bodies);
  scale_.setOnes(model.nv);
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    scale_.segment<3>(model.bodies[i].v_first + model.bodies[i].nv() - 3).setConstant(model.scale.of_body[i]);
  J_ = e.J.cast<long double>() * scale_.asDiagonal();  // (1)
  b_ = e.b.cast<long double>();
  for (Eigen::Index row = 0; row < J_.rows(); ++row) {
    const long double length = J_.row(row).norm();
    J_.row(row) /= length;
    b_[row] /= length;
  }
  M_ = scale_.asDiagonal() * mass_matrix(model).cast<long double>() * scale_.asDiagonal();
  f_ = scale_.asDiagonal() * e.f.cast<long double>();
  free_ = M_.ldlt().solve(f_);
  const Eigen::JacobiSVD<Matrix> svd(J_, Eigen::ComputeFullU | Eigen::ComputeFullV);  // (2)
  U_ = svd.matrixU();
  V_ = svd.matrixV();
  singular_ = svd.singularValues();
  sigma_ = (singular_ / singular_[0]).cast<double>();
}

int TruncatedSystem::rank(double tolerance) const { return static_cast<int>((sigma_.array() > tolerance).count()); }
int TruncatedSystem::rank() const { return rank(tolerances::rank); }

Eigen::MatrixXd TruncatedSystem::free_motions(int rank) const {
  return (scale_.asDiagonal() * V_.rightCols(V_.cols() - rank)).cast<double>();
}

TruncatedSystem::Answer TruncatedSystem::answer(int rank) const {
  const auto Vr = V_.leftCols(rank);
  const auto N = V_.rightCols(V_.cols() - rank);
  const Vector held = Vr * singular_.head(rank).cwiseInverse().asDiagonal() * U_.leftCols(rank).transpose() * b_;
  Vector y = held;  // (3)
  if (N.cols() > 0) {
    const Matrix NtMN = N.transpose() * M_ * N;
    y += N * NtMN.ldlt().solve(N.transpose() * (f_ - M_ * held));
  }
  Answer out;
  out.y = (scale_.asDiagonal() * y).cast<double>();
  out.off = static_cast<double>(off(y));
  const double least = rank > 0 ? sigma_[rank - 1] : 1.0, next = rank < sigma_.size() ? sigma_[rank] : 0.0;
  // Rows that contradict each other by `off` leave the answer open by as much.
  out.tolerance = std::max(
      {1e-10, 100.0 * std::numeric_limits<double>::epsilon() / least, 100.0 * next / least, 100.0 * out.off / least});
  return out;
}

long double TruncatedSystem::off(const Vector& y) const {
  return (J_ * y - b_).cwiseAbs().maxCoeff() /
         std::max({b_.cwiseAbs().maxCoeff(), y.cwiseAbs().maxCoeff(), free_.cwiseAbs().maxCoeff()});
}

double TruncatedSystem::worst_row(const Eigen::VectorXd& y) const {
  return static_cast<double>(off(y.cast<long double>().cwiseQuotient(scale_)));
}

double TruncatedSystem::relative_error(const Eigen::VectorXd& y, const Answer& answer) const {
  const Vector right = answer.y.cast<long double>().cwiseQuotient(scale_);
  const Vector difference = y.cast<long double>().cwiseQuotient(scale_) - right;
  return static_cast<double>(difference.norm() / (right.norm() + free_.norm()));
}

}  // namespace tandem::test
