// How much a run may ask for. Beyond it a run would not end in a lifetime, and its counts would leave their types.
#pragma once

#include <string>

#include "tandem/model/setup.hpp"

namespace tandem {

inline constexpr double most_steps = 1e12;  // in a run
inline constexpr double most_sweeps = 1e6;  // in a step, by impulses

// What is wrong and what would be right; empty when nothing is.
std::string too_many_steps(double duration, double step);
std::string too_many_sweeps(const ImpulseOptions& impulses);

}  // namespace tandem
