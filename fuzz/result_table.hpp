// A result file of any bytes: a table that is whole, or a FileError that says why not.
#pragma once

#include <cmath>
#include <cstdint>
#include <string_view>

#include "fuzz/input_file.hpp"
#include "tandem/io/results.hpp"

namespace tandem::fuzz {

inline int read_any_results(ResultTable (*read)(const std::filesystem::path&), const std::uint8_t* data,
                            std::size_t size) {
  static const InputFile file;
  try {
    const ResultTable table = read(file.holding(std::as_bytes(std::span(data, size))));
    if (table.columns.empty() || table.values.size() != table.rows() * table.columns.size()) std::abort();
    for (const double value : table.values)
      if (!std::isfinite(value)) std::abort();
  } catch (const FileError& error) {
    if (std::string_view(error.what()).empty()) std::abort();
  }
  return 0;
}

}  // namespace tandem::fuzz
