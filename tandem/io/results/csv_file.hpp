// The text of a CSV result file: a header with units, then shortest numbers that read back exactly.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tandem/io/results/results.hpp"

namespace tandem {

std::string csv_header(std::span<const ResultColumn> columns);        // with its line break
void put_csv_row(std::span<const double> values, std::string& line);  // replaces the text of `line`
ResultTable read_csv(const std::filesystem::path& file);

}  // namespace tandem
