// What the tests of result files share: a folder of their own, rows that are the same in every run, a killed run.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "tandem/io/results/results.hpp"

namespace tandem::result_tests {
namespace fs = std::filesystem;

inline const std::vector<ResultColumn> columns{
    {"t", "s"}, {"a, \"b\"", "m/s"}, {"plain", ""}, {"two\nlines", "N m"}, {"schräg", "°"}};
inline const ResultAbout about{
    {{"model", "two-body"}, {"model_text", "format = 1\nname = \"x\"\n"}, {"step", "0.001"}}};

// Numbers of every size, the same in every run.
inline std::vector<double> sample_row(std::size_t i) {
  std::mt19937_64 random(i);
  std::vector<double> values{static_cast<double>(i) * 0.001};
  while (values.size() < columns.size()) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  if (i == 3) values = {0.003, -0.0, 5e-324, std::numeric_limits<double>::max(), 0.1};
  return values;
}

inline void write_rows(ResultWriter& writer, std::size_t first, std::size_t end) {
  for (std::size_t i = first; i < end; ++i) writer.row(sample_row(i));
}

inline std::vector<std::byte> state(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class Act> std::string error_of(Act act) {
  try {
    act();
  } catch (const FileError& error) {
    return error.what();
  }
  return "no error";
}

class ResultFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    path = fs::temp_directory_path() /
           ("tandem_results_" + std::to_string(getpid()) + "_" +
            std::to_string(std::hash<std::string>()(::testing::UnitTest::GetInstance()->current_test_info()->name())));
    fs::create_directories(path);
  }
  void TearDown() override { fs::remove_all(path); }
  fs::path file(const std::string& name) const { return path / name; }
  static std::string text(const fs::path& of) {
    std::ifstream in(of, std::ios::binary);
    std::stringstream all;
    all << in.rdbuf();
    return all.str();
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  void whole_run(const fs::path& to, std::size_t rows, const ResultOptions& options = {}) const {
    ResultWriter writer(to, columns, about, options);
    write_rows(writer, 0, rows);
    writer.finish({{{"status", "finished"}}});
  }
  // Rows after the last flush, some of them on the disk, the last one torn.
  void killed_run(const fs::path& to) const {
    ResultWriter writer(to, columns, about);
    write_rows(writer, 0, 700);
    writer.flush(state("an older one"));
    write_rows(writer, 700, 1000);
    writer.flush(state("at 1000"));
    write_rows(writer, 1000, 4000);
    std::ofstream(to.string() + ".part", std::ios::app) << "0.5,1.2";
  }
  fs::path path;
};

class ResultFiles : public ResultFolder, public ::testing::WithParamInterface<const char*> {
 protected:
  fs::path out() const { return file(std::string("out") + GetParam()); }
  fs::path beside(const char* ending) const { return out().string() + ending; }
};

}  // namespace tandem::result_tests
