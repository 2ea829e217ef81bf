// tandem methods: the ways to solve the equations of motion, and which of them can solve a given model.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/methods/method.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

void check_method_name(const std::string& name) {
  if (name.empty()) return;
  try {
    find_method(name);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

static void list_methods(bool json) {
  Json list = Json::array();
  Table table({"method", "redundant rows", "massless links", "ropes"});
  for (const MethodInfo& method : all_methods()) {
    list.push_back({{"name", method.name},
                    {"summary", method.summary},
                    {"redundant_rows", method.redundant_rows},
                    {"massless_links", true},
                    {"one_sided", method.one_sided}});
    table.row({method.name, method.redundant_rows, "yes", method.one_sided ? "yes" : "refused"});
  }
  if (json) return print_json(list);
  for (const MethodInfo& method : all_methods())
    fmt::print("{}  {}\n", bold(fmt::format("{:<16}", method.name)), method.summary);
  fmt::print("\n");
  table.print();
  fmt::print("\nWhich of them can solve a model: tandem methods MODEL\n");
}

static void methods_for(const ModelArguments& arguments) {
  const Model model = arguments.load();
  Json list = Json::array();
  for (const MethodInfo& method : all_methods()) {
    const std::vector<std::string> reasons = obstacles(model, method);
    list.push_back({{"name", method.name}, {"supported", reasons.empty()}, {"reasons", reasons}});
    if (arguments.json) continue;
    fmt::print("{}  {}\n", bold(fmt::format("{:<16}", method.name)), reasons.empty() ? "yes" : "no");
    for (const std::string& reason : reasons) fmt::print("  {}\n", reason);
  }
  if (arguments.json) print_json(list);
}

void add_methods(CLI::App& app) {
  CLI::App* command = app.add_subcommand("methods", "The methods, and which of them can solve a model");
  auto arguments = std::make_shared<ModelArguments>();
  arguments->add_to(*command);
  command->get_option("model")->required(false);
  command->footer("Examples:\n  tandem methods\n  tandem methods bicycle --json");
  command->callback([arguments] {
    if (arguments->model.empty())
      list_methods(arguments->json);
    else
      methods_for(*arguments);
  });
}

}  // namespace tandem::cli
