#include "tandem/methods/null_space.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace tandem {

void NullSpace::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  solution.y.resize(problem.unknowns());
  if (problem.unknowns() == 0) return;
  scale(problem);
  partition(problem.rows);
  find_null_space();
  move_along_it(model, problem);
  solution.y = speed_scale_.cwiseProduct(y_);
  if (!problem.rows.empty()) find_multipliers(problem, solution);
  require_finite_accelerations(model, problem, solution.y);
}

void NullSpace::scale(const GaussProblem& problem) {
  const Eigen::Index n = problem.unknowns(), m = static_cast<Eigen::Index>(problem.rows.size());
  problem.copy_M(M_);
  problem.copy_J(all_rows_);
  inertia_scale(problem, M_, speed_scale_);
  for (Eigen::Index k = 0; k < n; ++k) {
    M_.row(k) *= speed_scale_[k];
    M_.col(k) *= speed_scale_[k];
  }
  f_ = speed_scale_.cwiseProduct(problem.f);
  J_.resize(m, n);
  b_.resize(m);
  row_scale_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = problem.rows[static_cast<std::size_t>(k)];
    J_.row(k) = all_rows_.row(row).cwiseProduct(speed_scale_.transpose());
    row_scale_[k] = 1.0 / J_.row(k).norm();
    J_.row(k) *= row_scale_[k];
    b_[k] = row_scale_[k] * problem.b[row];
  }
}

void NullSpace::partition(const std::vector<int>& rows) {
  if (chosen_ == rows && static_cast<Eigen::Index>(dependent_.size() + independent_.size()) == J_.cols() &&
      split_rows())
    return;
  chosen_ = rows;
  choose_speeds();
  quality_ = 0.0;
  split_rows();
}

// (1): the speeds that the rows determine best are the dependent ones.
void NullSpace::choose_speeds() {
  ++choices_;
  const auto m = static_cast<std::size_t>(J_.rows());
  dependent_.clear();
  independent_.clear();
  if (m > 0) pivoted_.compute(J_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(J_.cols()); ++k) {
    const int speed = m > 0 ? pivoted_.colsPermutation().indices()[static_cast<Eigen::Index>(k)] : static_cast<int>(k);
    (k < m ? dependent_ : independent_).push_back(speed);
  }
  std::sort(dependent_.begin(), dependent_.end());
  std::sort(independent_.begin(), independent_.end());
}

bool NullSpace::split_rows() {
  const Eigen::Index m = J_.rows();
  J_d_.resize(m, m);
  J_i_.resize(m, static_cast<Eigen::Index>(independent_.size()));
  if (m == 0) return true;
  for (Eigen::Index k = 0; k < J_d_.cols(); ++k) J_d_.col(k) = J_.col(dependent_[static_cast<std::size_t>(k)]);
  for (Eigen::Index k = 0; k < J_i_.cols(); ++k) J_i_.col(k) = J_.col(independent_[static_cast<std::size_t>(k)]);
  lu_.compute(J_d_);
  const auto pivots = lu_.matrixLU().diagonal().cwiseAbs();
  const double quality = pivots.minCoeff() / pivots.maxCoeff();
  if (quality_ == 0.0) quality_ = quality;  // just chosen
  return quality >= 0.05 * quality_;
}

void NullSpace::find_null_space() {  // (2)
  const Eigen::Index n = J_.cols(), m = J_.rows();
  y_.setZero(n);
  Z_.setZero(n, n - m);
  for (Eigen::Index k = 0; k < n - m; ++k) Z_(independent_[static_cast<std::size_t>(k)], k) = 1.0;
  if (m == 0) return;
  right_ = lu_.permutationP() * b_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(right_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(right_);
  for (Eigen::Index k = 0; k < m; ++k) y_[dependent_[static_cast<std::size_t>(k)]] = right_[k];
  if (n == m) return;
  dependent_part_.noalias() = lu_.permutationP() * J_i_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(dependent_part_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(dependent_part_);
  for (Eigen::Index k = 0; k < m; ++k) Z_.row(dependent_[static_cast<std::size_t>(k)]) = -dependent_part_.row(k);
}

void NullSpace::move_along_it(const Model& model, const GaussProblem& problem) {
  if (Z_.cols() == 0) return;
  MZ_.noalias() = M_ * Z_;
  H_.noalias() = Z_.transpose() * MZ_;
  llt_.compute(H_);
  const double smallest = llt_.info() == Eigen::Success ? llt_.matrixLLT().diagonal().cwiseAbs2().minCoeff() : 0.0;
  if (!(smallest > 1e-14 * H_.diagonal().maxCoeff())) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H_);
    const Eigen::VectorXd z = speed_scale_.cwiseProduct(Z_ * eigen.eigenvectors().col(0));
    throw NumericalError("the accelerations are not determined: " + free_direction(model, problem, z));
  }
  z_.noalias() = Z_.transpose() * f_;
  z_.noalias() -= MZ_.transpose() * y_;
  llt_.solveInPlace(z_);  // (3)
  y_.noalias() += Z_ * z_;
}

void NullSpace::find_multipliers(const GaussProblem& problem, Solution& solution) {  // (4)
  rest_.noalias() = M_ * y_;
  rest_ -= f_;
  multipliers_.resize(J_.rows());
  for (Eigen::Index k = 0; k < J_.rows(); ++k) multipliers_[k] = rest_[dependent_[static_cast<std::size_t>(k)]];
  lu_.matrixLU().transpose().triangularView<Eigen::Lower>().solveInPlace(multipliers_);
  lu_.matrixLU().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(multipliers_);
  right_.noalias() = lu_.permutationP().transpose() * multipliers_;
  for (Eigen::Index k = 0; k < J_.rows(); ++k)
    solution.lambda[problem.rows[static_cast<std::size_t>(k)]] = row_scale_[k] * right_[k];
}

void NullSpace::save(MemoryWriter& out) const {
  out.put(chosen_);
  out.put(dependent_);
  out.put(independent_);
  out.put(quality_);
}

void NullSpace::load(MemoryReader& in, const GaussProblem& like) {
  in.get_places(chosen_, like.row_count());
  in.get_places(dependent_, like.unknowns());
  in.get_places(independent_, like.unknowns());
  quality_ = in.finite_number();
  // Rows without speeds that follow from them: a choice that was never made, or that of another model.
  if (chosen_.size() != dependent_.size()) throw std::invalid_argument("the memory is that of another model");
}

}  // namespace tandem
