// Result files: a table of numbers, a row a moment, as .csv or .h5 (docs/results.md). A run writes to FILE.part, so
// that FILE is never half a result, and leaves FILE.checkpoint from time to time, from which a killed run can be
// continued.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tandem/base/faults.hpp"

namespace tandem {

class OutputFile;

struct ResultColumn {
  std::string name, unit;
  bool operator==(const ResultColumn&) const = default;

  std::string header() const;  // "name [unit]", or "name" without a unit
};

// What the numbers are results of: the name and text of the model, the settings, the version. Written as attributes of
// an .h5 file; a CSV file has no place for it. Of a name that is given twice the last value counts.
struct ResultAbout {
  std::vector<std::pair<std::string, std::string>> attributes;
};

struct ResultOptions {
  bool force = false;                           // an existing result may be replaced
  std::vector<std::filesystem::path> inputs{};  // never replaced: the model file
  std::chrono::steady_clock::duration flush_every = std::chrono::seconds(5);
};

class ResultWriter;

struct ResumedResults {
  std::unique_ptr<ResultWriter> writer;
  std::vector<std::byte> checkpoint;  // as it was given to flush()
};

// The format goes by the extension: .csv, .h5 or .hdf5. What is not a plain file (a pipe, /dev/stdout) is written
// straight, as CSV, and cannot be resumed. Links are followed. All trouble with files is a FileError.
class ResultWriter {
 public:
  ResultWriter(const std::filesystem::path& file, std::vector<ResultColumn> columns, ResultAbout about,
               const ResultOptions& options = {});
  // Continues after the last flush(). The columns and attributes must be those of the killed run.
  static ResumedResults resume(const std::filesystem::path& file, std::vector<ResultColumn> columns, ResultAbout about,
                               const ResultOptions& options = {});
  // Without finish(): the files stay if there is a checkpoint to resume from; otherwise nothing is left.
  ~ResultWriter();
  ResultWriter(const ResultWriter&) = delete;
  ResultWriter& operator=(const ResultWriter&) = delete;

  // NumericalError names the column of a value that is not finite; nothing of that row is written then.
  void row(std::span<const double> values);
  bool flush_due() const;
  void flush(std::span<const std::byte> checkpoint);  // the rows to the disk, then the checkpoint
  void finish(const ResultAbout& additions = {});     // gives the file its real name; such as the status of the run

  std::size_t rows() const { return rows_; }
  const std::filesystem::path& file() const { return file_; }

 private:
  enum class Start { anew, resume };
  ResultWriter(Start start, const std::filesystem::path& file, std::vector<ResultColumn> columns, ResultAbout about,
               const ResultOptions& options);
  void find_place(const std::filesystem::path& given, const ResultOptions& options);
  void check_free(Start start) const;
  void begin();
  std::vector<std::byte> continue_from_checkpoint();
  void finish_h5(const ResultAbout& additions);

  std::vector<ResultColumn> columns_;
  ResultAbout about_;
  bool force_, straight_ = false, h5_ = false, finished_ = false, keep_ = false;
  std::chrono::steady_clock::duration flush_every_;
  std::chrono::steady_clock::time_point flushed_;
  std::filesystem::path given_, file_, part_, checkpoint_;
  std::unique_ptr<OutputFile> out_;
  std::string line_;
  std::size_t rows_ = 0;
};

// A result file as a whole.
struct ResultTable {
  std::vector<ResultColumn> columns;
  std::vector<std::pair<std::string, std::string>> attributes;  // by name; none in a CSV file
  std::vector<double> values;                                   // row after row

  std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  double value(std::size_t row, std::size_t column) const { return values[row * columns.size() + column]; }
  std::optional<std::size_t> find(std::string_view name) const;  // the place of a column
  std::optional<std::string> attribute(std::string_view name) const;
};

// Throws FileError with what is wrong, and in a CSV file the line.
ResultTable read_results(const std::filesystem::path& file);

}  // namespace tandem
