#include "tandem/linalg/independent_rows.hpp"

#include <Eigen/QR>
#include <numeric>

#include "tandem/base/tolerances.hpp"

namespace tandem {

std::vector<int> all_rows(Eigen::Index rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order) {
  const Eigen::Index n = J.cols();
  const Eigen::Index most = std::min<Eigen::Index>(static_cast<Eigen::Index>(order.size()), n);
  Eigen::MatrixXd basis(n, most);                               // orthonormal columns
  Eigen::MatrixXd made_of = Eigen::MatrixXd::Zero(most, most);  // of the chosen rows, scaled to unit length
  std::vector<int> chosen;
  Eigen::Index found = 0;
  for (const int row : order) {
    if (found == n) break;
    Eigen::VectorXd rest = J.row(row).transpose(), share = Eigen::VectorXd::Zero(found);
    const double length = rest.norm();
    if (!(length > 0.0)) continue;
    rest /= length;
    const auto known = basis.leftCols(found);
    for (int pass = 0; pass < 2; ++pass) {  // (1)
      const Eigen::VectorXd along = known.transpose() * rest;
      rest -= known * along;
      share -= made_of.topLeftCorner(found, found) * along;
    }
    const double left = rest.norm();
    if (!(left > tolerances::rank * std::hypot(1.0, share.norm()))) continue;  // (2)
    basis.col(found) = rest / left;
    made_of.col(found).head(found) = share / left;
    made_of(found, found) = 1.0 / left;
    ++found;
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
