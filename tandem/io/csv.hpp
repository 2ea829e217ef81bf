// Results as CSV: a header with units, shortest numbers that read back exactly, no row that is not finite.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tandem/simulate.hpp"

namespace tandem {

// Written to FILE.part and renamed by finish(), so that a broken run never leaves half a file under the real name.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& file, const Model& model);
  void write(const Model& model, Simulation& simulation, const StepReport& report);
  void finish();

 private:
  void put(double value);
  [[noreturn]] void fail() const;

  std::filesystem::path file_, part_;
  std::ofstream out_;
  std::string line_;
};

// Column names with units, e.g. "frame.x [m]".
std::vector<std::string> result_columns(const Model& model);

}  // namespace tandem
