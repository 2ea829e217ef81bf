#include "tandem/linalg/independent_rows.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <numeric>

namespace tandem {

std::vector<int> all_rows(Eigen::Index rows) {
  std::vector<int> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

namespace {

// Of a combination of rows, a share below this is round-off, or so small that the row would be known by few digits.
constexpr double least_share = 1e-4;

// (1), (2): a combination of rows that vanishes, for each row that depends on others.
Eigen::MatrixXd combinations(const Eigen::MatrixXd& A, double tolerance) {
  const Eigen::Index m = A.rows();
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A.transpose());
  Eigen::Index rank = 0;
  while (rank < std::min(m, A.cols()) && std::abs(qr.matrixR()(rank, rank)) > tolerance) ++rank;
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(m - rank, m);
  if (rank == m) return W;
  const Eigen::MatrixXd C = qr.matrixR()
                                .topLeftCorner(rank, rank)
                                .triangularView<Eigen::Upper>()
                                .solve(qr.matrixR().topRightCorner(rank, m - rank));
  for (Eigen::Index j = 0; j < m - rank; ++j) {
    W(j, qr.colsPermutation().indices()[rank + j]) = 1.0;
    for (Eigen::Index i = 0; i < rank; ++i) W(j, qr.colsPermutation().indices()[i]) = -C(i, j);
    W.row(j).normalize();
  }
  return W;
}

// (3): the places of the rows named, one for each combination, which then has no other of them.
std::vector<Eigen::Index> from_the_end(Eigen::MatrixXd& W) {
  std::vector<Eigen::Index> named;
  for (double share : {least_share, 0.0}) {  // the second for what is left when all shares are small
    for (Eigen::Index column = W.cols(); column-- > 0 && static_cast<Eigen::Index>(named.size()) < W.rows();) {
      const auto next = static_cast<Eigen::Index>(named.size());
      Eigen::Index best = 0;
      const double most = W.col(column).tail(W.rows() - next).cwiseAbs().maxCoeff(&best);
      if (!(most > share) || std::find(named.begin(), named.end(), column) != named.end()) continue;
      W.row(next).swap(W.row(next + best));
      for (Eigen::Index j = 0; j < W.rows(); ++j) {
        if (j == next) continue;
        W.row(j) -= W(j, column) / W(next, column) * W.row(next).eval();
        W(j, column) = 0.0;
        if (j > next) W.row(j).normalize();
      }
      named.push_back(column);
    }
  }
  return named;
}

}  // namespace

RowSelection explain_rows(const Eigen::MatrixXd& J, const std::vector<int>& order, double tolerance) {
  RowSelection result;
  std::vector<int> some;  // rows that are not zero
  for (const int row : order)
    if (J.row(row).norm() > 0.0) some.push_back(row);
  Eigen::MatrixXd A(static_cast<Eigen::Index>(some.size()), J.cols());
  Eigen::VectorXd length(A.rows());
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    length[k] = J.row(some[static_cast<std::size_t>(k)]).norm();
    A.row(k) = J.row(some[static_cast<std::size_t>(k)]) / length[k];
  }
  Eigen::MatrixXd W(0, A.rows());
  if (A.size() > 0) W = combinations(A, tolerance);  // Eigen does not take an empty matrix
  const std::vector<Eigen::Index> named = from_the_end(W);
  std::size_t next = 0;
  for (const int row : order) {
    if (next == some.size() || some[next] != row) {
      result.dependent.push_back({row, {}, {}});  // always met
      continue;
    }
    const auto place = static_cast<Eigen::Index>(next++);
    const auto which = std::find(named.begin(), named.end(), place);
    if (which == named.end()) {
      result.independent.push_back(row);
      continue;
    }
    const auto w = W.row(which - named.begin());
    DependentRow dependent{row, {}, {}};
    const double largest = w.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < w.size(); ++k) {
      if (k == place || std::abs(w[k]) <= 1e-8 * largest) continue;
      dependent.on.push_back(some[static_cast<std::size_t>(k)]);
      dependent.coefficients.push_back(-w[k] / w[place] * length[place] / length[k]);
    }
    result.dependent.push_back(std::move(dependent));
  }
  return result;
}

std::vector<int> first_independent_rows(const Eigen::MatrixXd& J, const std::vector<int>& order, double tolerance) {
  return explain_rows(J, order, tolerance).independent;
}

}  // namespace tandem
