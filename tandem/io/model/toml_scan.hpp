// What must hold of a TOML text before the library may see it: it takes memory for every value, and a call for every
// part of a dotted key, whatever the text asks for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/limits.hpp"

namespace tandem {

// Whether the text may be parsed; if not, the fault is told. `in_texts`: the lines that begin inside of a text in three
// quotes, from 1, in their order.
bool scan_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits, Faults& faults,
               std::vector<int>& in_texts);

}  // namespace tandem
