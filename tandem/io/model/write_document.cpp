#include "tandem/io/model/write_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tandem {

namespace {

using Kind = Node::Kind;

// In double quotes, for both formats.
std::string in_double_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += fmt::format("\\{}", c);
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out += fmt::format("\\u{:04X}", byte);
    else
      out += c;
  }
  return out + '"';
}

// The shortest that reads back as the same number. TOML has whole numbers without a sign of zero.
std::string number_text(double number) {
  return number == 0.0 ? (std::signbit(number) ? "-0.0" : "0") : fmt::format("{}", number);
}

std::string plain_value(const Node& node) {
  if (node.is(Kind::number)) return number_text(node.number);
  if (node.is(Kind::text)) return in_double_quotes(node.text);
  if (node.is(Kind::flag)) return node.flag ? "true" : "false";
  return "null";
}

bool is_list_of_tables(const Node& node) {
  return node.is(Kind::list) && !node.items.empty() &&
         std::all_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.is(Kind::table); });
}

// ---- TOML ----

std::string toml_key(const std::string& key) {
  constexpr std::string_view bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  return !key.empty() && key.find_first_not_of(bare) == std::string::npos ? key : in_double_quotes(key);
}

void put_toml_value(const Node& node, std::string& out) {
  if (node.is(Kind::list)) {
    // A row a line, where there are rows.
    const bool rows = node.items.size() > 1 && node.items[0].is(Kind::list);
    out += '[';
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) out += rows ? "," : ", ";
      if (rows) out += "\n  ";
      put_toml_value(node.items[i], out);
    }
    out += rows ? "\n]" : "]";
  } else if (node.is(Kind::table)) {
    out += '{';
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      out += (i > 0 ? ", " : " ") + toml_key(node.items[i].key) + " = ";
      put_toml_value(node.items[i], out);
    }
    out += node.items.empty() ? "}" : " }";
  } else {
    out += plain_value(node);
  }
}

// Values first, then tables of their own: a header ends the table before it.
void put_toml_table(const Node& table, const std::string& path, std::string& out) {
  const auto has_header = [&](const Node& item) {
    return is_list_of_tables(item) || (item.is(Kind::table) && path.empty());
  };
  for (const Node& item : table.items) {
    if (has_header(item)) continue;
    out += toml_key(item.key) + " = ";
    put_toml_value(item, out);
    out += '\n';
  }
  for (const Node& item : table.items) {
    if (!has_header(item)) continue;
    const std::string name = path.empty() ? toml_key(item.key) : path + "." + toml_key(item.key);
    if (item.is(Kind::table)) {
      out += fmt::format("\n[{}]\n", name);
      put_toml_table(item, name, out);
    } else {
      for (const Node& each : item.items) {
        out += fmt::format("\n[[{}]]\n", name);
        put_toml_table(each, name, out);
      }
    }
  }
}

// ---- JSON ----

void put_json_value(const Node& node, int indent, std::string& out) {
  if (!node.is(Kind::list) && !node.is(Kind::table)) {
    out += plain_value(node);
    return;
  }
  const bool table = node.is(Kind::table);
  const auto nests = [](const Node& item) { return item.is(Kind::list) || item.is(Kind::table); };
  const bool lines = indent == 0 || table || std::any_of(node.items.begin(), node.items.end(), nests);
  out += table ? '{' : '[';
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i > 0) out += lines ? "," : ", ";
    if (lines) out += '\n' + std::string(static_cast<std::size_t>(indent) + 2, ' ');
    if (table) out += in_double_quotes(node.items[i].key) + ": ";
    put_json_value(node.items[i], indent + 2, out);
  }
  if (lines && !node.items.empty()) out += '\n' + std::string(static_cast<std::size_t>(indent), ' ');
  out += table ? '}' : ']';
}

}  // namespace

std::string write_toml(const Node& root) {
  std::string out;
  put_toml_table(root, "", out);
  return out;
}

std::string write_json(const Node& root) {
  std::string out;
  put_json_value(root, 0, out);
  return out + '\n';
}

}  // namespace tandem
