#include "tandem/io/model/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tandem/base/suggest.hpp"

namespace tandem {

TableReader::TableReader(const Node& table, const Parameters& parameters, Faults& faults)
    : table_(table), parameters_(parameters), faults_(faults) {
  source_.where = table.where;
  source_.keys = places_of(table);
  for (const Node& item : table.items)
    if (item.at_fault) refuse(item.key);
}

const Node* TableReader::find(std::string_view key) {
  if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
  return table_.find(key);
}

// The unit and an example, of keys that are often missing.
static std::string example_of(std::string_view key) {
  constexpr std::array<std::array<std::string_view, 2>, 9> known{{
      {"radius", "it is in metres: radius = 0.3"},
      {"length", "it is in metres: length = 0.5"},
      {"size", "it is in metres: size = [0.3, 0.2, 0.1]"},
      {"semi_axes", "they are in metres: semi_axes = [0.2, 0.03, 0.02]"},
      {"pitch", "it is in metres per radian: pitch = 0.01"},
      {"frequency", "it is in hertz: frequency = 5"},
      {"speed", "it is in radians or metres per second: speed = 2"},
      {"duration", "it is in seconds: duration = 1"},
      {"bodies", "name them: bodies = [\"world\", \"NAME\"]"},
  }};
  for (const auto& [name, example] : known)
    if (name == key) return "; " + std::string(example);
  return "";
}

const Node* TableReader::require(std::string_view key) {
  const Node* node = find(key);
  if (!node) fault(key, fmt::format("{} is missing{}", key, example_of(key)));
  return node;
}

void TableReader::fault(std::string_view key, std::string message) {
  const std::string_view whole = key.substr(0, key.find('['));  // a list is refused with its entry
  if (source_.keys.contains(whole)) return fault_at(source_.at(key), whole, std::move(message));
  missing_.emplace_back(whole, std::move(message));
  refuse(whole);
}

void TableReader::finish(bool all_keys_asked) {
  if (all_keys_asked) refuse_unknown_keys();
  for (const auto& [key, message] : missing_) faults_.error_at(source_.where, message);
  missing_.clear();
}

void TableReader::fault_at(const Location& where, std::string_view key, std::string message) {
  faults_.error_at(where, std::move(message));
  refuse(key);
}

void TableReader::also_known_as(std::string_view given, std::string_view key) {
  const Location* found = source_.keys.find(given);
  if (found && !source_.keys.contains(key)) source_.keys.set(std::string(key), Location(*found));
  if (source_.refused.contains(given)) refuse(key);
}

void TableReader::refuse_unknown_keys() {
  for (const Node& item : table_.items) {
    if (std::find(asked_.begin(), asked_.end(), item.key) != asked_.end()) continue;
    const std::optional<std::string> meant = closest(item.key, asked_);
    const std::string hint = meant ? did_you_mean(item.key, asked_) : "; known here are " + list_of(asked_);
    faults_.error_at(item.key_where, fmt::format("unknown key \"{}\"{}", item.key, hint));
    // What was meant is then not missing in truth.
    if (meant) std::erase_if(missing_, [&](const auto& entry) { return entry.first == *meant; });
    refuse(meant ? *meant : item.key);
  }
}

// ---- single values ----

std::optional<Real> TableReader::optional_number(std::string_view key) {
  const Node* node = find(key);
  if (!node) return std::nullopt;
  const std::optional<Real> value = parameters_.number(*node, key, faults_);
  if (!value) refuse(key);
  return value;
}

Real TableReader::number(std::string_view key) { return require(key) ? optional_number(key).value_or(0.0) : 0.0; }

Real TableReader::number(std::string_view key, Real otherwise) { return optional_number(key).value_or(otherwise); }

std::optional<std::string> TableReader::text_of(const Node& node, std::string_view key) {
  if (node.is(Node::Kind::text)) return node.text;
  fault_at(node.where, key, fmt::format("{} must be a text in quotes, not {}", key, node.kind_name()));
  return std::nullopt;
}

std::string TableReader::text(std::string_view key) { return require(key) ? text(key, "") : ""; }

std::string TableReader::text(std::string_view key, std::string otherwise) {
  const Node* node = find(key);
  return node ? text_of(*node, key).value_or(std::move(otherwise)) : otherwise;
}

bool TableReader::flag(std::string_view key, bool otherwise) {
  const Node* node = find(key);
  if (!node) return otherwise;
  if (node->is(Node::Kind::flag)) return node->flag;
  fault(key, fmt::format("{} must be true or false, not {}", key, node->kind_name()));
  return otherwise;
}

std::optional<TimeFunction> TableReader::function_if_given(std::string_view key) {
  const Node* node = find(key);
  if (!node) return std::nullopt;
  std::optional<TimeFunction> value = parameters_.function(*node, key, faults_);
  if (!value) refuse(key);
  return value;
}

TimeFunction TableReader::function(std::string_view key, Real otherwise) {
  return function_if_given(key).value_or(TimeFunction(otherwise));
}

// ---- lists ----

const Node* TableReader::find_list(std::string_view key) {
  const Node* node = require(key);
  if (!node || node->is(Node::Kind::list)) return node;
  fault(key, fmt::format("{} must be a list in brackets, not {}", key, node->kind_name()));
  return nullptr;
}

std::optional<std::vector<Real>> TableReader::numbers_of(const Node& list, std::string_view key,
                                                         std::string_view label) {
  if (!list.is(Node::Kind::list)) {
    fault_at(list.where, key, fmt::format("{} must be a list of numbers, not {}", label, list.kind_name()));
    return std::nullopt;
  }
  std::vector<Real> result;
  bool good = true;
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const std::optional<Real> value = parameters_.number(list.items[i], fmt::format("{}[{}]", label, i), faults_);
    good = good && value.has_value();
    result.push_back(value.value_or(0.0));
  }
  if (good) return result;
  refuse(key);
  return std::nullopt;
}

