// Which rows of a matrix are independent, and on which rows the others depend.
//
//   (1)  rows scaled to unit length, QR with pivoting:  Aᵀ P = Q [R₁₁ R₁₂; 0 R₂₂],  |R₂₂| below the tolerance: that
//        tells how many depend on others, whatever the order
//   (2)  what they depend on:  A₂ = Cᵀ A₁,  R₁₁ C = R₁₂;   W A = 0 with W = [1 −Cᵀ]
//   (3)  W in echelon form, from the last row of A backwards: row k = Σ c_i row_i over rows that are kept
// (3), so that what is named redundant is the later thing in the model. The rows to solve with are chosen at the same
// tolerance, sparsely: dynamics/row_system.hpp.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tandem/base/tolerances.hpp"

namespace tandem {

struct DependentRow {
  int row = 0;
  std::vector<int> on;               // independent rows with a coefficient that matters
  std::vector<double> coefficients;  // row = Σ coefficient · on
};

struct RowSelection {
  std::vector<int> independent;
  std::vector<DependentRow> dependent;
};

// The independent rows among `order`, tried in that order: (1), (2).
std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order,
                                        double tolerance = tolerances::rank);
// The same with the dependencies spelled out.
RowSelection explain_rows(const Eigen::MatrixXd& J, const std::vector<int>& order, double tolerance = tolerances::rank);

std::vector<int> all_rows(Eigen::Index rows);

}  // namespace tandem
