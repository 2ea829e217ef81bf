#include "tandem/io/model/within_limits.hpp"

#include <fmt/format.h>

#include "tandem/io/model/utf8.hpp"

namespace tandem {

namespace {

// Only a text that is no name may span lines.
void refuse_controls(const Node& node, Faults& faults) {
  const bool is_name = node.key == "name";
  for (std::string_view rest = node.text; !rest.empty(); rest.remove_prefix(1)) {
    const std::size_t bytes = unprintable(rest);
    if (bytes == 0 || (!is_name && (rest[0] == '\n' || rest[0] == '\r' || rest[0] == '\t'))) continue;
    return faults.error_at(node.where, fmt::format("this {} holds a control character (U+{:04X}); leave it out",
                                                   is_name ? "name" : "text", utf8_code(rest.substr(0, bytes))));
  }
}

void check_text(const Node& node, const ReadLimits& limits, Faults& faults) {
  const bool is_name = node.key == "name";
  if (node.key == "title") return;
  const std::size_t most = is_name ? limits.name : limits.expression.bytes;
  if (node.text.size() > most)
    faults.error_at(node.where,
                    fmt::format("this {} is {} bytes long, and at most {} are read; allow more with --limit {}=BYTES",
                                is_name ? "name" : "text", node.text.size(), most, is_name ? "name" : "expression"));
}

void check_list(const Node& node, std::size_t most, std::string_view option, Faults& faults) {
  if (node.items.size() > most)
    faults.error_at(node.items[most].where,
                    fmt::format("{} has {} entries, and at most {} are read; allow more with --limit {}=NUMBER",
                                node.key.empty() ? "a list" : node.key, node.items.size(), most, option));
}

// Lists and tables are not deep: the parsers see to that.
void check_values(const Node& node, const ReadLimits& limits, Faults& faults) {
  if (node.is(Node::Kind::text)) check_text(node, limits, faults);
  if (node.is(Node::Kind::list)) check_list(node, limits.rows, "rows", faults);
  for (const Node& item : node.items) {
    if (item.key.size() > limits.name)
      faults.error_at(
          item.key_where,
          fmt::format("this key is {} bytes long, and at most {} are read; allow more with --limit name=BYTES",
                      item.key.size(), limits.name));
    check_values(item, limits, faults);
  }
}

}  // namespace

bool within_limits(const Node& root, const ReadLimits& limits, Faults& faults) {
  const std::size_t before = faults.error_count();
  faults.about("", root.where);
  for (const Node& item : root.items) {
    if (item.key == "body") check_list(item, limits.bodies, "bodies", faults);
    if (item.key == "parameters") check_list(item, limits.parameters, "parameters", faults);
    if (item.key == "output" || item.key == "stop" || item.key == "start")
      check_list(item, limits.outputs, "outputs", faults);
  }
  check_values(root, limits, faults);
  return faults.error_count() == before;
}

bool without_controls(const Node& root, Faults& faults) {
  const std::size_t before = faults.error_count();
  if (root.is(Node::Kind::text)) refuse_controls(root, faults);
  for (const Node& item : root.items) without_controls(item, faults);
  return faults.error_count() == before;
}

}  // namespace tandem
