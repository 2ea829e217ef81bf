#include "tandem/io/results/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tandem/io/results/checksum.hpp"

namespace tandem {

// magic, version, items, checksum of all before it
static constexpr std::string_view magic = "tandem checkpoint\n";
static constexpr std::size_t head_size = magic.size() + 8, checksum_size = 8;

// Words are stored with the lowest byte first on every machine.
static void put_word(std::vector<std::byte>& bytes, std::uint64_t value) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xffU));
}

static std::uint64_t word_at(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
  return value;
}

static std::uint64_t checksum(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

static std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// ---- writing ----

CheckpointWriter::CheckpointWriter(std::uint32_t version) {
  const auto head = bytes_of(magic);
  bytes_.assign(head.begin(), head.end());
  word(version);
}

void CheckpointWriter::kind(char letter) { bytes_.push_back(static_cast<std::byte>(letter)); }

void CheckpointWriter::word(std::uint64_t value) { put_word(bytes_, value); }

void CheckpointWriter::number(double value) {
  kind('n');
  word(std::bit_cast<std::uint64_t>(value));
}

void CheckpointWriter::integer(std::int64_t value) {
  kind('i');
  word(static_cast<std::uint64_t>(value));
}

void CheckpointWriter::text(std::string_view value) {
  kind('t');
  word(value.size());
  const auto data = bytes_of(value);
  bytes_.insert(bytes_.end(), data.begin(), data.end());
}

void CheckpointWriter::numbers(std::span<const double> values) {
  kind('N');
  word(values.size());
  for (const double value : values) word(std::bit_cast<std::uint64_t>(value));
}

void CheckpointWriter::integers(std::span<const std::int64_t> values) {
  kind('I');
  word(values.size());
  for (const std::int64_t value : values) word(static_cast<std::uint64_t>(value));
}

void CheckpointWriter::bytes(std::span<const std::byte> values) {
  kind('b');
  word(values.size());
  bytes_.insert(bytes_.end(), values.begin(), values.end());
}

std::vector<std::byte> CheckpointWriter::finish() {
  word(checksum(bytes_));
  return std::move(bytes_);
}

// ---- reading ----

CheckpointReader::CheckpointReader(std::span<const std::byte> bytes, std::uint32_t version, std::string file)
    : rest_(bytes), file_(std::move(file)) {
  const auto head = bytes_of(magic);
  if (bytes.size() < head.size() || !std::equal(head.begin(), head.end(), bytes.begin()))
    fail("it is not a checkpoint of Tandem");
  if (bytes.size() < head_size + checksum_size) fail("it is damaged: its end is missing");
  const std::size_t checked = bytes.size() - checksum_size;
  if (word_at(bytes.subspan(checked)) != checksum(bytes.first(checked)))
    fail("it is damaged: its checksum does not match");
  const std::uint64_t written = word_at(bytes.subspan(head.size()));
  if (written != version)
    fail(fmt::format("it is a checkpoint of format {}, and this version of Tandem reads format {}", written, version));
  rest_ = bytes.subspan(head_size, checked - head_size);
}

void CheckpointReader::fail(std::string_view reason) const {
  throw FileError(fmt::format("cannot read \"{}\": {}", file_, reason));
}

void CheckpointReader::kind(char letter, std::string_view name) {
  if (rest_.empty()) fail(fmt::format("it ends where {} should follow", name));
  if (rest_.front() != static_cast<std::byte>(letter)) fail(fmt::format("it holds something else than {}", name));
  rest_ = rest_.subspan(1);
}

std::uint64_t CheckpointReader::word() {
  if (rest_.size() < 8) fail("it ends within an item");
  const std::uint64_t value = word_at(rest_);
  rest_ = rest_.subspan(8);
  return value;
}

std::size_t CheckpointReader::count(std::size_t size) {
  const std::uint64_t value = word();
  if (value > rest_.size() / size) fail("it ends within an item");
  return static_cast<std::size_t>(value);
}

double CheckpointReader::number() {
  kind('n', "a number");
  return std::bit_cast<double>(word());
}

std::int64_t CheckpointReader::integer() {
  kind('i', "an integer");
  return static_cast<std::int64_t>(word());
}

std::string CheckpointReader::text() {
  kind('t', "a text");
  const std::size_t size = count(1);
  std::string value(size, '\0');
  std::transform(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(size), value.begin(),
                 [](std::byte byte) { return static_cast<char>(byte); });
  rest_ = rest_.subspan(size);
  return value;
}

std::vector<double> CheckpointReader::numbers() {
  kind('N', "a list of numbers");
  std::vector<double> values(count(8));
  for (double& value : values) value = std::bit_cast<double>(word());
  return values;
}

void CheckpointReader::numbers(std::span<double> values) {
  const std::vector<double> read = numbers();
  if (read.size() != values.size())
    fail(fmt::format("it holds a list of {} numbers where {} are needed", read.size(), values.size()));
  std::copy(read.begin(), read.end(), values.begin());
}

std::vector<std::int64_t> CheckpointReader::integers() {
  kind('I', "a list of integers");
  std::vector<std::int64_t> values(count(8));
  for (std::int64_t& value : values) value = static_cast<std::int64_t>(word());
  return values;
}

std::vector<std::byte> CheckpointReader::bytes() {
  kind('b', "bytes");
  const std::size_t size = count(1);
  const std::span<const std::byte> data = rest_.first(size);
  rest_ = rest_.subspan(size);
  return {data.begin(), data.end()};
}

void CheckpointReader::finish() {
  if (!rest_.empty()) fail("it holds more than is known");
}

}  // namespace tandem
