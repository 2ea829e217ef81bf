// HDF5 result files: one table "results", rows × columns, with the attributes "names" and "units"; what the results are
// of as attributes of the file. Chunked, compressed, and without times: equal results are equal files. HDF5's checksums
// leave out where its chunks are and how they are packed, so "checksum" is one over names, units and values.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>

#include "tandem/io/results/results.hpp"

namespace tandem {

// Hands over the values of the rows from `first` on, as many as there is room for.
using RowSource = std::function<void(std::size_t first, std::span<double> values)>;

void write_h5(const std::filesystem::path& file, std::span<const ResultColumn> columns, const ResultAbout& about,
              std::size_t rows, const RowSource& source);
ResultTable read_h5(const std::filesystem::path& file);

}  // namespace tandem
