// The corpus of broken models: tests/model/broken. The first lines of a file say what must be told about it:
//
//   # expect: LINE:COLUMN: part of the message        one line an error, and no error without its line
//   # warn: LINE:COLUMN: part of the message          the same of warnings, of which there may be more
//   # set: NAME=VALUE                                 read with this parameter set
//   # limit: NAME=VALUE                               read with this limit
//
// JSON has no comments: these lines stand in NAME.json.expect beside NAME.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tandem/io/model/model_file.hpp"

namespace tandem {

struct Expectation {
  bool warning = false;
  int line = 0, column = 0;
  std::string message{};

  bool matches(const Fault& fault) const;
};

struct BrokenModel {
  std::string text{};
  std::vector<Expectation> expected{};
  ReadOptions options{};
};

std::vector<std::filesystem::path> broken_models();
BrokenModel read_broken(const std::filesystem::path& path);

}  // namespace tandem
