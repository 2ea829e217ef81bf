#include "fuzz/result_table.hpp"
#include "tandem/io/h5_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return tandem::fuzz::read_any_results(tandem::read_h5, data, size);
}
