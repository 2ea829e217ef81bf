// Model files: TOML in, a checked Model out. The format is described in docs/model-format.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/model/model.hpp"
#include "tandem/model/registry.hpp"

namespace tandem {

struct ReadOptions {
  std::vector<std::pair<std::string, double>> set{};  // take the place of [parameters] entries
  Registry registry = Registry::standard();
};

// What the text says. Everything wrong with it is added to `faults`; the description then holds what could be read.
ModelDescription read_description(std::string_view text, const std::string& file_name, const ReadOptions& options,
                                  Faults& faults);

// Reads and checks. Throws ModelError with every fault, in the order of the file.
Model read_model(std::string_view text, const std::string& file_name, const ReadOptions& options = {});

// The same from a file. Throws FileError when it cannot be read.
Model load_model(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace tandem
