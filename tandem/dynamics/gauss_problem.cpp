#include "tandem/dynamics/gauss_problem.hpp"

#include <algorithm>
#include <cmath>

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

void GaussProblem::term_sizes(const Eigen::VectorXd& y, const Eigen::VectorXd& lambda, TermSizes& out) const {
  out.forces.resize(static_cast<Eigen::Index>(groups.size()));
  out.fastest.resize(out.forces.size());
  out.rows = b.cwiseAbs();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const double* own = unit.data() + group.first;
    double inertia = 0.0, speed = 0.0, force = 0.0;
    for (Eigen::Index l = 0; l < group.M.cols(); ++l)
      for (Eigen::Index k = 0; k < group.M.rows(); ++k)
        inertia = std::max(inertia, own[k] * own[l] * std::abs(group.M(k, l)));
    for (int k = 0; k < group.size; ++k) {
      speed = std::max(speed, std::abs(y[group.first + k]) / own[k]);
      force = std::max(force, own[k] * std::abs(f[group.first + k]));
    }
    out.forces[static_cast<Eigen::Index>(g)] = force + inertia * speed;
    // Where forces cancel, the accelerations that are left are round-off of those that the applied ones could make.
    out.fastest[static_cast<Eigen::Index>(g)] = std::max(speed, inertia > 0.0 ? force / inertia : 0.0);
  }
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const Group& group = groups[static_cast<std::size_t>(part.group)];
      const double* own = unit.data() + group.first;
      for (int row = 0; row < block.rows; ++row) {
        double arm = 0.0;
        for (int k = 0; k < group.size; ++k) arm = std::max(arm, std::abs(part.J(row, k)) * own[k]);
        out.forces[part.group] += arm * std::abs(lambda[block.first_row + row]);
        out.rows[block.first_row + row] += arm * out.fastest[part.group];
      }
    }
}

}  // namespace tandem
