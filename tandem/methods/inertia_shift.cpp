#include "tandem/methods/inertia_shift.hpp"

#include <Eigen/Cholesky>
#include <map>

namespace tandem {

static constexpr double share = 0.01;  // of the inertia around it

static bool is_regular(const Eigen::MatrixXd& M) {
  const Eigen::LLT<Eigen::MatrixXd> llt(M);
  bool regular = llt.info() == Eigen::Success;
  for (Eigen::Index k = 0; regular && k < M.rows(); ++k)
    regular = llt.matrixLLT()(k, k) * llt.matrixLLT()(k, k) > 1e-12 * M(k, k);
  return regular;
}

// The mean over groups of the same size, for a body that has nothing at all; 1 where no group has any.
static std::map<int, Eigen::VectorXd> mean_inertias(const GaussProblem& problem) {
  std::map<int, Eigen::VectorXd> sums, counts;
  for (const GaussProblem::Group& group : problem.groups) {
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(group.size);
    Eigen::VectorXd &sum = sums.try_emplace(group.size, zero).first->second,
                    &count = counts.try_emplace(group.size, zero).first->second;
    for (int k = 0; k < group.size; ++k) {
      if (!(group.M(k, k) > 0.0)) continue;
      sum[k] += group.M(k, k);
      count[k] += 1.0;
    }
  }
  for (auto& [size, sum] : sums)
    for (int k = 0; k < size; ++k) sum[k] = counts[size][k] > 0.0 ? sum[k] / counts[size][k] : 1.0;
  return sums;
}

void InertiaShift::find(const GaussProblem& problem) {
  found_ = true;
  needed_ = false;
  diagonal_.setZero(problem.unknowns());
  taken_back_.setZero(problem.unknowns());
  const std::map<int, Eigen::VectorXd> means = mean_inertias(problem);
  for (const GaussProblem::Group& group : problem.groups) {
    if (group.size == 0 || is_regular(group.M)) continue;
    needed_ = true;
    for (int k = 0; k < group.size; ++k) {
      const double mean = means.at(group.size)[k];
      diagonal_[group.first + k] = share * std::max(mean, group.M.diagonal().maxCoeff() > 0.0 ? group.M(k, k) : 0.0);
    }
  }
}

void InertiaShift::apply(GaussProblem& problem) const {
  for (GaussProblem::Group& group : problem.groups) group.M.diagonal() += diagonal_.segment(group.first, group.size);
}

double InertiaShift::take_back(const Eigen::VectorXd& given, const Eigen::VectorXd& y, Eigen::VectorXd& f) {
  double change = 0.0, size = given.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    const double now = diagonal_[k] * y[k];
    change = std::max(change, std::abs(now - taken_back_[k]));
    size = std::max(size, std::abs(now));
    taken_back_[k] = now;
    f[k] = given[k] + now;
  }
  return size > 0.0 ? change / size : 0.0;
}

}  // namespace tandem
