// FNV-1a, 64 bits: a number that changes when any byte of a file changes. Against accidents, not against malice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tandem {

class Checksum {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  // With an end of its own, so that no two lists of texts are the same bytes.
  void add(std::string_view text) {
    add(std::as_bytes(std::span(text)));
    add(std::span(&end_, 1));
  }
  std::uint64_t value() const { return value_; }

 private:
  static constexpr std::byte end_{0};
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace tandem
