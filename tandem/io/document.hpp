// A text of tables, lists and values with the place of each: what the reader of model files works on.
//
// The TOML library is behind parse_document() and seen nowhere else.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/base/faults.hpp"

namespace tandem {

struct Node {
  enum class Kind { number, text, flag, list, table, other };

  Kind kind = Kind::other;
  Location where{};   // of the value
  std::string key{};  // when it stands in a table
  Location key_where{};
  double number = 0.0;
  bool flag = false;
  std::string text{};
  Location text_where{};      // of the first character inside the quotes; line 0 when the text spans lines
  std::vector<Node> items{};  // of a list or a table, in the order of the file
  KeyPlaces places{};         // of a table's keys, when they are to be remembered

  bool is(Kind wanted) const { return kind == wanted; }
  const Node* find(std::string_view wanted) const;
  const char* kind_name() const;  // for messages: "a number", "a list"
};

// Where the keys of a table stand; `bodies[1]` is the second entry of the list `bodies`.
KeyPlaces places_of(const Node& table);
void remember_places(Node& node);  // in all tables below: for a document that is read many times

// The table at the top; nothing when the text is not TOML, with the fault told.
std::optional<Node> parse_document(std::string_view text, const std::string& file_name, Faults& faults);

}  // namespace tandem
