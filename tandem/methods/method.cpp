#include "tandem/methods/method.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/methods/lagrange.hpp"

namespace tandem {

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

std::vector<std::string> method_names() { return {"lagrange"}; }

std::unique_ptr<Method> make_method(std::string_view name) {
  if (name == "lagrange") return std::make_unique<Lagrange>();
  const std::vector<std::string> names = method_names();
  throw std::invalid_argument(
      fmt::format("there is no method \"{}\" (known: lagrange){}", name, did_you_mean(name, names)));
}

void require_equations(const Model& model, std::string_view method) {
  Faults faults;
  for (const ModelConstraint& constraint : model.constraints) {
    if (!constraint.one_sided) continue;
    faults.about(fmt::format("constraint \"{}\"", constraint.name), {model.file, 0, 0});
    faults.error(
        fmt::format("a {} is one-sided, and the method {} solves equations only; use a distance constraint, "
                    "or a spring_damper force",
                    constraint.type, method));
  }
  if (faults.any_error()) throw ModelError(std::move(faults));
}

}  // namespace tandem
