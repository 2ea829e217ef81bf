#include "tandem/io/results/whole_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

#include "tandem/base/faults.hpp"

namespace tandem {

std::string whole_text(const std::filesystem::path& file) {
  const auto fail = [&](int error) {
    throw FileError(fmt::format("cannot read \"{}\": {}", file.string(), std::generic_category().message(error)));
  };
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) fail(EISDIR);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) fail(errno);
  std::stringstream text;
  text << in.rdbuf();
  if (in.bad()) fail(EIO);
  return std::move(text).str();
}

}  // namespace tandem
