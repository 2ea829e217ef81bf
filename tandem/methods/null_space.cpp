#include "tandem/methods/null_space.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/base/larger.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

// Of |J_d⁻¹ J_i|: pivoting finds speeds where it is near one, and so many digits, at most, are lost by keeping others.
static constexpr double largest_growth = 8.0;

void NullSpace::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  solution.lambda.setZero(problem.row_count());
  solution.rank = static_cast<int>(problem.rows.size());
  solution.y.resize(problem.unknowns());
  if (problem.unknowns() == 0) return;
  scale(problem);
  partition(problem.rows);
  find_null_space();
  factor_inertia(model, problem);
  y_.setZero(problem.unknowns());
  multipliers_.setZero(J_.rows());
  force_rest_ = f_;
  row_rest_ = b_;
  correct();
  for (int pass = 0; !(largest_rest(problem) <= tolerances::refined); ++pass) {
    if (pass == 2) return dense_.solve(model, problem, solution);
    correct();
    find_rest();
  }
  solution.y = speed_scale_.cwiseProduct(y_);
  for (Eigen::Index k = 0; k < J_.rows(); ++k)
    solution.lambda[problem.rows[static_cast<std::size_t>(k)]] = row_scale_[k] * multipliers_[k];
  require_finite_accelerations(model, problem, solution.y);
}

void NullSpace::scale(const GaussProblem& problem) {
  const Eigen::Index n = problem.unknowns(), m = static_cast<Eigen::Index>(problem.rows.size());
  problem.copy_M(M_);
  inertia_scale(problem, M_, speed_scale_);
  for (Eigen::Index k = 0; k < n; ++k) {
    M_.row(k) *= speed_scale_[k];
    M_.col(k) *= speed_scale_[k];
  }
  f_ = speed_scale_.cwiseProduct(problem.f);
  J_.setZero(m, n);
  for (const GaussProblem::Block& block : problem.blocks) {
    auto row = std::lower_bound(problem.rows.begin(), problem.rows.end(), block.first_row);
    for (; row != problem.rows.end() && *row < block.first_row + block.rows; ++row)
      for (const GaussProblem::Part& part : block.parts) {
        const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(part.group)];
        for (int k = 0; k < group.size; ++k)
          J_(row - problem.rows.begin(), group.first + k) =
              part.J(*row - block.first_row, k) * speed_scale_[group.first + k];
      }
  }
  b_.resize(m);
  row_scale_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    row_scale_[k] = 1.0 / J_.row(k).norm();
    J_.row(k) *= row_scale_[k];
    b_[k] = row_scale_[k] * problem.b[problem.rows[static_cast<std::size_t>(k)]];
  }
}

void NullSpace::partition(const std::vector<int>& rows) {
  if (choice_.rows == rows &&
      static_cast<Eigen::Index>(choice_.dependent.size() + choice_.independent.size()) == J_.cols() &&
      split_rows() <= std::max(largest_growth, 2.0 * choice_.growth))
    return;
  choice_.rows = rows;
  choose_speeds();
  const double growth = split_rows();
  choice_.growth = std::isfinite(growth) ? growth : 0.0;
}

// (1): the speeds that the rows determine best are the dependent ones.
void NullSpace::choose_speeds() {
  ++choices_;
  const auto m = static_cast<std::size_t>(J_.rows());
  choice_.dependent.clear();
  choice_.independent.clear();
  if (m > 0) pivoted_.compute(J_);
  for (std::size_t k = 0; k < static_cast<std::size_t>(J_.cols()); ++k) {
    const int speed = m > 0 ? pivoted_.colsPermutation().indices()[static_cast<Eigen::Index>(k)] : static_cast<int>(k);
    (k < m ? choice_.dependent : choice_.independent).push_back(speed);
  }
  std::sort(choice_.dependent.begin(), choice_.dependent.end());
  std::sort(choice_.independent.begin(), choice_.independent.end());
}

double NullSpace::split_rows() {
  const Eigen::Index m = J_.rows();
  J_d_.resize(m, m);
  J_i_.resize(m, static_cast<Eigen::Index>(choice_.independent.size()));
  if (m == 0) return 0.0;
  for (Eigen::Index k = 0; k < J_d_.cols(); ++k) J_d_.col(k) = J_.col(choice_.dependent[static_cast<std::size_t>(k)]);
  for (Eigen::Index k = 0; k < J_i_.cols(); ++k) J_i_.col(k) = J_.col(choice_.independent[static_cast<std::size_t>(k)]);
  lu_.compute(J_d_);
  if (J_i_.cols() == 0) return 0.0;
  dependent_part_.noalias() = lu_.permutationP() * J_i_;
  lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(dependent_part_);
  lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(dependent_part_);
  return dependent_part_.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}

