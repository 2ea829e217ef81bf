// Results as CSV: a header with units, shortest numbers that read back exactly, no row that is not finite.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/simulate.hpp"

namespace tandem {

// Written to FILE.part and renamed by finish(), so that a broken run never leaves half a file under the real name.
// What is not a plain file (a pipe, a device) is written straight; a link is followed.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const Model& model);
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  void write(const Model& model, Simulation& simulation, const StepReport& report);
  void finish();

 private:
  void put(double value);
  [[noreturn]] void fail() const;

  std::filesystem::path file_, part_;
  std::ofstream out_;
  std::string line_;
  bool finished_ = false;
};

// Column names with units, e.g. "frame.x [m]".
std::vector<std::string> result_columns(const Model& model);

}  // namespace tandem
