#include "tandem/io/model/convert.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tandem/io/model/model_reader.hpp"
#include "tandem/io/model/write_document.hpp"

namespace tandem {

namespace {

Node* find_item(Node& table, std::string_view key) {
  const auto found = std::find_if(table.items.begin(), table.items.end(), [&](Node& item) { return item.key == key; });
  return found == table.items.end() ? nullptr : &*found;
}

void set_parameters(Node& root, const Parameters::Values& set) {
  for (const auto& [name, value] : set) {
    Node& parameter = *find_item(*find_item(root, "parameters"), name);
    parameter.kind = Node::Kind::number;
    parameter.number = value;
  }
}

// Puts what was evaluated in the place of each node.
void put_in_numbers(Node& node, const Evaluated& evaluated) {
  if (const auto found = evaluated.find(&node); found != evaluated.end()) {
    node.kind = found->second.kind;
    node.number = found->second.number;
    node.text = found->second.text;
  }
  for (Node& item : node.items) put_in_numbers(item, evaluated);
}

void flatten(Node& root, const std::string& file) {
  Faults faults;
  Evaluated evaluated;
  ReadOptions options;
  options.limits = ReadLimits::of_accepted_text();
  const ModelDescription description = ModelReader(root, file, options, faults, &evaluated).read();
  put_in_numbers(root, evaluated);

  if (Node* stops = find_item(root, "stop"))
    for (Node& stop : stops->items) {
      Node& when = *find_item(stop, "when");
      when.text = with_numbers(when.text, description.parameters);
    }
  Node* steady = find_item(root, "steady");
  if (Node* hold = steady ? find_item(*steady, "hold") : nullptr)
    for (std::size_t i = 0; i < hold->items.size(); ++i)
      if (const HoldDescription& held = description.steady.hold[i]; held.value)
        hold->items[i].text = fmt::format("{} = {}", held.name, *held.value);

  // Parameters are no more, so nothing may name them.
  const auto is_parameter = [&](const std::string& name) {
    return std::any_of(description.parameters.begin(), description.parameters.end(),
                       [&](const auto& each) { return each.first == name; });
  };
  if (Node* linearize = find_item(root, "linearize")) {
    if (Node* inputs = find_item(*linearize, "inputs"))
      std::erase_if(inputs->items, [&](const Node& input) { return is_parameter(input.text); });
    std::erase_if(linearize->items, [](const Node& item) { return item.key == "units"; });
  }
  std::erase_if(root.items, [](const Node& item) { return item.key == "parameters"; });
}

}  // namespace

std::string convert(const Model& model, const ConvertOptions& options) {
  if (model.text.empty()) throw std::invalid_argument("convert: the model was built in C++ and has no text");
  Faults faults;
  std::optional<Node> root = parse_document(model.text, model.file, ReadLimits::of_accepted_text(), faults);
  if (!root) throw ModelError(std::move(faults));
  // A model takes its name from its file, and the new one has another.
  if (!root->find("name")) {
    Node name;
    name.kind = Node::Kind::text;
    name.key = "name";
    name.text = model.name;
    const auto format =
        std::find_if(root->items.begin(), root->items.end(), [](Node& item) { return item.key == "format"; });
    root->items.insert(format == root->items.end() ? root->items.begin() : format + 1, std::move(name));
  }
  set_parameters(*root, model.set);
  if (options.flatten) flatten(*root, model.file);
  return options.json ? write_json(*root) : write_toml(*root);
}

}  // namespace tandem
