#include "tandem/io/results/csv_file.hpp"

#include "fuzz/result_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tandem::fuzz::InputFile file;
  tandem::fuzz::require_table_or_error(tandem::read_csv, file.holding(std::as_bytes(std::span(data, size))));
  return 0;
}