std::optional<Vector3> TableReader::vector_of(const Node& node, std::string_view key, std::string_view label) {
  if (!node.is(Node::Kind::list) || node.items.size() != 3) {
    const std::string seen =
        node.is(Node::Kind::list) ? fmt::format("{} entries", node.items.size()) : node.kind_name();
    fault_at(node.where, key, fmt::format("{} must be three numbers [x, y, z], not {}", label, seen));
    return std::nullopt;
  }
  const auto values = numbers_of(node, key, label);
  return values ? std::optional<Vector3>(Vector3((*values)[0], (*values)[1], (*values)[2])) : std::nullopt;
}

std::optional<Vector3> TableReader::optional_vector(std::string_view key) {
  const Node* node = find(key);
  return node ? vector_of(*node, key, key) : std::nullopt;
}

Vector3 TableReader::vector(std::string_view key) {
  return require(key) ? vector(key, Vector3::Zero()) : Vector3(Vector3::Zero());
}

Vector3 TableReader::vector(std::string_view key, const Vector3& otherwise) {
  return optional_vector(key).value_or(otherwise);
}

std::vector<Vector3> TableReader::vectors(std::string_view key) {
  std::vector<Vector3> result;
  const Node* list = find(key) ? find_list(key) : nullptr;
  if (!list) return result;
  for (std::size_t i = 0; i < list->items.size(); ++i)
    if (const auto vector = vector_of(list->items[i], key, fmt::format("{}[{}]", key, i))) result.push_back(*vector);
  return result;
}

std::vector<Real> TableReader::numbers(std::string_view key) {
  const Node* list = find_list(key);
  return list ? numbers_of(*list, key, key).value_or(std::vector<Real>()) : std::vector<Real>();
}

std::vector<std::vector<Real>> TableReader::table(std::string_view key) {
  std::vector<std::vector<Real>> rows;
  const Node* list = find_list(key);
  if (!list) return rows;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const auto row = numbers_of(list->items[i], key, fmt::format("{}[{}]", key, i));
    rows.push_back(row.value_or(std::vector<Real>()));
  }
  if (source_.is_refused(key)) rows.clear();  // half a table would only give rise to more faults
  return rows;
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  std::vector<std::string> result;
  const Node* list = find_list(key);
  if (!list) return result;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    const Node& item = list->items[i];
    if (!item.is(Node::Kind::text))
      fault_at(item.where, fmt::format("{}[{}]", key, i),
               fmt::format("{}[{}] must be a text in quotes, not {}", key, i, item.kind_name()));
    result.push_back(item.text);
  }
  return result;
}

std::array<TimeFunction, 3> TableReader::vector_function(std::string_view key) {
  std::array<TimeFunction, 3> result;
  const Node* list = find_list(key);
  if (!list) return result;
  if (list->items.size() != 3) {
    fault(key, fmt::format("{} must be three numbers [x, y, z], not {} entries", key, list->items.size()));
    return result;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const auto value = parameters_.function(list->items[i], fmt::format("{}[{}]", key, i), faults_);
    if (!value) refuse(key);
    result[i] = value.value_or(TimeFunction());
  }
  return result;
}

}  // namespace tandem
