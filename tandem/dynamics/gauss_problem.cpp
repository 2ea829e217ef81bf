#include "tandem/dynamics/gauss_problem.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tandem/linalg/known_size.hpp"

namespace tandem {

void GaussProblem::copy_M(Eigen::MatrixXd& out) const {
  out.setZero(unknowns(), unknowns());
  for (const Group& group : groups) out.block(group.first, group.first, group.size, group.size) = group.M;
}

void GaussProblem::copy_J(Eigen::MatrixXd& out) const {
  out.setZero(row_count(), unknowns());
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const Group& group = groups[static_cast<std::size_t>(part.group)];
      out.block(block.first_row, group.first, block.rows, group.size) = part.J;
    }
}

Eigen::MatrixXd GaussProblem::dense_M() const {
  Eigen::MatrixXd M;
  copy_M(M);
  return M;
}

Eigen::MatrixXd GaussProblem::dense_J() const {
  Eigen::MatrixXd J;
  copy_J(J);
  return J;
}

// A matrix with its sizes as constants where its columns are the unknowns of a body.
template <class Call> static void with_sizes(const Eigen::MatrixXd& A, Call&& call) {
  constexpr int of_a_body = 6;
  if (A.cols() != of_a_body) return call(A);
  with_known_size(static_cast<int>(A.rows()), [&]<int n>() {
    call(Eigen::Map<const Eigen::Matrix<double, n, of_a_body>>(A.data(), A.rows(), of_a_body));
  });
}

// As many numbers as the matrix has rows, and as it has columns.
template <class Matrix, class Number> static auto along_rows(const Matrix& A, Number* numbers) {
  using Column = Eigen::Matrix<double, Matrix::RowsAtCompileTime, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Column, Column>>(numbers, A.rows());
}
template <class Matrix, class Number> static auto along_columns(const Matrix& A, Number* numbers) {
  using Column = Eigen::Matrix<double, Matrix::ColsAtCompileTime, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Column, Column>>(numbers, A.cols());
}

void GaussProblem::multiply_M(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.resize(unknowns());
  for (const Group& group : groups)
    with_sizes(group.M, [&](const auto& M) {
      along_rows(M, out.data() + group.first).noalias() = M.lazyProduct(along_columns(M, y.data() + group.first));
    });
}

void GaussProblem::multiply_J(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.setZero(row_count());
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const double* own = y.data() + groups[static_cast<std::size_t>(part.group)].first;
      with_sizes(part.J, [&](const auto& J) {
        along_rows(J, out.data() + block.first_row).noalias() += J.lazyProduct(along_columns(J, own));
      });
    }
}

void GaussProblem::add_Jt(const Eigen::VectorXd& lambda, Eigen::VectorXd& out) const {
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      double* own = out.data() + groups[static_cast<std::size_t>(part.group)].first;
      with_sizes(part.J, [&](const auto& J) {
        along_columns(J, own).noalias() += J.transpose().lazyProduct(along_rows(J, lambda.data() + block.first_row));
      });
    }
}

// The largest inertia of a group, in the unit of a torque.
static double largest_inertia(const GaussProblem::Group& group, const Eigen::VectorXd& unit) {
  const double* own = unit.data() + group.first;
  double largest = 0.0;
  with_sizes(group.M, [&](const auto& M) {
    for (Eigen::Index l = 0; l < M.cols(); ++l)
      largest = std::max(largest, own[l] * M.col(l).cwiseAbs().cwiseProduct(along_rows(M, own)).maxCoeff());
  });
  return largest;
}

void GaussProblem::term_sizes(const Eigen::VectorXd& y, const Eigen::VectorXd& lambda, TermSizes& out) const {
  out.forces.resize(static_cast<Eigen::Index>(groups.size()));
  out.fastest.resize(out.forces.size());
  out.rows = b.cwiseAbs();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const double inertia = largest_inertia(group, unit);
    double speed = 0.0, force = 0.0;
    for (int k = group.first; k < group.first + group.size; ++k) {
      speed = std::max(speed, std::abs(y[k]) / unit[k]);
      force = std::max(force, unit[k] * std::abs(f[k]));
    }
    out.forces[static_cast<Eigen::Index>(g)] = force + inertia * speed;
    // Where forces cancel, the accelerations that are left are round-off of those that the applied ones could make.
    out.fastest[static_cast<Eigen::Index>(g)] = std::max(speed, inertia > 0.0 ? force / inertia : 0.0);
  }
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      if (part.J.cols() == 0) continue;
      const double* own = unit.data() + groups[static_cast<std::size_t>(part.group)].first;
      double& force = out.forces[part.group];
      const double fastest = out.fastest[part.group];
      with_sizes(part.J, [&](const auto& J) {
        for (Eigen::Index row = 0; row < J.rows(); ++row) {
          const double arm = J.row(row).transpose().cwiseAbs().cwiseProduct(along_columns(J, own)).maxCoeff();
          force += arm * std::abs(lambda[block.first_row + row]);
          out.rows[block.first_row + row] += arm * fastest;
        }
      });
    }
}

}  // namespace tandem
