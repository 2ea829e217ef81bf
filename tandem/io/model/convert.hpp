// Model files written back: in TOML or JSON, as they are or with every expression evaluated. Comments are lost.
#pragma once

#include <string>

#include "tandem/model/model.hpp"

namespace tandem {

struct ConvertOptions {
  bool json = false;     // TOML otherwise
  bool flatten = false;  // numbers in the place of expressions and parameters; those of t and of outputs stay
};

// The text of a model that was read from one. What was set in the place of parameters is written as their values, and
// tables of other files are written out. Read again it is the same model. Throws std::invalid_argument for a model that
// was built in C++.
std::string convert(const Model& model, const ConvertOptions& options = {});

}  // namespace tandem
