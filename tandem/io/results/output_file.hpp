// A file that is written to its end, piece by piece, and safely: every failure is a FileError that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tandem/base/faults.hpp"

namespace tandem {

class OutputFile {
 public:
  enum class Kind {
    create,    // a plain file; what it held stays until truncate()
    reopen,    // a plain file that must be there already
    straight,  // a pipe or a device
  };
  // Locks a plain file, so that two runs never write the same one.
  OutputFile(std::filesystem::path path, Kind kind);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void truncate(std::uint64_t length);  // and go on from there
  void append(std::string_view text);   // kept in a buffer, which is written when it is full
  void append(std::span<const double> values);
  void write_out();                      // the buffer to the file
  void sync();                           // the buffer to the disk
  std::uint64_t length() const;          // with the buffer
  std::uint64_t length_on_disk() const;  // as the file system tells it
  void read(std::uint64_t offset, std::span<std::byte> bytes) const;
  void close();
  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t written_ = 0;
  std::string buffer_;
};

// The open file that a name such as /dev/stdout or /dev/fd/3 stands for.
std::optional<int> standard_descriptor(const std::filesystem::path& path);

// `path` holds either what it held before or all of the bytes, whatever happens in between: they are written to
// FILE.part, which is renamed. Without `replace` a file that has appeared meanwhile keeps its name.
void write_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes, bool replace = true);

// One rule for every file that a command is asked to write: it is there as a whole or not at all, and what was there
// before is replaced with `force` only. Pipes and devices are written straight.
void write_output(const std::filesystem::path& path, std::string_view text, bool force);
// Throws FileError, with what to do, where that would be refused; before the work that leads to it.
void require_output_place(const std::filesystem::path& path, bool force);

// Gives a finished file its real name; `replace` says whether another one may lose that name.
void rename_file(const std::filesystem::path& from, const std::filesystem::path& to, bool replace);
void sync_file(const std::filesystem::path& path);  // the content of a closed file to the disk

}  // namespace tandem
