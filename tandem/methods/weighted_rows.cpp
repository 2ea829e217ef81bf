#include "tandem/methods/weighted_rows.hpp"

#include <Eigen/Eigenvalues>

#include "tandem/methods/method.hpp"

namespace tandem {

// Beyond this, a pivot of M with unit diagonal is round-off.
static constexpr double least_pivot_of_mass = 1e-13;

static bool is_regular(const Eigen::LLT<Eigen::MatrixXd>& root, const Eigen::MatrixXd& M) {
  if (root.info() != Eigen::Success) return false;
  for (Eigen::Index k = 0; k < M.rows(); ++k)
    if (!(root.matrixLLT()(k, k) * root.matrixLLT()(k, k) > least_pivot_of_mass * M(k, k))) return false;
  return true;
}

Eigen::VectorXd WeightedRows::factor(const GaussProblem& problem, const std::vector<int>& rows, bool by_mass) {
  const Eigen::Index n = problem.unknowns(), m = static_cast<Eigen::Index>(rows.size());
  rows_ = rows;
  augmented_ = false;
  if (by_mass) {
    problem.copy_M(M_);
    inertia_scale(problem, M_, speed_scale_);
    M_ = (speed_scale_.asDiagonal() * M_ * speed_scale_.asDiagonal()).eval();
  } else {
    speed_scale_.setOnes(n);
    M_.setIdentity(n, n);
  }
  const Eigen::MatrixXd J = problem.dense_J();
  J_.resize(m, n);
  row_scale_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    J_.row(k) = J.row(rows[static_cast<std::size_t>(k)]).cwiseProduct(speed_scale_.transpose());
    const double length = J_.row(k).norm();
    row_scale_[k] = length > 0.0 ? 1.0 / length : 1.0;
    J_.row(k) *= row_scale_[k];
  }
  root_.compute(M_);
  if (!is_regular(root_, M_)) {  // (4)
    augmented_ = true;
    M_.noalias() += J_.transpose() * J_;
    root_.compute(M_);
    if (!is_regular(root_, M_)) {
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(M_);
      return speed_scale_.cwiseProduct(eigen.eigenvectors().col(0));
    }
  }
  Bt_ = J_.transpose();
  root_.matrixL().solveInPlace(Bt_);
  if (m > 0) qr_.compute(Bt_);  // (1)
  return {};
}

void WeightedRows::take_right_side(const Eigen::VectorXd& b) {
  const auto m = static_cast<Eigen::Index>(rows_.size());
  part_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index from = qr_.colsPermutation().indices()[k];
    part_[k] = row_scale_[from] * b[rows_[static_cast<std::size_t>(from)]];
  }
  qr_.matrixR().topLeftCorner(m, m).triangularView<Eigen::Upper>().transpose().solveInPlace(part_);
}

void WeightedRows::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& y,
                         Eigen::VectorXd& lambda) {
  const Eigen::Index m = static_cast<Eigen::Index>(rows_.size());
  lambda.setZero(b.size());
  force_ = speed_scale_.cwiseProduct(f);
  if (augmented_)
    for (Eigen::Index k = 0; k < m; ++k)
      force_ += row_scale_[k] * b[rows_[static_cast<std::size_t>(k)]] * J_.row(k).transpose();
  root_.matrixL().solveInPlace(force_);
  if (m > 0) {
    take_right_side(b);
    force_.applyOnTheLeft(qr_.householderQ().setLength(m).adjoint());
    Eigen::VectorXd multipliers = part_ - force_.head(m);
    qr_.matrixR().topLeftCorner(m, m).triangularView<Eigen::Upper>().solveInPlace(multipliers);
    for (Eigen::Index k = 0; k < m; ++k) {
      const Eigen::Index to = qr_.colsPermutation().indices()[k];
      lambda[rows_[static_cast<std::size_t>(to)]] = row_scale_[to] * multipliers[k];
    }
    force_.head(m) = part_;
    force_.applyOnTheLeft(qr_.householderQ().setLength(m));
  }
  root_.matrixU().solveInPlace(force_);
  y = speed_scale_.cwiseProduct(force_);  // (2)
}

void WeightedRows::least_change(const Eigen::VectorXd& residual, Eigen::VectorXd& delta) {
  const Eigen::Index m = static_cast<Eigen::Index>(rows_.size());
  delta.setZero(speed_scale_.size());
  if (m == 0) return;
  take_right_side(-residual);
  delta.head(m) = part_;
  delta.applyOnTheLeft(qr_.householderQ().setLength(m));
  root_.matrixU().solveInPlace(delta);
  delta.array() *= speed_scale_.array();  // (3)
}

}  // namespace tandem
