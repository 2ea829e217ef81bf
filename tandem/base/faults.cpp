#include "tandem/base/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tandem {

FileName::FileName(const std::string& name) {
  if (!name.empty()) name_ = std::make_shared<const std::string>(name);
}

const std::string& FileName::text() const {
  static const std::string none;
  return name_ ? *name_ : none;
}

// Controls of one byte, of two (U+0080 to U+009F), and marks that turn the direction of writing (U+202A to U+202E,
// U+2066 to U+2069).
std::size_t unprintable(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
  return 0;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t hidden = unprintable(text);
    if (hidden == 1 && text[0] == '\n')
      out += "\\n";
    else if (hidden == 0)
      out += text[0];
    else
      for (const char c : text.substr(0, hidden)) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(std::max<std::size_t>(hidden, 1));
  }
  return out;
}

std::string not_this(double value) { return fmt::format(", not {}", value); }

std::string but_is(double value) { return fmt::format(", but is {}", value); }

std::string place_of(const Location& where) {
  if (where.line > 0) return fmt::format("{}:{}:{}: ", where.file.text(), where.line, where.column);
  return where.file.empty() ? "" : where.file.text() + ": ";
}

std::string Fault::text() const {
  const std::string who = object.empty() ? "" : object + ": ";
  return printable(fmt::format("{}{}: {}{}", place_of(where), warning ? "warning" : "error", who, message));
}

const Location* KeyPlaces::find(std::string_view key) const {
  if (!map_) return nullptr;
  const auto found = map_->find(key);
  return found == map_->end() ? nullptr : &found->second;
}

void KeyPlaces::set(const std::string& key, const Location& where) {
  if (!map_)
    map_ = std::make_shared<Map>();
  else if (map_.use_count() > 1)
    map_ = std::make_shared<Map>(*map_);
  (*map_)[key] = where;
}

// The list that an entry such as bodies[1] belongs to.
static std::string_view list_name(std::string_view key) { return key.substr(0, key.find('[')); }

const Location& Source::at(std::string_view key) const {
  const Location* found = keys.find(key);
  if (!found) found = keys.find(list_name(key));
  return found ? *found : where;
}

bool Source::is_refused(std::string_view key) const {
  return refused.contains(key) || refused.contains(list_name(key));
}

void Faults::finish(const std::string& file) {
  std::stable_sort(list_.begin(), list_.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.line, a.where.column) < std::tie(b.where.line, b.where.column);
  });
  if (is_full())
    list_.push_back({false, {file, 0, 0}, "", fmt::format("there are more errors; only {} are listed", most_kept)});
}

static std::string all_errors(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults.list())
    if (!fault.warning) text += (text.empty() ? "" : "\n") + fault.text();
  return text;
}

ModelError::ModelError(Faults faults) : std::runtime_error(all_errors(faults)), faults_(std::move(faults)) {}

}  // namespace tandem
