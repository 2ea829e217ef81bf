// The bytes of the fuzzer as a file, for readers that take a path. A file with a name: HDF5 asks where it really is.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>

namespace tandem::fuzz {

class InputFile {
 public:
  InputFile()
      : path_((std::filesystem::temp_directory_path() / "tandem-fuzz-XXXXXX").string()),
        descriptor_(mkstemp(path_.data())) {
    if (descriptor_ < 0) std::abort();
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() {
    close(descriptor_);
    unlink(path_.c_str());
  }

  const std::string& holding(std::span<const std::byte> bytes) const {
    if (ftruncate(descriptor_, 0) != 0 ||
        pwrite(descriptor_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
      std::abort();
    return path_;
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace tandem::fuzz
