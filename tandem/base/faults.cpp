#include "tandem/base/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tandem {

std::string Fault::text() const {
  std::string place;
  if (where.line > 0)
    place = fmt::format("{}:{}:{}: ", where.file, where.line, where.column);
  else if (!where.file.empty())
    place = where.file + ": ";
  const std::string who = object.empty() ? "" : object + ": ";
  return fmt::format("{}{}: {}{}", place, warning ? "warning" : "error", who, message);
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
    list_.push_back({false, {file, 0, 0}, "", fmt::format("there are more errors; only {} are told", most_kept)});
}

static std::string all_errors(const Faults& faults) {
  std::string text;
  for (const Fault& fault : faults.list())
    if (!fault.warning) text += (text.empty() ? "" : "\n") + fault.text();
  return text;
}

ModelError::ModelError(Faults faults) : std::runtime_error(all_errors(faults)), faults_(std::move(faults)) {}

}  // namespace tandem
