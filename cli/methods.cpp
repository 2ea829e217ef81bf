// tandem methods: the ways to solve the equations of motion, and which of them can solve a given model. Also the
// arguments by which other commands choose one.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/methods/method.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

void MethodArguments::add_to(CLI::App& app) {
  app.add_option("--method", method, "how to solve the equations of motion (see: tandem methods)");
  app.add_option("--cut", cut,
                 "all: every body floats and every joint is rows; loops: joints of a tree carry coordinates");
  app.add_option("--coordinates", coordinates, "on the cut all: quasi, quaternion or euler312");
}

static void check_word(const char* option, const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || std::find(known.begin(), known.end(), word) != known.end()) return;
  throw UsageError(fmt::format("{} \"{}\": known are {}{}", option, word, list_of(known), did_you_mean(word, known)));
}

void MethodArguments::check() const {
  check_word("--cut", cut, {"all", "loops"});
  check_word("--coordinates", coordinates, {"quasi", "quaternion", "euler312"});
  if (method.empty()) return;
  try {
    find_method(method);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

void MethodArguments::apply(Model& model) const {
  if (!method.empty()) model.simulation.method = method;
  if (!cut.empty()) model.simulation.cut = cut;
  if (!coordinates.empty()) model.simulation.coordinates = coordinates;
  // Quaternion and Euler rates exist on one cut only: who asks for them asks for it.
  if (!coordinates.empty() && coordinates != "quasi" && model.simulation.cut.empty()) model.simulation.cut = "all";
}

static void list_methods(bool json) {
  Json list = Json::array();
  Table table({"method", "cuts", "coordinates on cut all", "redundant rows", "ropes, soft rows"});
  for (const MethodInfo& method : all_methods()) {
    list.push_back({{"name", method.name},
                    {"summary", method.summary},
                    {"cuts", method.cuts},
                    {"coordinates", method.coordinates},
                    {"redundant_rows", method.redundant_rows},
                    {"one_sided", method.one_sided},
                    {"soft", method.one_sided}});
    const bool maximal = std::find(method.cuts.begin(), method.cuts.end(), "all") != method.cuts.end();
    table.row({method.name, fmt::format("{}", fmt::join(method.cuts, ", ")),
               maximal ? fmt::format("{}", fmt::join(method.coordinates, ", ")) : "-", method.redundant_rows,
               method.one_sided ? "yes" : "refused"});
  }
  if (json) return print_json(list);
  for (const MethodInfo& method : all_methods())
    fmt::print("{}  {}\n", bold(fmt::format("{:<16}", method.name)), method.summary);
  fmt::print("\n");
  table.print();
  fmt::print(
      "\nThe first cut named is the one a method takes by itself.\n"
      "Which of them can solve a model: tandem methods MODEL\n");
}

static void methods_for(const ModelArguments& arguments, const MethodArguments& choice) {
  Model model = arguments.load();
  choice.apply(model);
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
  auto choice = std::make_shared<MethodArguments>();
  arguments->add_to(*command);
  command->get_option("model")->required(false);
  command->add_option("--cut", choice->cut, "ask about this cut: all or loops");
  command->add_option("--coordinates", choice->coordinates, "ask about quasi, quaternion or euler312");
  command->footer("Examples:\n  tandem methods\n  tandem methods bicycle --json\n  tandem methods bicycle --cut loops");
  command->callback([arguments, choice] {
    choice->check();
    if (arguments->model.empty())
      list_methods(arguments->json);
    else
      methods_for(*arguments, *choice);
  });
}

}  // namespace tandem::cli
