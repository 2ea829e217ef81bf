// The value of a named output at the current state of a simulation.
#pragma once

#include "tandem/simulate.hpp"

namespace tandem {

double output_value(const Model& model, const ModelOutput& output, Simulation& simulation);

}  // namespace tandem
