#include "tandem/methods/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/base/tolerances.hpp"
#include "tandem/linalg/finite.hpp"

namespace tandem {

std::string row_name(const Model& model, const GaussProblem& problem, int row) {
  const int of_model = problem.model_row[static_cast<std::size_t>(row)];
  return of_model >= 0 ? model.row_name(of_model)
                       : fmt::format("the length of the quaternion of body \"{}\"",
                                     model.bodies[static_cast<std::size_t>(-1 - of_model)].name);
}

bool is_holonomic(const Model& model, const GaussProblem& problem, int row) {
  const int of_model = problem.model_row[static_cast<std::size_t>(row)];
  return of_model < 0 || model.is_holonomic(of_model);
}

void require_finite(const Model& model, const GaussProblem& problem) {
  bool finite = all_finite(problem.b) && all_finite(problem.f);
  for (const GaussProblem::Block& block : problem.blocks)
    for (const GaussProblem::Part& part : block.parts) finite = finite && all_finite(part.J);
  if (finite) return;
  for (const GaussProblem::Block& block : problem.blocks)
    for (int k = 0; k < block.rows; ++k) {
      bool good = std::isfinite(problem.b[block.first_row + k]);
      for (const GaussProblem::Part& part : block.parts) good = good && part.J.row(k).allFinite();
      if (!good) throw NumericalError(row_name(model, problem, block.first_row + k) + " is not a finite number");
    }
  if (problem.tree)
    for (const TreeProblem::Link& link : problem.tree->links)
      if (!link.f.allFinite())
        throw NumericalError(fmt::format("a force on body \"{}\" is not a finite number",
                                         model.bodies[static_cast<std::size_t>(link.body)].name));
  for (std::size_t i = 0; !problem.tree && i < problem.groups.size(); ++i)
    if (!problem.f.segment(problem.groups[i].first, problem.groups[i].size).allFinite())
      throw NumericalError(fmt::format("a force on body \"{}\" is not a finite number", model.bodies[i].name));
  throw NumericalError("the equations of motion are not finite");
}

std::optional<std::pair<int, double>> unmet_row(const Model& model, const GaussProblem& problem,
                                                const Solution& solution) {
  if (solution.rank == static_cast<int>(problem.row_count())) return {};
  // At rest all terms may vanish but for round-off: then the machine's own accelerations are what counts. On the
  // reduced cut a row may vanish altogether; its terms are those on the bodies.
  double usual = 1.0 / (model.scale.time * model.scale.time);
  for (Eigen::Index k = 0; k < solution.y.size(); ++k)
    usual = std::max(usual, std::abs(solution.y[k]) / problem.unit[k]);
  for (const GaussProblem::Block& block : problem.blocks)
    for (int k = 0; k < block.rows && !block.one_sided && !block.soft; ++k) {
      const int row = block.first_row + k;
      double off = -problem.b[row], size = std::abs(problem.b[row]);
      if (problem.tree) size += std::abs(problem.tree->b[row]) + usual * std::sqrt(problem.tree->row_square[row]);
      for (const GaussProblem::Part& part : block.parts) {
        const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(part.group)];
        off += part.J.row(k).dot(solution.y.segment(group.first, group.size));
        size += usual * part.J.row(k).cwiseAbs().dot(problem.unit.segment(group.first, group.size));
      }
      if (!(std::abs(off) <= tolerances::dropped_row_met * size)) return std::pair{row, off};
    }
  return {};
}

void require_rows_met(const Model& model, const GaussProblem& problem, const Solution& solution) {
  if (const auto unmet = unmet_row(model, problem, solution))
    throw NumericalError(fmt::format("{} contradicts the other rows: its acceleration is off by {:.3g}",
                                     row_name(model, problem, unmet->first), unmet->second));
}

void inertia_scale(const GaussProblem& problem, const Eigen::MatrixXd& M, Eigen::VectorXd& scale) {
  constexpr double round_off = 1e-14;  // of moments of inertia: masses count on arms of the machine's length
  scale.setZero(M.rows());
  const auto moment = [&](Eigen::Index k) { return M(k, k) * problem.unit[k] * problem.unit[k]; };
  double least = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (Eigen::Index k = 0; k < M.rows(); ++k) {
    // Round-off of what it is coupled with is no inertia. What a body elsewhere weighs says nothing about this one.
    double most = moment(k);
    for (Eigen::Index j = 0; j < M.rows(); ++j)
      if (M(j, k) != 0.0) most = std::max(most, moment(j));
    if (!(moment(k) > round_off * most)) continue;
    scale[k] = 1.0 / std::sqrt(M(k, k));
    least = std::min(least, moment(k));
    largest = std::max(largest, moment(k));
  }
  const double middle = largest > 0.0 ? std::sqrt(least) * std::sqrt(largest) : 1.0;
  for (Eigen::Index k = 0; k < M.rows(); ++k)
    if (scale[k] == 0.0) scale[k] = problem.unit[k] / std::sqrt(middle);
}

std::string free_direction(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& z) {
  Eigen::Index largest = 0;
  z.cwiseQuotient(problem.unit).cwiseAbs().maxCoeff(&largest);
  double own = 0.0, most = 0.0, of_most = 0.0;
  for (const GaussProblem::Group& group : problem.groups)
    for (int k = 0; k < group.M.rows(); ++k) {
      const double unit = problem.unit[group.first + k], moment = unit * unit * group.M(k, k);
      if (moment > of_most) {
        of_most = moment;
        most = group.M(k, k);
      }
      if (group.first + k == static_cast<int>(largest)) own = group.M(k, k);
    }
  const auto unknown = static_cast<int>(largest);
  if (!(own > 0.0)) return problem.names->without_inertia(model, unknown);
  return fmt::format(
      "{}, and the {:.3g} that resists (kg or kg m^2) is lost against {:.3g} elsewhere: numbers have 16 digits; give "
      "the "
      "bodies masses that are less far apart, or try the method articulated",
      problem.names->motion(model, problem.names->speed_of(unknown), true), own, most);
}

void require_finite_accelerations(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& y) {
  if (all_finite(y)) return;
  int first = 0;
  while (std::isfinite(y[first])) ++first;
  throw NumericalError(
      fmt::format("the accelerations are not finite, first where {}; check for unreasonably large masses, "
                  "stiffnesses or forces there",
                  problem.names->motion(model, problem.names->speed_of(first))));
}

}  // namespace tandem
