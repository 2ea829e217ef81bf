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

void GaussProblem::term_sizes(const Eigen::VectorXd& y, const Eigen::VectorXd& lambda, Eigen::VectorXd& forces,
                              Eigen::VectorXd& rows_out) const {
  forces.resize(static_cast<Eigen::Index>(groups.size()));
  rows_out = b.cwiseAbs();
  const auto arm = [&](const Group& group, const Part& part, int row) {
    double most = 0.0;
    for (int k = 0; k < group.size; ++k) most = std::max(most, std::abs(part.J(row, k)) * unit[group.first + k]);
    return most;
  };
  const auto inertia = [&](const Group& group) {
    double most = 0.0;
    for (int k = 0; k < group.M.rows(); ++k)
      for (int l = 0; l < group.M.cols(); ++l)
        most = std::max(most, unit[group.first + k] * unit[group.first + l] * std::abs(group.M(k, l)));
    return most;
  };
  const auto speed = [&](const Group& group) {
    double most = 0.0;
    for (int k = group.first; k < group.first + group.size; ++k) most = std::max(most, std::abs(y[k]) / unit[k]);
    return most;
  };
  const auto force = [&](const Group& group) {
    double most = 0.0;
    for (int k = group.first; k < group.first + group.size; ++k) most = std::max(most, unit[k] * std::abs(f[k]));
    return most;
  };
  for (std::size_t g = 0; g < groups.size(); ++g)
    forces[static_cast<Eigen::Index>(g)] = force(groups[g]) + inertia(groups[g]) * speed(groups[g]);
  for (const Block& block : blocks)
    for (const Part& part : block.parts)
      for (int row = 0; row < block.rows; ++row)
        forces[part.group] +=
            arm(groups[static_cast<std::size_t>(part.group)], part, row) * std::abs(lambda[block.first_row + row]);
  // Where forces cancel, the accelerations that are left are round-off of those that the applied ones could make.
  for (const Block& block : blocks)
    for (const Part& part : block.parts) {
      const Group& group = groups[static_cast<std::size_t>(part.group)];
      const double largest = inertia(group);
      const double fastest = std::max(speed(group), largest > 0.0 ? force(group) / largest : 0.0);
      for (int row = 0; row < block.rows; ++row) rows_out[block.first_row + row] += arm(group, part, row) * fastest;
    }
}

}  // namespace tandem
