#include "tandem/io/results/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <system_error>

#include "tandem/base/suggest.hpp"
#include "tandem/io/results/csv_file.hpp"
#include "tandem/io/results/h5_file.hpp"
#include "tandem/io/results/output_file.hpp"
#include "tandem/io/results/result_checkpoint.hpp"

namespace tandem {

namespace fs = std::filesystem;

std::string ResultColumn::header() const { return unit.empty() ? name : fmt::format("{} [{}]", name, unit); }

static void remove_quietly(const fs::path& path) {
  std::error_code error;
  fs::remove(path, error);
}

// ---- where it goes ----

static bool is_h5(const fs::path& file, const char* verb) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".h5" || extension == ".hdf5") return true;
  if (extension == ".csv") return false;
  const std::vector<std::string> known{".csv", ".h5", ".hdf5"};
  throw FileError(fmt::format("cannot {} \"{}\": results are {} files{}", verb, file.string(), list_of(known),
                              did_you_mean(extension, known)));
}

// Where a chain of links ends, also when nothing is there yet.
static fs::path behind_links(const fs::path& given) {
  std::error_code error;
  fs::path file = given;
  for (int i = 0; i < 40 && fs::is_symlink(file, error); ++i) file = file.parent_path() / fs::read_symlink(file, error);
  const fs::path whole = fs::weakly_canonical(file, error);
  return error ? file : whole;
}

void ResultWriter::find_place(const fs::path& given, const ResultOptions& options) {
  std::error_code error;
  given_ = given;
  file_ = given;
  straight_ = standard_descriptor(given).has_value();
  if (straight_) return;
  file_ = behind_links(given);
  if (fs::is_directory(file_, error))
    throw FileError(fmt::format("cannot write \"{}\": it is a folder", given.string()));
  part_ = file_.string() + ".part";
  checkpoint_ = file_.string() + ".checkpoint";
  for (const fs::path& input : options.inputs)
    for (const fs::path& path : {file_, part_, checkpoint_})
      if (fs::equivalent(path, input, error))
        throw FileError(fmt::format("cannot write \"{}\": it is the model file itself", path.string()));
  straight_ = fs::exists(file_, error) && !fs::is_regular_file(file_, error);
  h5_ = !straight_ && is_h5(given, "write");
}

// A finished result, and also an unfinished one from which a run could be continued, is not lost by mistake.
void ResultWriter::check_free(Start start) const {
  std::error_code error;
  if (straight_ || force_) return;
  if (fs::exists(file_, error))
    throw FileError(fmt::format(
        "cannot write \"{}\": it exists already; choose another name, or replace it with --force", given_.string()));
  if (start == Start::anew && fs::exists(part_, error) && fs::exists(checkpoint_, error))
    throw FileError(
        fmt::format("cannot write \"{}\": \"{}\" of an unfinished run is there; continue it with "
                    "--resume, or begin anew with --force",
                    given_.string(), part_.string()));
}

static void keep_last_of_each_name(ResultAbout& about) {
  auto& list = about.attributes;
  for (auto entry = list.begin(); entry != list.end();) {
    const bool again =
        std::any_of(entry + 1, list.end(), [&](const auto& later) { return later.first == entry->first; });
    entry = again ? list.erase(entry) : entry + 1;
  }
}

// HDF5 texts end at their first zero.
static void refuse_zeros(const fs::path& file, const std::vector<ResultColumn>& columns, const ResultAbout& about) {
  const auto check = [&](const std::string& text) {
    if (text.find('\0') != std::string::npos)
      throw FileError(
          fmt::format("cannot write \"{}\": the text \"{}\" holds a zero character, which HDF5 cannot store",
                      file.string(), text.c_str()));
  };
  for (const ResultColumn& column : columns) {
    check(column.name);
    check(column.unit);
  }
  for (const auto& [name, value] : about.attributes) {
    check(name);
    check(value);
  }
}

// ---- a run ----

ResultWriter::ResultWriter(Start start, const fs::path& file, std::vector<ResultColumn> columns, ResultAbout about,
                           const ResultOptions& options)
    : columns_(std::move(columns)),
      about_(std::move(about)),
      force_(options.force),
      flush_every_(options.flush_every),
      flushed_(std::chrono::steady_clock::now()) {
  assert(!columns_.empty());
  keep_last_of_each_name(about_);
  find_place(file, options);
  if (h5_) refuse_zeros(given_, columns_, about_);
  line_.reserve(32 * columns_.size());
  if (start == Start::anew) {
    check_free(start);
    begin();
  }
}

ResultWriter::ResultWriter(const fs::path& file, std::vector<ResultColumn> columns, ResultAbout about,
                           const ResultOptions& options)
    : ResultWriter(Start::anew, file, std::move(columns), std::move(about), options) {}

