#include "tandem/io/model/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

// The library asserts, and in a release build assumes, what a text such as "[/]" does not keep; right after it finds
// the error by itself. So its assertions are taken out, in every build.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "tandem/io/model/toml_scan.hpp"
#include "tandem/io/model/within_limits.hpp"

namespace tandem {

static_assert(TOML_MAX_NESTED_VALUES == deepest_value);

const Node* Node::find(std::string_view wanted) const {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Node& item) { return item.key == wanted; });
  return found == items.end() ? nullptr : &*found;
}

const char* Node::kind_name() const {
  switch (kind) {
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::flag:
      return "true or false";
    case Kind::list:
      return "a list";
    case Kind::table:
      return "a table";
    case Kind::null:
      return "null";
    case Kind::date:
      break;
  }
  return "a date or time";
}

namespace {

class Converter {
 public:
  Converter(std::string_view text, const std::string& file) : file_(file) {
    for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
      end = text.find('\n', at);
      const std::string_view line = text.substr(at, end - at);
      has_long_quotes_.push_back(line.find("\"\"\"") != std::string_view::npos ||
                                 line.find("'''") != std::string_view::npos);
    }
  }

  Node convert(const toml::node& in) const {
    Node out;
    out.where = place(in.source());
    if (const auto* table = in.as_table()) {
      out.kind = Node::Kind::table;
      for (auto&& [key, value] : *table) {
        out.items.push_back(convert(value));
        out.items.back().key = key.str();
        out.items.back().key_where = place(key.source());
      }
      // The library sorts by name; the file's order is the one that people know.
      std::stable_sort(out.items.begin(), out.items.end(), [](const Node& a, const Node& b) {
        return std::tie(a.key_where.line, a.key_where.column) < std::tie(b.key_where.line, b.key_where.column);
      });
    } else if (const auto* list = in.as_array()) {
      out.kind = Node::Kind::list;
      for (const toml::node& item : *list) out.items.push_back(convert(item));
    } else {
      convert_value(in, out);
    }
    return out;
  }

 private:
  void convert_value(const toml::node& in, Node& out) const {
    if (in.is_number()) {
      out.kind = Node::Kind::number;
      // Not value<double>(): it is empty for whole numbers above 2^53.
      out.number = in.is_integer() ? static_cast<double>(in.as_integer()->get()) : in.as_floating_point()->get();
    } else if (const auto* text = in.as_string()) {
      out.kind = Node::Kind::text;
      out.text = text->get();
      if (!may_span_lines(out.where)) out.text_where = {file_, out.where.line, out.where.column + 1};
    } else if (const auto* flag = in.as_boolean()) {
      out.kind = Node::Kind::flag;
      out.flag = flag->get();
    } else {
      out.kind = Node::Kind::date;
    }
  }

  Location place(const toml::source_region& region) const {
    return {file_, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }

  // Whether the text at this place may be opened by three quotes: there are such on its line.
  bool may_span_lines(const Location& where) const {
    return has_long_quotes_[static_cast<std::size_t>(where.line - 1)];
  }

  FileName file_;
  std::vector<bool> has_long_quotes_;  // a line
};

// A syntax error that the library found, in words that help whoever writes a model.
class TomlTrouble {
 public:
  TomlTrouble(std::string_view text, const std::vector<int>& in_texts, const toml::parse_error& error)
      : line(static_cast<int>(error.source().begin.line)),
        column(static_cast<int>(error.source().begin.column)),
        description_(error.description()) {
    for (std::size_t at = 0, end = 0; end != std::string_view::npos; at = end + 1) {
      end = text.find('\n', at);
      if (static_cast<int>(lines_.size()) < line) lines_.push_back(text.substr(at, end - at));
    }
    for (const int inside : in_texts)  // such a line says nothing about keys and tables
      if (inside < line) lines_[static_cast<std::size_t>(inside - 1)] = {};
    constexpr std::string_view preamble = "Error while parsing ";
    if (description_.starts_with(preamble)) description_.remove_prefix(preamble.size());
    message = in_words();
  }

  int line, column;
  std::string message;

 private:
  bool says(std::string_view words) const { return description_.find(words) != std::string_view::npos; }

  std::string in_words() {
    if (says("maximum nested value depth")) return too_deep();
    if (says("cannot redefine existing") && !says(" as ")) return given_twice();
    return fmt::format("this is not TOML: {}{}", description_, hint());
  }

