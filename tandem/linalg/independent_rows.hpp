// Which rows of a matrix are independent, and on which rows the others depend.
//
//   (1)  rows in order; each is made orthogonal to the independent ones before it (twice, for round-off)
//   (2)  a row whose remainder is below `tolerance` of its length depends on those: row = Σ c_k row_k
// Rows are taken in their order, so what is named redundant is the later thing in the model. This is the one place
// that decides about rank.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tandem {

inline constexpr double rank_tolerance = 1e-10;

struct DependentRow {
  int row = 0;
  std::vector<int> on;               // independent rows with a coefficient that matters
  std::vector<double> coefficients;  // row = Σ coefficient · on
};

struct RowSelection {
  std::vector<int> independent;
  std::vector<DependentRow> dependent;
};

// Keeps its scratch, so that repeated calls with the same sizes do not allocate for the selection of rows alone.
class IndependentRows {
 public:
  // The independent rows among `order`, tried in that order.
  const std::vector<int>& select(const Eigen::MatrixXd& J, const std::vector<int>& order);
  // The same with the dependencies spelled out.
  static RowSelection explain(const Eigen::MatrixXd& J, const std::vector<int>& order);

 private:
  Eigen::MatrixXd basis_;  // orthonormal rows, stored as columns
  Eigen::VectorXd rest_, along_;
  std::vector<int> chosen_;
};

std::vector<int> all_rows(Eigen::Index rows);

}  // namespace tandem
