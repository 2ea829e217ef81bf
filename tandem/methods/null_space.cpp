#include "tandem/methods/null_space.hpp"

#include <Eigen/Eigenvalues>

namespace tandem {

void NullSpace::solve(const Model& model, const GaussProblem& problem, Solution& solution) {
  require_finite(model, problem);
  const Eigen::Index n = problem.M.rows();
  const std::vector<int>& chosen = problem.rows;
  const auto m = static_cast<Eigen::Index>(chosen.size());
  Jt_.resize(n, m);
  b_.resize(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const int row = chosen[static_cast<std::size_t>(k)];
    Jt_.col(k) = problem.J.row(row).transpose();
    b_[k] = problem.b[row];
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Jt_);  // (1)
  Q_ = qr.householderQ() * Eigen::MatrixXd::Identity(n, n);
  const auto Y = Q_.leftCols(m), Z = Q_.rightCols(n - m);
  const Eigen::MatrixXd R = qr.matrixQR().topRows(m).triangularView<Eigen::Upper>();
  particular_ = Y * R.triangularView<Eigen::Upper>().transpose().solve(b_);  // (2)
  solution.y = particular_;
  if (n > m) {
    H_ = Z.transpose() * problem.M * Z;
    const Eigen::LLT<Eigen::MatrixXd> llt(H_);
    const double smallest = llt.info() == Eigen::Success ? llt.matrixLLT().diagonal().cwiseAbs2().minCoeff() : 0.0;
    if (!(smallest > 1e-14 * H_.diagonal().maxCoeff())) {
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H_);
      throw NumericalError("the accelerations are not determined: " +
                           free_direction(model, Z * eigen.eigenvectors().col(0)));
    }
    solution.y += Z * llt.solve(Z.transpose() * (problem.f - problem.M * particular_));  // (3)
  }
  const Eigen::VectorXd multipliers =
      R.triangularView<Eigen::Upper>().solve(Y.transpose() * (problem.M * solution.y - problem.f));  // (4)
  solution.lambda.setZero(problem.J.rows());
  for (Eigen::Index k = 0; k < m; ++k) solution.lambda[chosen[static_cast<std::size_t>(k)]] = multipliers[k];
  solution.rank = static_cast<int>(m);
  if (!solution.y.allFinite()) throw NumericalError("the accelerations are not finite");
}

}  // namespace tandem
