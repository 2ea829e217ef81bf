#include "tandem/linalg/independent_rows.hpp"

#include <Eigen/QR>
#include <numeric>

namespace tandem {

std::vector<int> all_rows(Eigen::Index rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order) {
  const Eigen::Index n = J.cols();
  Eigen::MatrixXd basis(n, std::min<Eigen::Index>(static_cast<Eigen::Index>(order.size()), n));  // orthonormal columns
  std::vector<int> chosen;
  Eigen::Index found = 0;
  for (const int row : order) {
    if (found == n) break;
    Eigen::VectorXd rest = J.row(row).transpose();
    const double length = rest.norm();
    if (!(length > 0.0)) continue;
    const auto known = basis.leftCols(found);
    for (int pass = 0; pass < 2; ++pass) rest -= known * (known.transpose() * rest).eval();  // (1)
    const double left = rest.norm();
    if (left <= rank_tolerance * length) continue;  // (2)
    basis.col(found++) = rest / left;
    chosen.push_back(row);
  }
  return chosen;
}

RowSelection explain_rows(const Eigen::MatrixXd& J, const std::vector<int>& order) {
  RowSelection result;
  result.independent = first_independent_rows(J, order);
  if (result.independent.size() == order.size()) return result;
  Eigen::MatrixXd known(J.cols(), static_cast<Eigen::Index>(result.independent.size()));
  for (std::size_t k = 0; k < result.independent.size(); ++k)
    known.col(static_cast<Eigen::Index>(k)) = J.row(result.independent[k]).transpose();
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  if (known.cols() > 0) solver.compute(known);  // Eigen does not take an empty matrix
  std::size_t next = 0;
  for (const int row : order) {
    if (next < result.independent.size() && result.independent[next] == row) {
      ++next;
      continue;
    }
    DependentRow dependent{row, {}, {}};
    if (known.cols() > 0) {
      const Eigen::VectorXd c = solver.solve(J.row(row).transpose());
      const double largest = c.cwiseAbs().maxCoeff();
      for (Eigen::Index k = 0; k < c.size(); ++k) {
        if (std::abs(c[k]) <= 1e-8 * std::max(largest, 1e-300)) continue;
        dependent.on.push_back(result.independent[static_cast<std::size_t>(k)]);
        dependent.coefficients.push_back(c[k]);
      }
    }
    result.dependent.push_back(std::move(dependent));
  }
  return result;
}

}  // namespace tandem
