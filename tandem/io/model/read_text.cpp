#include "tandem/io/model/read_text.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "tandem/base/faults.hpp"

namespace tandem {

// What is not a plain file, in words: it may never end, or wait for a writer that never comes.
static std::string not_plain(std::filesystem::file_type type) {
  using Type = std::filesystem::file_type;
  switch (type) {
    case Type::directory:
      return "it is a directory";
    case Type::fifo:
      return "it is a pipe; save the text in a file first";
    case Type::character:
    case Type::block:
      return "it is a device, not a file";
    case Type::socket:
      return "it is a socket, not a file";
    default:
      return "";
  }
}

std::string read_text(const std::filesystem::path& file, std::size_t limit, const std::string& option) {
  const auto trouble = [&](const std::string& reason) {
    return FileError(fmt::format("cannot read \"{}\": {}", file.string(), reason));
  };
  std::error_code ignored;
  if (const std::string reason = not_plain(std::filesystem::status(file, ignored).type()); !reason.empty())
    throw trouble(reason);
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  if (!in) throw trouble(std::generic_category().message(errno));
  // By pieces: the size of a file that somebody writes to, or that the system makes up, says nothing.
  std::string text, piece(std::size_t{1} << 16U, '\0');
  do {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit) throw trouble(fmt::format("it has more than {} bytes; allow more with {}", limit, option));
  } while (in);
  if (in.bad()) throw trouble("the file broke off");
  return text;
}

}  // namespace tandem
