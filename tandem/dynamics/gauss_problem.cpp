#include "tandem/dynamics/gauss_problem.hpp"

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

void GaussProblem::multiply_M(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.resize(unknowns());
  for (const Group& group : groups)
    out.segment(group.first, group.size).noalias() = group.M.lazyProduct(y.segment(group.first, group.size));
}

void GaussProblem::multiply_J(const Eigen::VectorXd& y, Eigen::VectorXd& out) const {
  out.setZero(row_count());
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const Group& group = groups[static_cast<std::size_t>(part.group)];
      out.segment(block.first_row, block.rows).noalias() += part.J.lazyProduct(y.segment(group.first, group.size));
    }
}

void GaussProblem::add_Jt(const Eigen::VectorXd& lambda, Eigen::VectorXd& out) const {
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const Group& group = groups[static_cast<std::size_t>(part.group)];
      out.segment(group.first, group.size).noalias() +=
          part.J.transpose().lazyProduct(lambda.segment(block.first_row, block.rows));
    }
}

}  // namespace tandem
