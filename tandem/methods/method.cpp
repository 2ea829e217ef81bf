#include "tandem/methods/method.hpp"

#include "tandem/base/tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/linalg/finite.hpp"
#include "tandem/methods/articulated.hpp"
#include "tandem/methods/impulses.hpp"
#include "tandem/methods/lagrange.hpp"
#include "tandem/methods/null_space.hpp"
#include "tandem/methods/udwadia_kalaba.hpp"

namespace tandem {

template <class M> static std::unique_ptr<Method> make() { return std::make_unique<M>(); }

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<std::string> both{"all", "loops"}, tree_first{"loops", "all"}, tree_only{"loops"},
      maximal_only{"all"};
  static const std::vector<std::string> any{"quasi", "quaternion", "euler312"}, quasi{"quasi"};
  static const std::vector<MethodInfo> methods{
      {.name = "lagrange",
       .summary = "multipliers, sparse: linear in the number of bodies for chains and trees",
       .redundant_rows = "left out by name",
       .cuts = both,
       .coordinates = any,
       .make = make<Lagrange>},
      {.name = "udwadia_kalaba",
       .summary = "closed form by pseudo-inverse; singular mass included",
       .redundant_rows = "by pseudo-inverse",
       .cuts = both,
       .coordinates = any,
       .make = make<UdwadiaKalaba>},
      {.name = "articulated",
       .summary = "recursion along the tree, linear, without a mass matrix; loops and rolling go with it",
       .redundant_rows = "left out by name",
       .cuts = tree_only,
       .coordinates = quasi,
       .make = make<Articulated>},
      {.name = "null_space",
       .summary = "moves along what the rows allow; multipliers afterwards",
       .redundant_rows = "left out by name",
       .cuts = tree_first,
       .coordinates = any,
       .make = make<NullSpace>},
      {.name = "impulses",
       .summary = "sequential impulses: sweeps over joints at velocity level; ropes and soft constraints",
       .redundant_rows = "share their load",
       .one_sided = true,
       .cuts = maximal_only,
       .coordinates = quasi,
       .make = make<Impulses>},
  };
  return methods;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : all_methods()) names.push_back(method.name);
  return names;
}

const MethodInfo& find_method(std::string_view name) {
  for (const MethodInfo& method : all_methods())
    if (method.name == name) return method;
  const std::vector<std::string> names = method_names();
  throw std::invalid_argument(
      fmt::format("there is no method \"{}\" (known: {}){}", name, list_of(names), did_you_mean(name, names)));
}

static bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::string cut_of(const Model& model, std::string_view method) {
  return model.simulation.cut.empty() ? find_method(method).cuts.front() : model.simulation.cut;
}

std::vector<std::string> obstacles(const Model& model, const MethodInfo& method) {
  std::vector<std::string> reasons;
  for (const ModelConstraint& constraint : model.constraints)
    if (constraint.one_sided && !method.one_sided)
      reasons.push_back(
          fmt::format("constraint \"{}\": a {} is one-sided, and the method {} solves equations only; use the method "
                      "impulses, a distance constraint, or a spring_damper force",
                      constraint.name, constraint.type, method.name));
  for (const ModelConstraint& constraint : model.constraints)
    if (constraint.soft && !method.one_sided)
      reasons.push_back(
          fmt::format("constraint \"{}\" is soft, and the method {} meets constraints exactly; use the "
                      "method impulses, or a spring_damper force",
                      constraint.name, method.name));
  const std::string cut = cut_of(model, method.name);
  if (!contains(method.cuts, cut))
    reasons.push_back(
        fmt::format("the method {} does not run on the cut \"{}\"; use \"{}\"", method.name, cut, method.cuts.front()));
  const std::string& coordinates = model.simulation.coordinates;
  if (coordinates != "quasi" && !contains(method.coordinates, coordinates))
    reasons.push_back(
        fmt::format("the method {} does not run in {} coordinates; leave them at \"quasi\"", method.name, coordinates));
  else if (coordinates != "quasi" && cut != "all")
    reasons.push_back(
        fmt::format("{} coordinates belong to the cut \"all\", where every body floats; here the cut is "
                    "\"{}\"",
                    coordinates, cut));
  return reasons;
}

std::unique_ptr<Method> make_method(const Model& model, std::string_view name) {
  const MethodInfo& method = find_method(name);
  Faults faults;
  faults.about("", Location::top_of(model.file));
  for (const std::string& reason : obstacles(model, method)) faults.error(reason);
  if (faults.any_error()) throw ModelError(std::move(faults));
  return method.make();
}

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
      "{}, and the {:.3g} that resists (kg or kg m^2) is lost beside {:.3g} elsewhere: numbers hold 16 digits; give "
      "the "
      "bodies masses that are less far apart, or try the method articulated",
      problem.names->motion(model, problem.names->speed_of(unknown), true), own, most);
}

void require_finite_accelerations(const Model& model, const GaussProblem& problem, const Eigen::VectorXd& y) {
  if (all_finite(y)) return;
  int first = 0;
  while (std::isfinite(y[first])) ++first;
  throw NumericalError(
      fmt::format("the accelerations are not finite, first where {}; look for masses, stiffnesses or forces without "
                  "measure there",
                  problem.names->motion(model, problem.names->speed_of(first))));
}

}  // namespace tandem
