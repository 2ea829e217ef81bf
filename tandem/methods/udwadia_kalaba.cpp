#include "tandem/methods/udwadia_kalaba.hpp"

#include <limits>
#include <numeric>

#include "tandem/base/tolerances.hpp"

namespace tandem {

void PseudoInverse::compute(const Eigen::MatrixXd& A, Eigen::Index rank) {
  rank_ = std::min({rank, A.rows(), A.cols()});
  rows_ = A.rows();
  columns_ = A.cols();
  if (rank_ == 0) return;
  // A P = Q R and R = U' S V'ᵀ give U = Q U' and V = P V'. Of a matrix that is not square Eigen's JacobiSVD does the
  // same, but takes memory for it from 48 columns on.
  const bool wide = rows_ < columns_;
  if (wide)
    tall_ = A.transpose();
  else
    tall_ = A;
  qr_.compute(tall_);
  const Eigen::Index n = tall_.rows(), k = tall_.cols();
  R_.setZero(k, k);
  R_.triangularView<Eigen::Upper>() = qr_.matrixQR().topRows(k);
  svd_.compute(R_, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::MatrixXd& left = wide ? V_ : U_;
  Eigen::MatrixXd& right = wide ? U_ : V_;
  left.setZero(n, k);
  left.topRows(k) = svd_.matrixU();
  part_.resize(k);
  for (Eigen::Index i = k - 1; i >= 0; --i) {  // Q, reflector by reflector
    const auto below = qr_.matrixQR().col(i).tail(n - i - 1);
    part_.noalias() = left.bottomRows(n - i - 1).transpose() * below;
    part_ += left.row(i).transpose();
    part_ *= qr_.hCoeffs()[i];
    left.row(i) -= part_.transpose();
    left.bottomRows(n - i - 1).noalias() -= below * part_.transpose();
  }
  right.resize(k, k);
  for (Eigen::Index i = 0; i < k; ++i) right.row(qr_.colsPermutation().indices()[i]) = svd_.matrixV().row(i);
}

bool PseudoInverse::is_clear() const {
  if (rank_ == 0 || rank_ == std::min(rows_, columns_)) return true;
  return svd_.singularValues()[rank_] <= tolerances::clear_rank * svd_.singularValues()[rank_ - 1];
}

void PseudoInverse::solve(const Eigen::VectorXd& b, Eigen::VectorXd& out) {
  out.setZero(columns_);
  if (rank_ == 0) return;
  auto part = part_.head(rank_);
  part.noalias() = U_.leftCols(rank_).transpose() * b;
  part.array() /= svd_.singularValues().head(rank_).array();
  out.noalias() = V_.leftCols(rank_) * part;
}

void PseudoInverse::solve_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out) {
  out.setZero(rows_);
  if (rank_ == 0) return;
  auto part = part_.head(rank_);
  part.noalias() = V_.leftCols(rank_).transpose() * f;
  part.array() /= svd_.singularValues().head(rank_).array();
  out.noalias() = U_.leftCols(rank_) * part;
}

void PseudoInverse::row_space(Eigen::MatrixXd& out) const {
  out.setZero(columns_, columns_);
  if (rank_ > 0) out.noalias() = V_.leftCols(rank_) * V_.leftCols(rank_).transpose();
}

void PseudoInverse::column_space(Eigen::MatrixXd& out) const {
  out.setZero(rows_, rows_);
  if (rank_ > 0) out.noalias() = U_.leftCols(rank_) * U_.leftCols(rank_).transpose();
}

void UdwadiaKalaba::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  solution.y.resize(problem.unknowns());
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  if (problem.unknowns() == 0) return;
  const bool regular = take_mass_apart(problem);
  const auto solve_over = [&](bool all) {
    take_rows(problem, all);
    return regular ? solve_regular(problem, solution) : solve_singular(problem, solution);
  };
  if (!solve_over(true) && !solve_over(false)) return dense_.solve(model, problem, solution);
  solution.lambda.setZero(problem.row_count());
  for (std::size_t k = 0; k < used_.size(); ++k)
    solution.lambda[used_[k]] = row_scale_[static_cast<Eigen::Index>(k)] * multipliers_[static_cast<Eigen::Index>(k)];
  require_finite_accelerations(model, problem, solution.y);
}

// All rows, or the independent ones alone, scaled to unit length.
void UdwadiaKalaba::take_rows(const GaussProblem& problem, bool all) {
  problem.copy_J(all_rows_);
  if (all) {
    used_.resize(static_cast<std::size_t>(problem.row_count()));
    std::iota(used_.begin(), used_.end(), 0);
  } else {
    used_ = problem.rows;
  }
  const auto m = static_cast<Eigen::Index>(used_.size());
  J_.resize(m, problem.unknowns());
  row_scale_.resize(m);
  b_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = used_[static_cast<std::size_t>(k)];
    // On the reduced cut a row may vanish but for round-off, which must not be blown up to unit length.
    const double length = std::max(all_rows_.row(row).cwiseProduct(problem.unit.transpose()).norm(),
                                   problem.tree ? std::sqrt(problem.tree->row_square[row]) : 0.0);
    row_scale_[k] = length > 0.0 ? 1.0 / length : 1.0;
    J_.row(k) = row_scale_[k] * all_rows_.row(row);
    b_[k] = row_scale_[k] * problem.b[row];
  }
}

