// Checkpoints: numbers and texts to bytes and back, bit for bit. The bytes begin with a magic and a version and end
// with a checksum; every item carries its kind, so that a reader that expects another one is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"

namespace tandem {

class CheckpointWriter {
 public:
  // `version` is the caller's own: raise it when the list of items changes.
  explicit CheckpointWriter(std::uint32_t version);
  void number(double value);
  void integer(std::int64_t value);
  void text(std::string_view value);
  void numbers(std::span<const double> values);
  void integers(std::span<const std::int64_t> values);
  void bytes(std::span<const std::byte> values);
  std::vector<std::byte> finish();  // the bytes with their checksum; call once, at the end

 private:
  void kind(char letter);
  void word(std::uint64_t value);

  std::vector<std::byte> bytes_;
};

// Reads the items in the order in which they were written. Throws FileError, which names `file`, when the bytes are no
// checkpoint, are damaged, are of another version or hold another item than the one asked for.
class CheckpointReader {
 public:
  CheckpointReader(std::span<const std::byte> bytes, std::uint32_t version, std::string file);
  double number();
  std::int64_t integer();
  std::string text();
  std::vector<double> numbers();
  void numbers(std::span<double> values);  // exactly as many as there is room for
  std::vector<std::int64_t> integers();
  std::vector<std::byte> bytes();
  void finish();  // nothing may be left

 private:
  void kind(char letter, std::string_view name);
  std::uint64_t word();
  std::size_t count(std::size_t size);  // of items of `size` bytes that follow
  [[noreturn]] void fail(std::string_view reason) const;

  std::span<const std::byte> rest_;
  std::string file_;
};

}  // namespace tandem
