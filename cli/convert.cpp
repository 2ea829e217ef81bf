// tandem convert: a model file written back, as TOML or JSON.
#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "output_place.hpp"
#include "tandem/io/model/convert.hpp"
#include "tandem/io/results/output_file.hpp"

namespace tandem::cli {

namespace {

struct ConvertArguments {
  ModelArguments model;
  std::string out;
  bool flatten = false, force = false;
};

void convert_model(const ConvertArguments& arguments) {
  const std::string ending = std::filesystem::path(arguments.out).extension().string();
  if (!arguments.out.empty() && ending != ".toml" && ending != ".json")
    throw UsageError(fmt::format("--out \"{}\": the name must end in .toml or .json", arguments.out));
  // Comments are lost in the writing, so no file is written over by mistake.
  check_output("--out", arguments.out, arguments.force);
  const Model model = arguments.model.read();
  const bool json = arguments.out.empty() ? arguments.model.json : ending == ".json";
  const std::string text = convert(model, {.json = json, .flatten = arguments.flatten});
  if (!arguments.out.empty()) {
    write_output(arguments.out, text, arguments.force);
    if (arguments.model.json) print_json({{"model", model.name}, {"file", arguments.out}});
  } else if (json) {
    print_json(nlohmann::ordered_json::parse(text));
  } else {
    fmt::print("{}", text);
  }
}

}  // namespace

void add_convert(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("convert", "Write a model back: TOML or JSON, its numbers as they are or worked out");
  auto arguments = std::make_shared<ConvertArguments>();
  arguments->model.add_to(*command);
  command
      ->add_option("--out", arguments->out,
                   "file to write, .toml or .json; without it the text is printed, as JSON with --json")
      ->type_name("FILE");
  command->add_flag("--flatten", arguments->flatten,
                    "write numbers in place of parameters and expressions; what changes with t stays an expression");
  add_force(*command, arguments->force);
  command->footer(
      "Examples:\n  tandem convert bicycle --out bicycle.json\n  tandem convert bicycle --set v=6 --flatten --out "
      "b.toml\n"
      "Comments are lost.");
  command->callback([arguments] { convert_model(*arguments); });
}

}  // namespace tandem::cli
