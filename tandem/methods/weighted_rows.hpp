// The rows over the roots of the masses, dense, by QR: for problems whose rows nearly depend on each other. J M⁻¹ Jᵀ
// has the squares of small distances; this has the distances, so that errors grow with the condition of J and not with
// its square.
//
//   (1)  M = L Lᵀ,   Bᵀ = L⁻¹ Jᵀ,   Bᵀ P = Q [R; 0],   Q = [Q₁ Q₂]
//   (2)  M y − Jᵀ λ = f, J y = b:   Lᵀ y = Q₁ R⁻ᵀ Pᵀ b + Q₂ Q₂ᵀ L⁻¹ f,   R Pᵀ λ = R⁻ᵀ Pᵀ b − Q₁ᵀ L⁻¹ f
//   (3)  the least ½ δᵀ M δ with J δ = r:   Lᵀ δ = Q₁ R⁻ᵀ Pᵀ r
//   (4)  where M has no root (a massless link), M + Jᵀ J and f + Jᵀ b have the same solution
// Speeds are in units of their inertia and rows of unit length, so that units do not decide about pivots. The rows are
// GaussProblem::rows: independent, never more than unknowns.
// Source: Björck, Numerical Methods for Least Squares Problems, 4.4 (generalised least squares).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "tandem/dynamics/gauss_problem.hpp"

namespace tandem {

class WeightedRows {
 public:
  // Empty, or a motion (in speeds) that neither inertia nor rows resist.
  Eigen::VectorXd factor(const GaussProblem& problem, const std::vector<int>& rows, bool by_mass = true);
  // (2), for right sides of all unknowns and of all rows; λ: all rows, those not factored zero.
  void solve(const Eigen::VectorXd& f, const Eigen::VectorXd& b, Eigen::VectorXd& y, Eigen::VectorXd& lambda);
  // (3) for J δ = −residual
  void least_change(const Eigen::VectorXd& residual, Eigen::VectorXd& delta);

 private:
  void take_right_side(const Eigen::VectorXd& b);  // part_ = R⁻ᵀ Pᵀ b

  std::vector<int> rows_;
  bool augmented_ = false;
  Eigen::MatrixXd M_, J_, Bt_;  // scaled
  Eigen::VectorXd speed_scale_, row_scale_, part_, force_;
  Eigen::LLT<Eigen::MatrixXd> root_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_;
};

}  // namespace tandem
