#include "tandem/io/results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <system_error>

namespace tandem {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "doubles are stored with the lowest byte first");

static constexpr std::size_t buffer_size = 1U << 16U;

[[noreturn]] static void fail_to_write(const fs::path& path, int error = errno) {
  throw FileError(fmt::format("cannot write \"{}\": {}", path.string(), std::generic_category().message(error)));
}

std::optional<int> standard_descriptor(const fs::path& path) {
  const std::string text = path.string();
  if (text == "/dev/stdout") return STDOUT_FILENO;
  if (text == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!text.starts_with(folder)) continue;
    int number = -1;
    const auto [end, error] = std::from_chars(text.data() + folder.size(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) return number;
  }
  return std::nullopt;
}

// A copy of the descriptor shares its place in the file: what the program prints afterwards follows the results.
static int open_descriptor(const fs::path& path, OutputFile::Kind kind) {
  if (kind == OutputFile::Kind::straight) {
    const std::optional<int> standard = standard_descriptor(path);
    return standard ? ::fcntl(*standard, F_DUPFD_CLOEXEC, 0) : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  }
  const int create = kind == OutputFile::Kind::create ? O_CREAT : 0;
  return ::open(path.c_str(), O_RDWR | O_CLOEXEC | create, 0666);
}

OutputFile::OutputFile(fs::path path, Kind kind) : path_(std::move(path)) {
  buffer_.reserve(2 * buffer_size);
  descriptor_ = open_descriptor(path_, kind);
  if (descriptor_ < 0) fail();
  if (kind == Kind::straight) return;
  // A file system without locks is no reason to stop. Another run may also have renamed the file since it was opened.
  const bool taken = ::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat opened {};
  struct stat named {};
  const bool same = ::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 &&
                    opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  if (!taken && same) return;
  ::close(descriptor_);
  descriptor_ = -1;
  throw FileError(fmt::format("cannot write \"{}\": another run is writing it", path_.string()));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::fail() const { fail_to_write(path_); }

void OutputFile::truncate(std::uint64_t length) {
  buffer_.clear();
  if (::ftruncate(descriptor_, static_cast<off_t>(length)) != 0) fail();
  if (::lseek(descriptor_, static_cast<off_t>(length), SEEK_SET) < 0) fail();
  written_ = length;
}

void OutputFile::append(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffer_size) write_out();
}

void OutputFile::append(std::span<const double> values) {
  append(std::string_view(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
}

// What was written leaves the buffer also when the rest fails, so that the file never gets a piece twice.
void OutputFile::write_out() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      buffer_.erase(0, done);
      written_ += done;
      fail_to_write(path_, error);
    }
    done += static_cast<std::size_t>(count);
  }
  written_ += done;
  buffer_.clear();
}

// Pipes and devices have no disk.
static bool sync_descriptor(int descriptor) {
  return ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

void OutputFile::sync() {
  write_out();
  if (!sync_descriptor(descriptor_)) fail();
}

std::uint64_t OutputFile::length() const { return written_ + buffer_.size(); }

std::uint64_t OutputFile::length_on_disk() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail();
  return static_cast<std::uint64_t>(status.st_size);
}

void OutputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw FileError(fmt::format("cannot read \"{}\": {}", path_.string(),
                                  count < 0 ? std::generic_category().message(errno) : "it has become shorter"));
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void OutputFile::close() {
  write_out();
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0 && errno != EINTR) fail();
}

// ---- files as a whole ----

// A rename is safe only when the folder is on the disk too. Not every file system can do that.
static void sync_folder_of(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  sync_descriptor(descriptor);
  ::close(descriptor);
}

void sync_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail_to_write(path);
  const bool good = sync_descriptor(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (!good) fail_to_write(path, error);
}

void write_atomically(const fs::path& path, std::span<const std::byte> bytes, bool replace) {
  const fs::path temporary = path.string() + ".part";
  try {
    OutputFile file(temporary, OutputFile::Kind::create);
    file.truncate(0);
    file.append(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    file.sync();
    file.close();
    if (replace) rename_file(temporary, path, true);
  } catch (const FileError&) {
    std::error_code error;
    fs::remove(temporary, error);
    throw;
  }
  if (!replace) rename_file(temporary, path, false);  // complete: it stays, whatever stands in the way of its name
}

static bool is_straight(const fs::path& path) {
  std::error_code error;
  return standard_descriptor(path) || (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

void write_output(const fs::path& path, std::string_view text, bool force) {
  if (!is_straight(path) || fs::is_directory(path))
    return write_atomically(path, std::as_bytes(std::span(text)), force);
  OutputFile out(path, OutputFile::Kind::straight);
  out.append(text);
  out.write_out();
}

void require_output_place(const fs::path& path, bool force) {
  std::error_code error;
  const auto refuse = [&](const std::string& why) {
    throw FileError(fmt::format("cannot write \"{}\": {}", path.string(), why));
  };
  if (fs::is_directory(path, error)) refuse("it is a folder");
  if (is_straight(path)) return;
  const fs::path folder = path.parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) refuse("there is no such folder");
  if (!force && fs::exists(path, error)) refuse("it exists already; choose another name, or replace it with --force");
}

// Without a gap between looking and taking the name, where the system can do that.
static int rename_to_new_name(const fs::path& from, const fs::path& to) {
#ifdef RENAME_NOREPLACE
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
#endif
  std::error_code error;
  if (fs::exists(to, error)) {
    errno = EEXIST;
    return -1;
  }
  return ::rename(from.c_str(), to.c_str());
}

void rename_file(const fs::path& from, const fs::path& to, bool replace) {
  const int result = replace ? ::rename(from.c_str(), to.c_str()) : rename_to_new_name(from, to);
  if (result != 0 && !replace && errno == EEXIST)
    throw FileError(fmt::format("cannot write \"{}\": it has appeared since the run began; the results are in \"{}\"",
                                to.string(), from.string()));
  if (result != 0) fail_to_write(to);
  sync_folder_of(to);
}

}  // namespace tandem