bool UdwadiaKalaba::take_mass_apart(const GaussProblem& problem) {
  roots_.resize(problem.groups.size());
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const Eigen::MatrixXd& M = problem.groups[g].M;
    if (M.rows() == 0) continue;
    roots_[g].compute(M);
    if (roots_[g].info() != Eigen::Success) return false;
    for (Eigen::Index k = 0; k < M.rows(); ++k)
      if (!(roots_[g].matrixLLT()(k, k) * roots_[g].matrixLLT()(k, k) > 1e-12 * M(k, k))) return false;
  }
  return true;
}

bool UdwadiaKalaba::solve_regular(const GaussProblem& problem, Solution& solution) {
  solution.y = problem.f;
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = solution.y.segment(problem.groups[g].first, problem.groups[g].size);
    if (part.size() > 0) roots_[g].solveInPlace(part);  // (1)
  }
  multipliers_.setZero(J_.rows());
  if (J_.rows() == 0) return true;
  Bt_ = J_.transpose();
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = Bt_.middleRows(problem.groups[g].first, problem.groups[g].size);
    if (part.rows() > 0) roots_[g].matrixL().solveInPlace(part);
  }
  inverse_.compute(Bt_, static_cast<Eigen::Index>(problem.rows.size()));  // of Bᵀ: B⁺ = ((Bᵀ)⁺)ᵀ
  if (!inverse_.is_clear()) return false;
  rest_ = b_;
  rest_.noalias() -= J_ * solution.y;
  inverse_.solve_transposed(rest_, force_);
  inverse_.solve(force_, multipliers_);
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = force_.segment(problem.groups[g].first, problem.groups[g].size);
    if (part.size() > 0) roots_[g].matrixU().solveInPlace(part);
  }
  solution.y += force_;  // (2)
  return true;
}

// [(1 − A⁺A) M; A A⁺ A] and [(1 − A⁺A) F; A A⁺ b]: the part of b that can be met.
void StackedSystem::stack(const Eigen::MatrixXd& M, const Eigen::VectorXd& F, const Eigen::MatrixXd& A,
                          const Eigen::VectorXd& b, Eigen::Index rank) {
  const Eigen::Index n = M.rows(), m = A.rows();
  inverse_.compute(A, rank);
  inverse_.row_space(across_);
  across_ = -across_;
  across_.diagonal().array() += 1.0;
  inverse_.column_space(met_);
  left_.resize(n + m, n);
  right_.resize(n + m);
  left_.topRows(n).noalias() = across_ * M;
  left_.bottomRows(m).noalias() = met_ * A;
  right_.head(n).noalias() = across_ * F;
  right_.tail(m).noalias() = met_ * b;
  solver_.setThreshold(tolerances::rank);
  solver_.compute(left_);
}

void StackedSystem::solve(Eigen::VectorXd& out) {
  const Eigen::Index n = left_.cols();
  for (Eigen::Index k = 0; k < n; ++k) {  // Qᵀ, reflector by reflector: Eigen's own way takes memory
    const auto below = solver_.matrixQR().col(k).tail(right_.size() - k - 1);
    const double turn = solver_.hCoeffs()[k] * (right_[k] + below.dot(right_.tail(below.size())));
    right_[k] -= turn;
    right_.tail(below.size()) -= turn * below;
  }
  solver_.matrixR().topLeftCorner(n, n).triangularView<Eigen::Upper>().solveInPlace(right_.head(n));
  out.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) out[solver_.colsPermutation().indices()[k]] = right_[k];
}

bool UdwadiaKalaba::solve_singular(const GaussProblem& problem, Solution& solution) {
  const Eigen::Index n = problem.unknowns();
  problem.copy_M(M_);
  // Equilibrated by the diagonal of M, so that grams and tonnes in one model do not decide about rank.
  inertia_scale(problem, M_, speed_scale_);
  B_ = J_;
  for (Eigen::Index k = 0; k < n; ++k) {
    M_.row(k) *= speed_scale_[k];
    M_.col(k) *= speed_scale_[k];
    B_.col(k) *= speed_scale_[k];
  }
  force_ = speed_scale_.cwiseProduct(problem.f);
  // At least as large as M now is: rows and masses stand below each other, and units must not decide about rank.
  double most = 0.0, length = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < B_.rows(); ++k) most = std::max(most, B_.row(k).norm());
  for (Eigen::Index k = 0; k < B_.rows(); ++k)
    if (const double own = B_.row(k).norm(); own > tolerances::rank * most) length = std::min(length, own);
  rest_ = b_;
  if (std::isfinite(length)) {
    B_ /= length;
    rest_ /= length;
  }
  const auto rank = static_cast<Eigen::Index>(problem.rows.size());
  stacked_.stack(M_, force_, B_, rest_, rank);  // (3)
  if (!stacked_.is_clear() || stacked_.rank() < n) return false;
  stacked_.solve(solution.y);
  solution.y.array() *= speed_scale_.array();
  problem.multiply_M(solution.y, change_);
  change_ -= problem.f;
  change_.array() *= problem.unit.array();
  B_ = J_;
  for (Eigen::Index k = 0; k < n; ++k) B_.col(k) *= problem.unit[k];
  inverse_.compute(B_, rank);
  inverse_.solve_transposed(change_, multipliers_);
  return true;
}

}  // namespace tandem