// The old checkpoint goes before the old rows do: it must never be taken for one of the new rows.
void ResultWriter::begin() {
  out_ = std::make_unique<OutputFile>(straight_ ? file_ : part_,
                                      straight_ ? OutputFile::Kind::straight : OutputFile::Kind::create);
  if (!straight_) {
    remove_quietly(checkpoint_);
    out_->truncate(0);
  }
  try {
    if (!h5_) out_->append(csv_header(columns_));
  } catch (const FileError&) {
    if (!straight_) remove_quietly(part_);
    throw;
  }
}

ResultWriter::~ResultWriter() {
  if (!finished_ && !keep_ && !straight_ && out_) remove_quietly(part_);
}

void ResultWriter::row(std::span<const double> values) {
  assert(values.size() == columns_.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw NumericalError(fmt::format("{} is {}, which is not a finite number", columns_[i].header(), values[i]));
  if (h5_) {
    out_->append(values);
  } else {
    put_csv_row(values, line_);
    out_->append(line_);
  }
  ++rows_;
}

bool ResultWriter::flush_due() const { return std::chrono::steady_clock::now() - flushed_ >= flush_every_; }

// ---- checkpoints ----

void ResultWriter::flush(std::span<const std::byte> checkpoint) {
  out_->sync();
  if (!straight_) {
    const ResultCheckpoint now{columns_, about_, rows_, out_->length(), {checkpoint.begin(), checkpoint.end()}};
    write_atomically(checkpoint_, now.encode());
    keep_ = true;
  }
  flushed_ = std::chrono::steady_clock::now();
}

std::vector<std::byte> ResultWriter::continue_from_checkpoint() {
  ResultCheckpoint checkpoint = ResultCheckpoint::read(checkpoint_);
  const std::string difference = checkpoint.difference_to(columns_, about_);
  if (!difference.empty())
    throw FileError(fmt::format("cannot resume \"{}\": {}; a run can only be continued as it was begun",
                                given_.string(), difference));
  auto out = std::make_unique<OutputFile>(part_, OutputFile::Kind::reopen);
  if (out->length_on_disk() < checkpoint.length)
    throw FileError(fmt::format("cannot resume \"{}\": \"{}\" has {} bytes, and its checkpoint knows {}",
                                given_.string(), part_.string(), out->length_on_disk(), checkpoint.length));
  out->truncate(checkpoint.length);
  out_ = std::move(out);
  rows_ = checkpoint.rows;
  keep_ = true;
  return std::move(checkpoint.state);
}

ResumedResults ResultWriter::resume(const fs::path& file, std::vector<ResultColumn> columns, ResultAbout about,
                                    const ResultOptions& options) {
  ResumedResults result;
  result.writer.reset(new ResultWriter(Start::resume, file, std::move(columns), std::move(about), options));
  ResultWriter& writer = *result.writer;
  const auto fail = [&](const std::string& reason) {
    throw FileError(fmt::format("cannot resume \"{}\": {}", file.string(), reason));
  };
  std::error_code error;
  if (writer.straight_) fail("it is not a plain file");
  for (const fs::path& path : {writer.checkpoint_, writer.part_}) {
    if (fs::exists(path, error)) continue;
    fail(fs::exists(writer.file_, error) ? "that run has ended"
                                         : fmt::format("there is no \"{}\"; begin without --resume", path.string()));
  }
  writer.check_free(Start::resume);
  result.checkpoint = writer.continue_from_checkpoint();
  return result;
}

// ---- the end ----

void ResultWriter::finish_h5(const ResultAbout& additions) {
  ResultAbout about = about_;
  about.attributes.insert(about.attributes.end(), additions.attributes.begin(), additions.attributes.end());
  keep_last_of_each_name(about);
  refuse_zeros(given_, columns_, about);
  const fs::path temporary = part_.string() + ".tmp";
  const std::size_t row_size = columns_.size() * sizeof(double);
  try {
    write_h5(temporary, columns_, about, rows_, [&](std::size_t first, std::span<double> values) {
      out_->read(first * row_size, std::as_writable_bytes(values));
    });
    sync_file(temporary);
  } catch (...) {
    remove_quietly(temporary);
    throw;
  }
  rename_file(temporary, file_, force_);  // complete now: it stays, whatever stands in the way of its name
}

void ResultWriter::finish(const ResultAbout& additions) {
  out_->sync();
  if (h5_) finish_h5(additions);
  out_->close();
  if (!straight_ && !h5_) {
    keep_ = true;  // complete now: it stays, whatever stands in the way of its name
    rename_file(part_, file_, force_);
  }
  finished_ = true;
  if (straight_) return;
  remove_quietly(checkpoint_);
  remove_quietly(checkpoint_.string() + ".part");  // of a run that was killed while it wrote one
  if (h5_) remove_quietly(part_);
}

// ---- reading ----

std::optional<std::size_t> ResultTable::find(std::string_view name) const {
  const auto found =
      std::find_if(columns.begin(), columns.end(), [&](const auto& column) { return column.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<std::string> ResultTable::attribute(std::string_view name) const {
  for (const auto& [key, value] : attributes)
    if (key == name) return value;
  return std::nullopt;
}

ResultTable read_results(const fs::path& file) { return is_h5(file, "read") ? read_h5(file) : read_csv(file); }

}  // namespace tandem
