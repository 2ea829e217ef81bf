// A document as text again, to be read to the same document. Comments are lost.
#pragma once

#include "tandem/io/model/document.hpp"

namespace tandem {

std::string write_toml(const Node& root);
std::string write_json(const Node& root);

}  // namespace tandem
