// A text of tables, lists and values with the place of each: what the reader of model files works on. The text is TOML
// or JSON; the two have the same structure.
//
// The TOML library is behind parse_toml() and seen nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/limits.hpp"

namespace tandem {

struct Node {
  enum class Kind { number, text, flag, list, table, null, date };

  Kind kind = Kind::null;
  Location where{};   // of the value
  std::string key{};  // when it stands in a table
  Location key_where{};
  double number = 0.0;
  bool flag = false;
  std::string text{};
  Location text_where{};      // of the first character inside the quotes; line 0 when the text spans lines
  bool at_fault = false;      // told already
  std::vector<Node> items{};  // of a list or a table, in the order of the file
  KeyPlaces places{};         // of a table's keys, when they are to be remembered

  bool is(Kind wanted) const { return kind == wanted; }
  const Node* find(std::string_view wanted) const;
  const char* kind_name() const;  // for messages: "a number", "a list"
};

// Where the keys of a table stand; `bodies[1]` is the second entry of the list `bodies`.
KeyPlaces places_of(const Node& table);
void remember_places(Node& node);  // in all tables below: for a document that is read many times

// Whether the text is to be read as JSON: by the ending of the file, or because it begins as no TOML can, with "{".
bool is_json(std::string_view text, const std::string& file_name);

// The table at the top; nothing when the text is neither TOML nor JSON or is beyond the limits, with the fault told.
std::optional<Node> parse_document(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                                   Faults& faults);
std::optional<Node> parse_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                               Faults& faults);  // document.cpp
std::optional<Node> parse_json(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                               Faults& faults);  // json_document.cpp

// Values inside each other, in a file of any kind.
inline constexpr int deepest_value = 32;
std::string too_deep();  // the message

}  // namespace tandem
