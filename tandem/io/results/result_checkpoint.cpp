#include "tandem/io/results/result_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tandem/io/results/checkpoint.hpp"
#include "tandem/io/results/whole_text.hpp"

namespace tandem {

std::vector<std::byte> ResultCheckpoint::encode() const {
  CheckpointWriter writer(checkpoint_format);
  writer.integer(static_cast<std::int64_t>(columns.size()));
  for (const ResultColumn& column : columns) {
    writer.text(column.name);
    writer.text(column.unit);
  }
  writer.integer(static_cast<std::int64_t>(about.attributes.size()));
  for (const auto& [name, value] : about.attributes) {
    writer.text(name);
    writer.text(value);
  }
  writer.integer(static_cast<std::int64_t>(rows));
  writer.integer(static_cast<std::int64_t>(length));
  writer.bytes(state);
  return writer.finish();
}

ResultCheckpoint ResultCheckpoint::read(const std::filesystem::path& file) {
  const std::string text = whole_text(file);
  CheckpointReader reader(std::as_bytes(std::span(text)), checkpoint_format, file.string());
  ResultCheckpoint result;
  for (std::int64_t i = reader.integer(); i > 0; --i) {
    std::string name = reader.text();
    result.columns.push_back({std::move(name), reader.text()});
  }
  for (std::int64_t i = reader.integer(); i > 0; --i) {
    std::string name = reader.text();
    result.about.attributes.emplace_back(std::move(name), reader.text());
  }
  result.rows = static_cast<std::size_t>(reader.integer());
  result.length = static_cast<std::uint64_t>(reader.integer());
  result.state = reader.bytes();
  reader.finish();
  return result;
}

// Where two texts differ, in words.
static std::string difference(const std::string& now, const std::string& before) {
  const auto is_short = [](const std::string& text) {
    return text.size() <= 60 && text.find('\n') == std::string::npos;
  };
  if (is_short(now) && is_short(before)) return fmt::format("is \"{}\", and was \"{}\"", now, before);
  const auto at = std::mismatch(now.begin(), now.end(), before.begin(), before.end()).first;
  return fmt::format("differs from line {} on", 1 + std::count(now.begin(), at, '\n'));
}

static const std::string* find(const ResultAbout& about, const std::string& name) {
  for (const auto& [key, value] : about.attributes)
    if (key == name) return &value;
  return nullptr;
}

std::string ResultCheckpoint::difference_to(const std::vector<ResultColumn>& now, const ResultAbout& about_now) const {
  for (const auto& [name, value] : about_now.attributes) {
    const std::string* before = find(about, name);
    if (before == nullptr) return fmt::format("\"{}\" is new", name);
    if (*before != value) return fmt::format("\"{}\" {}", name, difference(value, *before));
  }
  for (const auto& [name, value] : about.attributes)
    if (find(about_now, name) == nullptr) return fmt::format("\"{}\" is no longer given", name);
  for (std::size_t i = 0; i < std::min(columns.size(), now.size()); ++i)
    if (columns[i] != now[i])
      return fmt::format("column {} {}", i + 1, difference(now[i].header(), columns[i].header()));
  if (columns.size() != now.size()) return fmt::format("there are {} columns, and were {}", now.size(), columns.size());
  return "";
}

}  // namespace tandem
