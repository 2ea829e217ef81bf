// As much of JSON Schema (draft 7) as the schemas of docs/ use.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tandem {

// Where and why the value breaks the schema; empty when it does not. Throws std::logic_error for a word of JSON Schema
// that is not known here: nothing goes unchecked.
std::string violation(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace tandem
