#include "tandem/methods/udwadia_kalaba.hpp"

#include <algorithm>
#include <limits>

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

void PseudoInverse::compute(const Eigen::MatrixXd& J, Eigen::Index rank) {
  const Eigen::Index n = J.cols(), m = J.rows();
  rank_ = std::min({rank, n, m});
  qr_ = J.transpose();
  tau_.resize(rank_);
  scratch_.resize(m);
  for (Eigen::Index k = 0; k < rank_; ++k) {
    double length = 0.0;
    qr_.col(k).tail(n - k).makeHouseholderInPlace(tau_[k], length);
    qr_(k, k) = length;
    qr_.bottomRightCorner(n - k, m - k - 1)
        .applyHouseholderOnTheLeft(qr_.col(k).tail(n - k - 1), tau_[k], scratch_.data());
  }
  if (rank_ == 0) return;
  R_ = qr_.topRows(rank_).transpose();  // [R₁₁ R₁₂]ᵀ
  for (Eigen::Index i = 1; i < rank_; ++i) R_.col(i).head(i).setZero();
  across_.compute(R_);
}

bool PseudoInverse::is_clear() const {
  const Eigen::Index n = qr_.rows(), m = qr_.cols();
  if (rank_ == 0 || rank_ == n || rank_ == m) return true;
  const double beyond = qr_.bottomRightCorner(n - rank_, m - rank_).cwiseAbs().maxCoeff();
  return beyond <= tolerances::clear_rank * std::abs(across_.matrixQR()(rank_ - 1, rank_ - 1));
}

void PseudoInverse::reflect_by_q(bool transposed, Eigen::VectorXd& x) const {
  const Eigen::Index n = qr_.rows();
  for (Eigen::Index step = 0; step < rank_; ++step) {
    const Eigen::Index i = transposed ? step : rank_ - 1 - step;
    const auto below = qr_.col(i).tail(n - i - 1);
    const double turn = tau_[i] * (x[i] + below.dot(x.tail(n - i - 1)));
    x[i] -= turn;
    x.tail(n - i - 1) -= turn * below;
  }
}

void PseudoInverse::solve(const Eigen::VectorXd& b, Eigen::VectorXd& out) {  // Q₁ Π T⁻¹ Zᵀ b
  out.setZero(qr_.rows());
  if (rank_ == 0) return;
  of_rows_ = b;
  reflect(across_, true, of_rows_);
  across_.matrixQR().topLeftCorner(rank_, rank_).triangularView<Eigen::Upper>().solveInPlace(of_rows_.head(rank_));
  permute(across_, of_rows_, out);
  reflect_by_q(false, out);
}

void PseudoInverse::solve_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out) {  // Z T⁻ᵀ Πᵀ Q₁ᵀ f
  out.setZero(qr_.cols());
  if (rank_ == 0) return;
  of_speeds_ = f;
  reflect_by_q(true, of_speeds_);
  permute_back(across_, of_speeds_, out);
  across_.matrixQR()
      .topLeftCorner(rank_, rank_)
      .triangularView<Eigen::Upper>()
      .transpose()
      .solveInPlace(out.head(rank_));
  reflect(across_, false, out);
}

void PseudoInverse::row_space(Eigen::MatrixXd& out) {
  const Eigen::Index n = qr_.rows();
  q_basis_.resize(n, rank_);
  for (Eigen::Index i = 0; i < rank_; ++i) {
    of_speeds_.setZero(n);
    of_speeds_[i] = 1.0;
    reflect_by_q(false, of_speeds_);
    q_basis_.col(i) = of_speeds_;
  }
  out.setZero(n, n);
  if (rank_ > 0) out.noalias() = q_basis_ * q_basis_.transpose();
}

void PseudoInverse::column_space(Eigen::MatrixXd& out) {
  const Eigen::Index m = qr_.cols();
  z_basis_.resize(m, rank_);
  for (Eigen::Index i = 0; i < rank_; ++i) {
    of_rows_.setZero(m);
    of_rows_[i] = 1.0;
    reflect(across_, false, of_rows_);
    z_basis_.col(i) = of_rows_;
  }
  out.setZero(m, m);
  if (rank_ > 0) out.noalias() = z_basis_ * z_basis_.transpose();
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
    solution.lambda.setZero(problem.row_count());
    return regular ? solve_regular(problem, solution) : solve_singular(problem, solution);
  };
  if (!solve_over(true) && !solve_over(false)) return dense_.solve(model, problem, solution);
  require_finite_accelerations(model, problem, solution.y);
}

// The independent rows, and those that follow from them if all are wanted; scaled to unit length.
void UdwadiaKalaba::take_rows(const GaussProblem& problem, bool all) {
  problem.copy_J(all_rows_);
  used_ = problem.rows;
  if (all) {
    auto next = problem.rows.begin();
    for (int row = 0; row < static_cast<int>(problem.row_count()); ++row)
      if (next != problem.rows.end() && *next == row)
        ++next;
      else
        used_.push_back(row);
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
  Bt_ = J_.transpose();
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = Bt_.middleRows(problem.groups[g].first, problem.groups[g].size);
    if (part.size() > 0) roots_[g].matrixL().solveInPlace(part);
  }
  B_ = Bt_.transpose();
  inverse_.compute(B_, static_cast<Eigen::Index>(problem.rows.size()));
  if (!inverse_.is_clear()) return false;
  solution.y.setZero();
  multipliers_.setZero(J_.rows());
  force_rest_ = problem.f;
  rest_ = b_;
  for (int pass = 0;; ++pass) {
    correct(problem, solution);
    if (remainder_.find(problem, solution) <= tolerances::refined) return true;
    if (pass == 2) {
      const bool repeat = used_.size() > problem.rows.size();  // off the constraints they contradict each other
      return remainder_.largest_force(problem) <= tolerances::refined &&
             (repeat || remainder_.largest_row(problem) <= tolerances::refined);
    }
    force_rest_ = remainder_.force;  // (4)
    for (std::size_t k = 0; k < used_.size(); ++k)
      rest_[static_cast<Eigen::Index>(k)] = row_scale_[static_cast<Eigen::Index>(k)] * remainder_.row[used_[k]];
  }
}

// (1), (2) for f and b as they stand in force_rest_ and rest_.
void UdwadiaKalaba::correct(const GaussProblem& problem, Solution& solution) {
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = force_rest_.segment(problem.groups[g].first, problem.groups[g].size);
    if (part.size() > 0) roots_[g].solveInPlace(part);  // (1)
  }
  solution.y += force_rest_;
  if (J_.rows() == 0) return;
  rest_.noalias() -= J_ * force_rest_;
  inverse_.solve(rest_, force_);
  inverse_.solve_transposed(force_, change_);
  multipliers_ += change_;
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    auto part = force_.segment(problem.groups[g].first, problem.groups[g].size);
    if (part.size() > 0) roots_[g].matrixU().solveInPlace(part);
  }
  solution.y += force_;  // (2)
  give_multipliers(solution);
}

void UdwadiaKalaba::give_multipliers(Solution& solution) const {
  for (std::size_t k = 0; k < used_.size(); ++k)
    solution.lambda[used_[k]] = row_scale_[static_cast<Eigen::Index>(k)] * multipliers_[static_cast<Eigen::Index>(k)];
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
  give_multipliers(solution);
  return true;
}

}  // namespace tandem
