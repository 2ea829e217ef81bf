#include "tandem/methods/method.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/methods/lagrange.hpp"

namespace tandem {

std::vector<std::string> method_names() { return {"lagrange"}; }

std::unique_ptr<Method> make_method(std::string_view name) {
  if (name == "lagrange") return std::make_unique<Lagrange>();
  const std::vector<std::string> names = method_names();
  throw std::invalid_argument(
      fmt::format("there is no method \"{}\"{}; known is lagrange", name, did_you_mean(name, names)));
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
