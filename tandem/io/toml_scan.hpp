// What must hold of a TOML text before the library may see it: it takes memory for every value, and a call for every
// part of a dotted key, whatever the text asks for.
#pragma once

#include <string>
#include <string_view>

#include "tandem/base/faults.hpp"
#include "tandem/base/limits.hpp"

namespace tandem {

// Whether the text may be parsed; if not, the fault is told.
bool scan_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits, Faults& faults);

}  // namespace tandem
