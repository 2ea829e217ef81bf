// How far a stop condition is from being met, at the current state of a simulation.
#pragma once

#include "tandem/observe/outputs.hpp"

namespace tandem {

// left − right: positive where the condition is met. Throws NumericalError, with the name of the stop, when that is
// not a finite number.
double stop_margin(const Model& model, const ModelStop& stop, Simulation& simulation);

}  // namespace tandem
