// FROZEN: Lagrange multipliers, dense, by QR: the plain oracle of all methods. Errors grow with the condition of J, not
// with its square.
//
//   (1)  M y − Jᵀ λ = f,   J y = b     over the given rows, which must be independent
//   (2)  M = L Lᵀ,   Bᵀ = L⁻¹ Jᵀ,   Bᵀ P = Q [R; 0]:
//        Lᵀ y = Q₁ R⁻ᵀ Pᵀ b + Q₂ Q₂ᵀ L⁻¹ f,   R Pᵀ λ = R⁻ᵀ Pᵀ b − Q₁ᵀ L⁻¹ f
//   (3)  where M has no root (a massless link), M + Jᵀ J and f + Jᵀ b have the same solution
// Speeds are in units of their inertia and rows of unit length, so that units do not decide about pivots.
// Source: Björck, Numerical Methods for Least Squares Problems, 4.4 (generalised least squares).
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tandem::oracle {

struct DenseSolution {
  Eigen::VectorXd y, lambda;  // λ of all rows; zero for those that were not given
};

// Throws NumericalError where a motion has neither inertia nor rows that hold it.
DenseSolution dense_lagrange(const Eigen::MatrixXd& M, const Eigen::MatrixXd& J, const Eigen::VectorXd& f,
                             const Eigen::VectorXd& b, const std::vector<int>& rows);

}  // namespace tandem::oracle
