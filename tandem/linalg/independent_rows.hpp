// Which rows of a matrix are independent, and on which rows the others depend.
//
//   (1)  rows in order; each is made orthogonal to the independent ones before it (twice, for round-off)
//   (2)  a row whose remainder is below `tolerance` of its length depends on those: row = Σ c_k row_k
// In order, so that what is named redundant is the later thing in the model. The rows to solve with are chosen by size
// instead, and sparsely: dynamics/row_system.hpp.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tandem {

inline constexpr double rank_tolerance = 1e-10;
// For solving: the pivot that a row leaves in the equations of motion is the square of this, so less leaves no digits.
inline constexpr double solving_tolerance = 1e-7;

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
std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order);
// The same with the dependencies spelled out.
RowSelection explain_rows(const Eigen::MatrixXd& J, const std::vector<int>& order);

std::vector<int> all_rows(Eigen::Index rows);

}  // namespace tandem
