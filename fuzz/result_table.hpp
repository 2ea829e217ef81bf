// A result file of any content: a table that is whole, or a FileError that says why not.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "fuzz/input_file.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::fuzz {

inline void require_table_or_error(ResultTable (*read)(const std::filesystem::path&), const std::string& file) {
  try {
    const ResultTable table = read(file);
    if (table.columns.empty() || table.values.size() != table.rows() * table.columns.size()) std::abort();
    for (const double value : table.values)
      if (!std::isfinite(value)) std::abort();
  } catch (const FileError& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
}

}  // namespace tandem::fuzz
