#include "tandem/methods/inertia_shift.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace tandem {

static constexpr double share = 0.01;  // of the inertia around it

static bool is_regular(const Eigen::MatrixXd& M) {
  const Eigen::LLT<Eigen::MatrixXd> llt(M);
  bool regular = llt.info() == Eigen::Success;
  for (Eigen::Index k = 0; regular && k < M.rows(); ++k)
    regular = llt.matrixLLT()(k, k) * llt.matrixLLT()(k, k) > 1e-12 * M(k, k);
  return regular;
}

// The least inertia of each unknown among the given groups of the same size; infinite where none has any.
static Eigen::VectorXd least_inertia(const GaussProblem& problem, int size, const std::vector<int>& among) {
  Eigen::VectorXd least = Eigen::VectorXd::Constant(size, std::numeric_limits<double>::infinity());
  for (const int g : among) {
    const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(g)];
    if (group.size != size) continue;
    for (int k = 0; k < size; ++k)
      if (group.M(k, k) > 0.0) least[k] = std::min(least[k], group.M(k, k));
  }
  return least;
}

// The least of the given groups, masses on arms of the machine's length; infinite where none has any.
static double least_moment(const GaussProblem& problem, const std::vector<int>& among) {
  double least = std::numeric_limits<double>::infinity();
  for (const int g : among) {
    const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(g)];
    for (int k = 0; k < group.M.rows(); ++k) {
      const double unit = problem.unit[group.first + k];
      if (group.M(k, k) > 0.0) least = std::min(least, unit * unit * group.M(k, k));
    }
  }
  return least;
}

// The groups that share rows with each group.
static std::vector<std::vector<int>> neighbours(const GaussProblem& problem) {
  std::vector<std::vector<int>> beside(problem.groups.size());
  for (const GaussProblem::Block& block : problem.blocks)
    for (const GaussProblem::Part& a : block.parts)
      for (const GaussProblem::Part& b : block.parts)
        if (a.group != b.group) beside[static_cast<std::size_t>(a.group)].push_back(b.group);
  return beside;
}

void InertiaShift::find(const GaussProblem& problem) {
  found_ = true;
  needed_ = false;
  diagonal_.setZero(problem.unknowns());
  std::vector<std::vector<int>> beside;
  std::vector<int> all(problem.groups.size());
  std::iota(all.begin(), all.end(), 0);
  std::map<int, Eigen::VectorXd> anywhere;  // by size
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const GaussProblem::Group& group = problem.groups[g];
    if (group.size == 0 || is_regular(group.M)) continue;
    if (!needed_) beside = neighbours(problem);
    needed_ = true;
    if (!anywhere.contains(group.size)) anywhere[group.size] = least_inertia(problem, group.size, all);
    // Of its own and of those beside it the larger: a light body beside a heavy one has too little to hold on to.
    double moment = 0.0;
    for (const double each : {least_moment(problem, {static_cast<int>(g)}), least_moment(problem, beside[g])})
      if (std::isfinite(each)) moment = std::max(moment, each);
    if (moment == 0.0) moment = least_moment(problem, all);
    if (!std::isfinite(moment)) moment = problem.mass;
    const auto around = [&](int k) { return moment / (problem.unit[group.first + k] * problem.unit[group.first + k]); };
    const Eigen::VectorXd near = least_inertia(problem, group.size, beside[g]), &any = anywhere[group.size];
    for (int k = 0; k < group.size; ++k) {
      const double own = std::isfinite(near[k]) ? near[k] : std::isfinite(any[k]) ? any[k] : around(k);
      diagonal_[group.first + k] = share * std::max(own, group.M(k, k));
    }
  }
}

void InertiaShift::apply(GaussProblem& problem) const {
  for (GaussProblem::Group& group : problem.groups) group.M.diagonal() += diagonal_.segment(group.first, group.size);
}

}  // namespace tandem
