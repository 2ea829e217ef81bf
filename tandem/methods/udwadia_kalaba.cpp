#include "tandem/methods/udwadia_kalaba.hpp"

#include <limits>
#include <numeric>

#include "tandem/base/tolerances.hpp"

namespace tandem {

namespace {

using PivotedQr = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

// x ← Q x or Qᵀ x, reflector by reflector: Eigen's own way takes memory.
template <class Vector> void reflect(const PivotedQr& qr, bool transposed, Vector&& x) {
  const Eigen::Index n = qr.rows(), k = std::min(n, qr.cols());
  for (Eigen::Index step = 0; step < k; ++step) {
    const Eigen::Index i = transposed ? step : k - 1 - step;
    const auto below = qr.matrixQR().col(i).tail(n - i - 1);
    const double turn = qr.hCoeffs()[i] * (x[i] + below.dot(x.tail(n - i - 1)));
    x[i] -= turn;
    x.tail(n - i - 1) -= turn * below;
  }
}

void permute(const PivotedQr& qr, const Eigen::VectorXd& x, Eigen::VectorXd& out) {  // P x
  for (Eigen::Index i = 0; i < qr.cols(); ++i) out[qr.colsPermutation().indices()[i]] = x[i];
}

void permute_back(const PivotedQr& qr, const Eigen::VectorXd& x, Eigen::VectorXd& out) {  // Pᵀ x
  for (Eigen::Index i = 0; i < qr.cols(); ++i) out[i] = x[qr.colsPermutation().indices()[i]];
}

}  // namespace

void PseudoInverse::compute(const Eigen::MatrixXd& A, Eigen::Index rank) {
  rank_ = std::min({rank, A.rows(), A.cols()});
  wide_ = A.rows() < A.cols();
  rows_ = A.rows();
  columns_ = A.cols();
  if (rank_ == 0) return;
  if (wide_)
    tall_ = A.transpose();
  else
    tall_ = A;
  qr_.compute(tall_);
  R_ = qr_.matrixQR().topRows(rank_).transpose();  // [R₁₁ R₁₂]ᵀ
  for (Eigen::Index i = 1; i < rank_; ++i) R_.col(i).head(i).setZero();
  across_.compute(R_);
}

// Largest numbers beyond the rank and within it: pivots fall, and are near the singular values.
bool PseudoInverse::is_clear() const {
  const Eigen::Index k = tall_.cols();
  if (rank_ == 0 || rank_ == k) return true;
  double beyond = 0.0;
  for (Eigen::Index i = rank_; i < k; ++i)
    beyond = std::max(beyond, qr_.matrixQR().col(i).segment(rank_, i - rank_ + 1).cwiseAbs().maxCoeff());
  return beyond <= tolerances::clear_rank * std::abs(across_.matrixQR()(rank_ - 1, rank_ - 1));
}

void PseudoInverse::solve_tall(const Eigen::VectorXd& b, Eigen::VectorXd& out) {  // P Z T⁻ᵀ Πᵀ Qᵀ b
  whole_ = b;
  reflect(qr_, true, whole_);
  part_.setZero(tall_.cols());
  permute_back(across_, whole_, part_);
  across_.matrixQR()
      .topLeftCorner(rank_, rank_)
      .triangularView<Eigen::Upper>()
      .transpose()
      .solveInPlace(part_.head(rank_));
  reflect(across_, false, part_);
  out.resize(tall_.cols());
  permute(qr_, part_, out);
}

void PseudoInverse::solve_tall_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out) {  // Q Π T⁻¹ Zᵀ Pᵀ f
  part_.resize(tall_.cols());
  permute_back(qr_, f, part_);
  reflect(across_, true, part_);
  across_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(part_.head(rank_));
  out.setZero(tall_.rows());
  permute(across_, part_, out);
  reflect(qr_, false, out);
}

void PseudoInverse::solve(const Eigen::VectorXd& b, Eigen::VectorXd& out) {
  if (rank_ == 0)
    out.setZero(columns_);
  else if (wide_)
    solve_tall_transposed(b, out);
  else
    solve_tall(b, out);
}

void PseudoInverse::solve_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out) {
  if (rank_ == 0)
    out.setZero(rows_);
  else if (wide_)
    solve_tall(f, out);
  else
    solve_tall_transposed(f, out);
}

// Q₁ Q₁ᵀ, and (P Z) (P Z)ᵀ
void PseudoInverse::space(bool of_tall_columns, Eigen::MatrixXd& out) {
  const Eigen::Index n = of_tall_columns ? tall_.rows() : tall_.cols();
  Space& here = spaces_[of_tall_columns ? 0 : 1];
  here.basis.resize(n, rank_);
  for (Eigen::Index i = 0; i < rank_; ++i) {
    here.unit.setZero(n);
    here.unit[i] = 1.0;
    reflect(of_tall_columns ? qr_ : across_, false, here.unit);
    if (of_tall_columns) {
      here.basis.col(i) = here.unit;
    } else {
      part_.resize(n);
      permute(qr_, here.unit, part_);
      here.basis.col(i) = part_;
    }
  }
  out.setZero(n, n);
  if (rank_ > 0) out.noalias() = here.basis * here.basis.transpose();
}

void PseudoInverse::row_space(Eigen::MatrixXd& out) {
  if (rank_ == 0)
    out.setZero(columns_, columns_);
  else
    space(wide_, out);
}

void PseudoInverse::column_space(Eigen::MatrixXd& out) {
  if (rank_ == 0)
    out.setZero(rows_, rows_);
  else
    space(!wide_, out);
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
  reflect(solver_, true, right_);
  solver_.matrixR().topLeftCorner(n, n).triangularView<Eigen::Upper>().solveInPlace(right_.head(n));
  out.resize(n);
  permute(solver_, right_, out);
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
