// FILE.checkpoint: where an unfinished result file stands, what it is of, and the state of the run that writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tandem/io/results/results.hpp"

namespace tandem {

// Counts up when what a run keeps changes; files of other formats are refused by name.
inline constexpr std::uint32_t checkpoint_format = 4;

struct ResultCheckpoint {
  std::vector<ResultColumn> columns;
  ResultAbout about;
  std::size_t rows = 0;
  std::uint64_t length = 0;      // of FILE.part, in bytes
  std::vector<std::byte> state;  // of the run

  std::vector<std::byte> encode() const;
  static ResultCheckpoint read(const std::filesystem::path& file);
  // What a run with these columns and attributes does otherwise than the one of the checkpoint; empty when nothing.
  std::string difference_to(const std::vector<ResultColumn>& now, const ResultAbout& about_now) const;
};

}  // namespace tandem
