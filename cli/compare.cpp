// tandem compare: one model by all methods, and a verdict.
#include "tandem/compare/compare.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "compare_report.hpp"
#include "output_place.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

struct CompareArguments {
  ModelArguments model;
  std::vector<std::string> methods;
  double tolerance = 1e-9;
  std::optional<double> step, duration;
  std::string report;
  bool force = false;
};

Json compare_json(const Model& model, const Comparison& result) {
  Json json;
  json["model"] = model.name;
  json["verdict"] = verdict_word(result);
  json["sentence"] = result.verdict;
  if (!result.agree) json["cause"] = result.cause;
  json["tolerance"] = result.tolerance;
  json["step"] = result.step;
  json["step_error"] = std::isfinite(result.richardson) ? Json(result.richardson) : Json();
  json["duration"] = result.duration;
  json["chaotic"] = result.chaotic;
  json["horizon"] = result.horizon;
  json["nearly_singular"] = result.nearly_singular;
  json["checks"] = Json::array();
  for (const Check& check : result.checks)
    json["checks"].push_back(
        {{"name", check.name}, {"asked", check.asked}, {"passed", check.passed}, {"detail", check.detail}});
  json["methods"] = Json::array();
  for (const MethodResult& method : result.methods) {
    Json entry{{"name", method.name}, {"cut", method.cut}};
    if (!method.refused.empty()) {
      entry["refused"] = method.refused;
    } else {
      entry["agrees"] = method.agrees;
      entry["max_difference"] = method.difference.size();
      entry["pose_difference"] = method.difference.pose;
      entry["velocity_difference"] = method.difference.speed;
      entry["tolerance"] = method.tolerance;
      entry["step"] = method.step;
      if (!method.note.empty()) entry["note"] = method.note;
      entry["energy_drift"] = method.energy_drift;
      entry["constraint_drift"] = method.constraint_drift;
      entry["velocity_drift"] = method.velocity_drift;
      entry["order"] = method.order > 0.0 ? Json(method.order) : Json();
      entry["steps_per_second"] = method.steps_per_second;
      if (!method.failed.empty()) entry["failed"] = method.failed;
    }
    json["methods"].push_back(std::move(entry));
  }
  json["shared"] = shared_note;
  return json;
}

void print_comparison(const Model& model, const Comparison& result) {
  fmt::print("{}: {}\n\n", bold(model.name), bold(verdict_word(result)));
  fmt::print("{}\n", result.verdict);
  if (result.methods.empty()) return;
  fmt::print("\n");
  const ShownTable shown = method_table(result);
  Table table(shown.heading);
  for (const std::vector<std::string>& row : shown.rows) table.row(row);
  table.print();
  fmt::print("  {}\n", faint(differences_note));
  fmt::print("  {}\n", faint(shared_note));
  for (const std::string& note : method_notes(result)) fmt::print("  {}\n", printable(note));
  fmt::print("\n");
  for (const Check& check : result.checks)
    fmt::print("  {}  {:<10}  {}\n",
               check.asked && !check.passed ? bold("FAIL") : fmt::format("{:<4}", check_word(check)), check.name,
               check.detail);
}

void compare_model(const CompareArguments& arguments) {
  if (!(arguments.tolerance >= 1e-13 && arguments.tolerance < 1.0))
    throw UsageError("--tolerance must be between 1e-13 and 1");
  for (const auto* seconds : {&arguments.step, &arguments.duration})
    if (*seconds && !(**seconds > 0.0 && std::isfinite(**seconds)))
      throw UsageError("--step and --duration must be positive numbers of seconds");
  for (const std::string& method : arguments.methods) {
    try {
      find_method(method);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }
  check_report("--report", arguments.report, arguments.force);
  Model model = arguments.model.load();
  if (arguments.step) model.setup.step = *arguments.step;
  refuse_endless(model.setup, arguments.duration);
  ProgressBar progress(!arguments.model.json);
  CompareOptions options;
  options.methods = arguments.methods;
  options.tolerance = arguments.tolerance;
  options.duration = arguments.duration.value_or(0.0);
  options.on_progress = [&](const std::string& what) { progress.say(what); };
  const Comparison result = compare(model, options);
  if (!arguments.report.empty()) {
    progress.say("the report");
    write_compare_report(model, result, options.duration, arguments.report, arguments.force);
  }
  progress.clear();
  if (arguments.model.json) {
    Json json = compare_json(model, result);
    if (!arguments.report.empty()) json["report"] = arguments.report;
    print_json(json);
  } else {
    print_comparison(model, result);
    if (!arguments.report.empty()) fmt::print("\nreport: {}\n", printable(arguments.report));
  }
  if (result.agree) return;
  Failure failure = failed_with(model_wrong, "differ", result.verdict);
  failure.text.clear();  // it is in the answer
  throw failure;
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "One model by all methods: do they agree, and is it right?");
  auto arguments = std::make_shared<CompareArguments>();
  arguments->model.add_to(*command);
  command->add_option("--methods", arguments->methods, "only these (default: all that can solve the model)")
      ->type_name("NAME,NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "in parts of the machine's size, radians and relative velocities")
      ->capture_default_str();
  command->add_option("--step", arguments->step, "time step in seconds (default: the model's)");
  command->add_option("--duration", arguments->duration, "how long, in seconds (default: the model's)");
  command->add_option("--report", arguments->report, "write all motions as a page to look at in a browser")
      ->type_name("FILE.html");
  add_force(*command, arguments->force);
  command->footer(
      "Examples:\n"
      "  tandem compare bicycle\n"
      "  tandem compare two-body --report two-body.html\n"
      "  tandem compare four-bar --duration 1 --json\n"
      "  tandem compare chain --methods lagrange,null_space --tolerance 1e-8\n\n"
      "Exit code 0 when they agree, 1 when they differ.");
  command->callback([arguments] { compare_model(*arguments); });
}

}  // namespace tandem::cli