void NullSpace::find_null_space() {  // (2)
  const Eigen::Index n = J_.cols(), m = J_.rows();
  Z_.setZero(n, n - m);
  for (Eigen::Index k = 0; k < n - m; ++k) Z_(choice_.independent[static_cast<std::size_t>(k)], k) = 1.0;
  if (n == m) return;
  for (Eigen::Index k = 0; k < m; ++k) Z_.row(choice_.dependent[static_cast<std::size_t>(k)]) = -dependent_part_.row(k);
}

void NullSpace::factor_inertia(const Model& model, const GaussProblem& problem) {
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
}

// Leaves what (2) to (4) make of r₁ and r₂: of the first ones, that is (5).
void NullSpace::correct() {
  const Eigen::Index m = J_.rows();
  change_.setZero(J_.cols());
  if (m > 0) {  // (2)
    right_ = lu_.permutationP() * row_rest_;
    lu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(right_);
    lu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(right_);
    for (Eigen::Index k = 0; k < m; ++k) change_[choice_.dependent[static_cast<std::size_t>(k)]] = right_[k];
  }
  if (Z_.cols() > 0) {
    z_.noalias() = Z_.transpose() * force_rest_;
    z_.noalias() -= MZ_.transpose() * change_;
    llt_.solveInPlace(z_);  // (3)
    change_.noalias() += Z_ * z_;
  }
  y_ += change_;
  force_rest_.noalias() -= M_ * change_;
  if (m == 0) return;
  for (Eigen::Index k = 0; k < m; ++k) right_[k] = -force_rest_[choice_.dependent[static_cast<std::size_t>(k)]];  // (4)
  lu_.matrixLU().transpose().triangularView<Eigen::Lower>().solveInPlace(right_);
  lu_.matrixLU().transpose().triangularView<Eigen::UnitUpper>().solveInPlace(right_);
  const auto& place = lu_.permutationP().indices();
  multiplier_change_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) multiplier_change_[k] = right_[place[k]];
  multipliers_ += multiplier_change_;
  force_rest_.noalias() += J_.transpose() * multiplier_change_;
  row_rest_.noalias() -= J_ * change_;
}

void NullSpace::find_rest() {  // (5)
  force_rest_ = f_;
  force_rest_.noalias() -= M_ * y_;
  row_rest_ = b_;
  if (J_.rows() == 0) return;
  force_rest_.noalias() += J_.transpose() * multipliers_;
  row_rest_.noalias() -= J_ * y_;
}

// Of r₁ and r₂, against the terms of its own equation, as GaussProblem::term_sizes finds them.
double NullSpace::largest_rest(const GaussProblem& problem) {
  row_sizes_ = b_.cwiseAbs();
  arms_.resize(J_.rows());
  double rest = 0.0;
  const auto keep = [&](double left, double size) {
    if (!(left <= rest * size)) rest = size > 0.0 ? left / size : std::numeric_limits<double>::infinity();
  };
  for (const GaussProblem::Group& group : problem.groups) {
    double inertia = 0.0, speed = 0.0, force = 0.0, left = 0.0;
    arms_.setZero();
    for (int k = group.first; k < group.first + group.size; ++k) {
      const double unit = problem.unit[k] / speed_scale_[k];
      inertia = std::max(inertia, unit * unit * M_(k, k));
      speed = std::max(speed, std::abs(y_[k]) / unit);
      force = std::max(force, unit * std::abs(f_[k]));
      keep_larger(left, unit * std::abs(force_rest_[k]));
      arms_ = arms_.cwiseMax(unit * J_.col(k).cwiseAbs());
    }
    const double fastest = std::max(speed, inertia > 0.0 ? force / inertia : 0.0);
    row_sizes_ += fastest * arms_;
    keep(left, force + inertia * speed + arms_.dot(multipliers_.cwiseAbs()));
  }
  for (Eigen::Index row = 0; row < J_.rows(); ++row) keep(std::abs(row_rest_[row]), row_sizes_[row]);
  return rest;
}

}  // namespace tandem
