#include "oracle/dense_lagrange.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "tandem/base/faults.hpp"

namespace tandem::oracle {

static bool is_regular(const Eigen::LLT<Eigen::MatrixXd>& root, const Eigen::MatrixXd& M) {
  constexpr double round_off = 1e-13;  // of a pivot
  if (root.info() != Eigen::Success) return false;
  for (Eigen::Index k = 0; k < M.rows(); ++k)
    if (!(root.matrixLLT()(k, k) * root.matrixLLT()(k, k) > round_off * M(k, k))) return false;
  return true;
}

DenseSolution dense_lagrange(const Eigen::MatrixXd& M_in, const Eigen::MatrixXd& J_in, const Eigen::VectorXd& f_in,
                             const Eigen::VectorXd& b_in, const std::vector<int>& rows) {
  const Eigen::Index n = f_in.size(), m = static_cast<Eigen::Index>(rows.size());
  DenseSolution out{Eigen::VectorXd::Zero(n), Eigen::VectorXd::Zero(b_in.size())};
  if (n == 0) return out;
  const double largest = M_in.diagonal().maxCoeff();
  Eigen::VectorXd speed = M_in.diagonal().unaryExpr([=](double own) {
    return 1.0 / std::sqrt(own > 1e-16 * largest ? own : largest > 0.0 ? largest : 1.0);
  });
  Eigen::MatrixXd M = speed.asDiagonal() * M_in * speed.asDiagonal();
  Eigen::MatrixXd J(m, n);
  Eigen::VectorXd row_scale(m), b(m), f = speed.cwiseProduct(f_in);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = rows[static_cast<std::size_t>(k)];
    J.row(k) = J_in.row(row) * speed.asDiagonal();
    row_scale[k] = 1.0 / J.row(k).norm();
    J.row(k) *= row_scale[k];
    b[k] = row_scale[k] * b_in[row];
  }
  Eigen::LLT<Eigen::MatrixXd> root(M);
  if (!is_regular(root, M)) {  // (3)
    M += J.transpose() * J;
    f += J.transpose() * b;
    root.compute(M);
    if (!is_regular(root, M)) throw NumericalError("the accelerations are not determined");
  }
  root.matrixL().solveInPlace(f);
  if (m > 0) {  // (2)
    const Eigen::MatrixXd Bt = root.matrixL().solve(J.transpose());
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(Bt);
    const auto R = qr.matrixR().topLeftCorner(m, m).triangularView<Eigen::Upper>();
    const Eigen::VectorXd part = R.transpose().solve(qr.colsPermutation().transpose() * b);
    f.applyOnTheLeft(qr.householderQ().setLength(m).adjoint());
    const Eigen::VectorXd lambda = qr.colsPermutation() * Eigen::VectorXd(R.solve(part - f.head(m)));
    for (Eigen::Index k = 0; k < m; ++k) out.lambda[rows[static_cast<std::size_t>(k)]] = row_scale[k] * lambda[k];
    f.head(m) = part;
    f.applyOnTheLeft(qr.householderQ().setLength(m));
  }
  root.matrixU().solveInPlace(f);
  out.y = speed.cwiseProduct(f);
  return out;
}

}  // namespace tandem::oracle