  // What a syntax error is most often about in a model file.
  std::string hint() const {
    if (says("not representable in 64 bits")) return "; write large numbers with an exponent, such as 1.5e20";
    if (says("boolean: expected '")) {
      const std::string word = word_here();
      if (word == "true" || word == "false") return "; write " + word;
    }
    if (says("expected a comment or whitespace, saw ','")) return "; a decimal point is written \".\"";
    for (const std::string_view kind : {"value: ", "decimal integer: ", "floating-point: ", "boolean: ", "date", "time",
                                        "key-value pair: expected a"})
      if (description_.starts_with(kind))
        return "; text and expressions such as \"w/2\" go in quotes, and numbers look like 0.5, 2 or 1e-3";
    return "";
  }

  // In small letters.
  std::string word_here() const {
    std::string word;
    for (char c : lines_.back().substr(std::min(static_cast<std::size_t>(column - 1), lines_.back().size()))) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      if (c < 'a' || c > 'z') break;
      word += c;
    }
    return word;
  }

  std::string given_twice() {
    const std::size_t end = description_.rfind('\''), begin = description_.rfind('\'', end - 1) + 1;
    const std::string path(description_.substr(begin, end - begin));
    if (description_.starts_with("table header"))
      return fmt::format("the table [{}] is given twice{}", path, where_already("[" + path, "]", ""));
    const std::string key = path.substr(path.rfind('.') + 1);
    std::string already = where_already(path, "=", "[");
    if (already.empty()) already = where_already(key, "=", "[");
    const std::size_t first = lines_.back().find_first_not_of(" \t");
    if (!already.empty()) column = static_cast<int>(first) + 1;
    return fmt::format("the key \"{}\" is given twice{}", key, already);
  }

  // The nearest line above that begins with these words, with nothing but blanks between them; up to a line that begins
  // with `border`.
  std::string where_already(std::string_view word, std::string_view next, std::string_view border) const {
    const auto after_blanks = [](std::string_view from) {
      return from.substr(std::min(from.find_first_not_of(" \t"), from.size()));
    };
    for (std::size_t i = lines_.size() - 1; i-- > 0;) {
      const std::string_view content = after_blanks(lines_[i]);
      if (content.starts_with(word) && after_blanks(content.substr(word.size())).starts_with(next))
        return fmt::format("; it stands in line {} already", i + 1);
      if (!border.empty() && content.starts_with(border)) break;
    }
    return "";
  }

  std::string_view description_;
  std::vector<std::string_view> lines_;  // up to the one at fault; empty where a text goes on
};

}  // namespace

std::optional<Node> parse_toml(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                               Faults& faults) {
  std::vector<int> in_texts;
  if (!scan_toml(text, file_name, limits, faults, in_texts)) return std::nullopt;
  const toml::parse_result result = toml::parse(text, file_name);
  if (result) return Converter(text, file_name).convert(result.table());
  const TomlTrouble trouble(text, in_texts, result.error());
  faults.about("", {file_name, trouble.line, trouble.column});
  faults.error(trouble.message);
  return std::nullopt;
}

KeyPlaces places_of(const Node& table) {
  if (!table.places.empty()) return table.places;
  KeyPlaces places;
  for (const Node& item : table.items) {
    places.set(item.key, item.where);
    if (!item.is(Node::Kind::list)) continue;
    for (std::size_t i = 0; i < item.items.size(); ++i)
      places.set(fmt::format("{}[{}]", item.key, i), item.items[i].where);
  }
  return places;
}

void remember_places(Node& node) {
  if (node.is(Node::Kind::table)) node.places = places_of(node);
  for (Node& item : node.items) remember_places(item);
}

std::string too_deep() {
  return fmt::format("lists and tables are more than {} deep inside each other; a model has no use for that",
                     deepest_value);
}

bool is_json(std::string_view text, const std::string& file_name) {
  if (file_name.ends_with(".json")) return true;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

std::optional<Node> parse_document(std::string_view text, const std::string& file_name, const ReadLimits& limits,
                                   Faults& faults) {
  std::optional<Node> root = is_json(text, file_name) ? parse_json(text, file_name, limits, faults)
                                                      : parse_toml(text, file_name, limits, faults);
  if (root && !within_limits(*root, limits, faults)) return std::nullopt;
  return root;
}

}  // namespace tandem
