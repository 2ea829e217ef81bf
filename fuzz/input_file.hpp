// The bytes of the fuzzer as a file, for readers that take a path. It lives in memory.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>

namespace tandem::fuzz {

class InputFile {
 public:
  InputFile() {
    if (descriptor_ < 0) std::abort();
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(descriptor_); }

  std::string holding(std::span<const std::byte> bytes) const {
    if (ftruncate(descriptor_, 0) != 0 ||
        pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

 private:
  int descriptor_ = memfd_create("input", MFD_CLOEXEC);
};

}  // namespace tandem::fuzz
