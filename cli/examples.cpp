// tandem examples: the models shipped inside the program.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem::cli {

static void list_examples(bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Table table({"name", ""});
  std::size_t longest = 0;
  for (const EmbeddedExample& example : embedded_examples()) longest = std::max(longest, example.name.size());
  if (!json) fmt::print("Models inside the program. Use a name in place of a path: tandem check bicycle\n\n");
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = read_model(example.text, std::string(example.name), {});
    list.push_back({{"name", example.name}, {"title", model.title}});
    if (!json) fmt::print("  {}  {}\n", bold(fmt::format("{:{}}", example.name, longest)), model.title);
  }
  if (json)
    print_json(list);
  else
    fmt::print("\nSee one as text: tandem examples bicycle > my-bicycle.toml\n");
}

static void show_example(const std::string& name, bool json) {
  const EmbeddedExample* example = find_example(name);
  if (!example) {
    std::vector<std::string> names;
    for (const EmbeddedExample& each : embedded_examples()) names.emplace_back(each.name);
    throw UsageError(fmt::format("there is no example \"{}\"{}", name, did_you_mean(name, names)));
  }
  if (json)
    print_json({{"name", example->name}, {"text", example->text}});
  else
    fmt::print("{}", example->text);
}

void add_examples(CLI::App& app) {
  CLI::App* command = app.add_subcommand("examples", "List the models shipped inside the program, or print one");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>(false);
  command->add_option("name", *name, "print this example's model file");
  command->add_flag("--json", *json, "print JSON for machines");
  command->footer("Examples:\n  tandem examples\n  tandem examples four-bar > my-four-bar.toml");
  command->callback([name, json] {
    if (name->empty())
      list_examples(*json);
    else
      show_example(*name, *json);
  });
}

}  // namespace tandem::cli
