// What a document may hold, whatever it says.
#pragma once

#include "tandem/io/document.hpp"

namespace tandem {

// Whether names, texts and lists are within the limits; every one that is not is told.
bool within_limits(const Node& root, const ReadLimits& limits, Faults& faults);

}  // namespace tandem
