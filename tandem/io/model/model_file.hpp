// Model files: TOML or JSON in, a checked Model out. The format is described in docs/model-format.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/model/model.hpp"
#include "tandem/model/registry.hpp"

namespace tandem {

struct Node;

struct ReadOptions {
  std::vector<std::pair<std::string, Real>> set{};  // take the place of [parameters] entries
  Registry registry = Registry::standard();
  ReadLimits limits{};
  bool allow_external_files = false;  // tables from outside the folder of the model
};

// What the text says. Everything wrong with it is added to `faults`; the description then holds what could be read.
ModelDescription read_description(std::string_view text, const std::string& file_name, const ReadOptions& options,
                                  Faults& faults);

// Reads and checks. Throws ModelError with every fault, in the order of the file.
Model read_model(std::string_view text, const std::string& file_name, const ReadOptions& options = {});

// A text that is parsed once and read many times, each time with other parameters.
class ParsedModel {
 public:
  // What is wrong with it is told by read().
  ParsedModel(std::string text, std::string file_name, const ReadLimits& limits = {});
  ParsedModel(const ParsedModel&) = delete;
  ParsedModel& operator=(const ParsedModel&) = delete;
  ~ParsedModel();
  // As read_model().
  Model read(const ReadOptions& options = {}) const;

 private:
  std::string text_, file_name_;
  std::unique_ptr<const Node> root_;  // none: the text is no document
};

// The same from a file. Throws FileError when it cannot be read or is larger than the limit.
Model load_model(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace tandem
