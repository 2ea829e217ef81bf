#include "tandem/linalg/row_space.hpp"

namespace tandem {

RowSpace::RowSpace(const Eigen::MatrixXd& J, double tolerance)
    : RowSpace(J, Eigen::VectorXd::Ones(J.cols()), tolerance) {}

RowSpace::RowSpace(const Eigen::MatrixXd& given, const Eigen::VectorXd& sizes, double tolerance)
    : scale_(given.rows()), sizes_(sizes) {
  const Eigen::Index n = given.cols();
  const Eigen::MatrixXd J = given * sizes.asDiagonal();
  for (Eigen::Index i = 0; i < J.rows(); ++i) {
    const double length = J.row(i).norm();
    scale_[i] = length > 0.0 ? 1.0 / length : 0.0;
  }
  if (J.rows() > 0 && n > 0) {
    qr_.compute((scale_.asDiagonal() * J).transpose());
    qr_.setThreshold(tolerance);
    rank_ = qr_.rank();
  }
  Z_ = Eigen::MatrixXd::Identity(n, n).rightCols(n - rank_);
  if (rank_ > 0) Z_.applyOnTheLeft(qr_.householderQ());
  Z_ = sizes_.asDiagonal() * Z_;
}

Eigen::VectorXd RowSpace::shortest(const Eigen::VectorXd& r) const {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(Z_.rows());
  if (rank_ == 0) return x;
  const Eigen::VectorXd right = qr_.colsPermutation().transpose() * r.cwiseProduct(scale_);
  x.head(rank_) =
      qr_.matrixR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().transpose().solve(right.head(rank_));
  x.applyOnTheLeft(qr_.householderQ());
  return x.cwiseProduct(sizes_);
}

Eigen::VectorXd RowSpace::multipliers(const Eigen::VectorXd& f) const {
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(scale_.size());
  if (rank_ == 0) return lambda;
  // Not qr_.solve(): that one divides by pivots of round-off size, which the rank leaves out.
  Eigen::VectorXd right = f.cwiseProduct(sizes_);
  right.applyOnTheLeft(qr_.householderQ().adjoint());
  lambda.head(rank_) =
      qr_.matrixR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solve(right.head(rank_));
  return (qr_.colsPermutation() * lambda).cwiseProduct(scale_);
}

}  // namespace tandem
