// What a document may hold, whatever it says.
#pragma once

#include "tandem/io/model/document.hpp"

namespace tandem {

// Whether names, texts and lists are within the limits; every one that is not is told.
bool within_limits(const Node& root, const ReadLimits& limits, Faults& faults);

// Whether no text below holds a control character, which could move the cursor of a terminal or end the name of a file.
bool without_controls(const Node& root, Faults& faults);

}  // namespace tandem
