// The models shipped inside the program, to be used by name where a path is expected.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tandem/io/model/model_file.hpp"

namespace tandem {

struct EmbeddedExample {
  std::string_view name;
  std::string_view text;
};

std::span<const EmbeddedExample> embedded_examples();  // generated from examples/*.toml

const EmbeddedExample* find_example(std::string_view name);

// An example when it is the plain name of one, else a file. Throws FileError when it is neither.
Model load_model_or_example(const std::string& name_or_path, const ReadOptions& options = {});

}  // namespace tandem
