// Which rows of a matrix are independent, and on which rows the others depend.
//
//   (1)  rows in order, scaled to unit length; each is made orthogonal to the independent ones before it (twice, for
//        round-off): r = Σ w_k row_k, w = 1 for the row itself
//   (2)  a row with |r| / |w| below tolerances::rank depends on those: row = Σ c_k row_k. Against |w|, so that the
//   answer
//        does not depend on the order: of two rows that nearly agree, the difference is known to few digits only
// In order, so that what is named redundant is the later thing in the model. The rows to solve with are chosen by the
// same measure, sparsely: dynamics/row_system.hpp.
#pragma once

#include <Eigen/Core>
#include <vector>

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
std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order);
// The same with the dependencies spelled out.
RowSelection explain_rows(const Eigen::MatrixXd& J, const std::vector<int>& order);

std::vector<int> all_rows(Eigen::Index rows);

}  // namespace tandem
