#include "tandem/run/stops.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace tandem {

double stop_margin(const Model& model, const ModelStop& stop, Simulation& simulation) {
  std::array<double, ModelStop::most_quantities> values{};
  for (std::size_t i = 0; i < stop.quantities.size(); ++i)
    values[i] = output_value(model, stop.quantities[i], simulation);
  const std::span<const double> given(values.data(), stop.quantities.size());
  const double margin = stop.left.evaluate<double>(given) - stop.right.evaluate<double>(given);
  if (!std::isfinite(margin))
    throw NumericalError(fmt::format("stop \"{}\": \"{}\" compares with {}, not a finite number", stop.name, stop.when,
                                     std::abs(margin)));
  return margin;
}

}  // namespace tandem
