#include "fuzz/result_table.hpp"
#include "tandem/io/h5_file.hpp"

// HDF5 1.10 does not give back the texts of an attribute that it has read before it comes to a damaged one. That is
// bounded by the file, and nobody else can free them.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }  // NOLINT

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return tandem::fuzz::read_any_results(tandem::read_h5, data, size);
}
