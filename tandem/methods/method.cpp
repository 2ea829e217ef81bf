#include "tandem/methods/method.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/methods/lagrange.hpp"
#include "tandem/methods/null_space.hpp"
#include "tandem/methods/udwadia_kalaba.hpp"

namespace tandem {

template <class M> static std::unique_ptr<Method> make() { return std::make_unique<M>(); }

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<MethodInfo> methods{
      {"lagrange", "multipliers, dense and fully pivoted: the plain oracle", "left out by name", false, make<Lagrange>},
      {"udwadia_kalaba", "closed form by pseudo-inverse; singular mass included", "by pseudo-inverse", false,
       make<UdwadiaKalaba>},
      {"null_space", "moves along what the rows allow; multipliers afterwards", "left out by name", false,
       make<NullSpace>},
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

std::vector<std::string> obstacles(const Model& model, const MethodInfo& method) {
  std::vector<std::string> reasons;
  for (const ModelConstraint& constraint : model.constraints)
    if (constraint.one_sided && !method.one_sided)
      reasons.push_back(
          fmt::format("constraint \"{}\": a {} is one-sided, and the method {} solves equations only; use a "
                      "distance constraint, or a spring_damper force",
                      constraint.name, constraint.type, method.name));
  return reasons;
}

std::unique_ptr<Method> make_method(const Model& model, std::string_view name) {
  const MethodInfo& method = find_method(name);
  Faults faults;
  faults.about("", {model.file, 0, 0});
  for (const std::string& reason : obstacles(model, method)) faults.error(reason);
  if (faults.any_error()) throw ModelError(std::move(faults));
  return method.make();
}

void require_finite(const Model& model, const GaussProblem& problem) {
  if (problem.J.allFinite() && problem.b.allFinite() && problem.f.allFinite()) return;
  std::string what = "the equations of motion";
  for (int row = 0; row < model.rows; ++row)
    if (!problem.J.row(row).allFinite() || !std::isfinite(problem.b[row])) what = model.row_name(row);
  for (const Body& body : model.bodies)
    if (!problem.f.segment(body.v_first, body.nv()).allFinite())
      what = fmt::format("a force on body \"{}\"", body.name);
  throw NumericalError(what + " is not a finite number");
}

void require_rows_met(const Model& model, const GaussProblem& problem, const Solution& solution) {
  if (solution.rank == model.rows) return;
  for (int row = 0; row < model.rows; ++row) {
    const double off = problem.J.row(row).dot(solution.y) - problem.b[row];
    const double size = problem.J.row(row).cwiseAbs().dot(solution.y.cwiseAbs()) + std::abs(problem.b[row]);
    if (!(std::abs(off) <= 1e-6 * (1.0 + size)))
      throw NumericalError(
          fmt::format("{} contradicts the other rows: its acceleration is off by {:.3g}", model.row_name(row), off));
  }
}

std::string free_direction(const Model& model, const Eigen::VectorXd& z) {
  Eigen::Index largest = 0;
  z.cwiseAbs().maxCoeff(&largest);
  for (const Body& body : model.bodies) {
    const auto k = static_cast<int>(largest) - body.v_first;
    if (k < 0 || k >= body.nv()) continue;
    constexpr const char* axes[3] = {"x", "y", "z"};
    if (!body.point_mass && k < 3)
      return fmt::format(
          "body \"{}\" can turn about its {} axis with no inertia to resist; give it a moment of inertia "
          "there, or a joint that forbids the turn",
          body.name, axes[k]);
    return fmt::format(
        "body \"{}\" can move along {} with no mass to resist; give it mass, or a joint that forbids the "
        "motion",
        body.name, axes[k % 3]);
  }
  return "some motion has no inertia";
}

}  // namespace tandem
