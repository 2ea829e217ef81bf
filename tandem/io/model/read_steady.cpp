#include <fmt/format.h>

#include <algorithm>

#include "tandem/io/model/model_reader.hpp"

namespace tandem {

namespace {

// The table [key], or nothing with the fault told.
const Node* find_table(TableReader& top, const char* key, Faults& faults) {
  const Node* table = top.find(key);
  if (!table || table->is(Node::Kind::table)) return table;
  faults.about(key, table->where);
  faults.error(fmt::format("{0} must be a table [{0}], not {1}", key, table->kind_name()));
  return nullptr;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> optional_texts(TableReader& reader, std::string_view key) {
  return reader.has(key) ? reader.texts(key) : std::vector<std::string>{};
}

}  // namespace

void ModelReader::read_steady(TableReader& top) {
  const Node* table = find_table(top, "steady", faults_);
  if (!table) return;
  TableReader reader(*table, parameters_, faults_);
  faults_.about("steady", table->where);
  SteadyDescription& out = out_.steady;
  const std::vector<std::string> texts = optional_texts(reader, "hold");  // NAME, or NAME = NUMBER
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::size_t equals = texts[i].find('=');
    HoldDescription hold;
    hold.name = trimmed(texts[i].substr(0, equals));
    if (equals != std::string::npos) {
      const std::size_t first = std::min(texts[i].find_first_not_of(" \t", equals + 1), texts[i].size());
      Node value = reader.find("hold")->items[i];
      value.text = texts[i].substr(first);
      value.text_where.column += static_cast<int>(first);
      hold.value = parameters_.number(value, fmt::format("the value of {} in hold", hold.name), faults_);
      if (!hold.value) reader.refuse(fmt::format("hold[{}]", i));
    }
    out.hold.push_back(std::move(hold));
  }
  if (reader.has("symmetry")) out.symmetry = reader.texts("symmetry");
  reader.finish();
  out.source = reader.source();
}

void ModelReader::read_linearize(TableReader& top) {
  const Node* table = find_table(top, "linearize", faults_);
  if (!table) return;
  TableReader reader(*table, parameters_, faults_);
  faults_.about("linearize", table->where);
  LinearizeDescription& out = out_.linearize;
  out.states = optional_texts(reader, "states");
  out.inputs = optional_texts(reader, "inputs");
  out.outputs = optional_texts(reader, "outputs");
  out.modes = optional_texts(reader, "modes");
  if (const Node* units = reader.find("units")) {
    const bool whole = units->is(Node::Kind::table);
    if (!whole)
      reader.fault("units", fmt::format("units must be a table {{ v = \"m/s\" }}, not {}", units->kind_name()));
    for (const Node& unit : whole ? units->items : std::vector<Node>{}) {
      if (unit.is(Node::Kind::text))
        out.units.emplace_back(unit.key, unit.text);
      else
        reader.fault_at(unit.where, "units",
                        fmt::format("the unit of {} must be a text in quotes, not {}", unit.key, unit.kind_name()));
    }
  }
  reader.finish();
  out.source = reader.source();
}

}  // namespace tandem
