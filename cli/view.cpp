// tandem view: a result file or a model as a page to look at.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "output_place.hpp"
#include "run_report.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/run/record.hpp"

namespace tandem::cli {

namespace {

namespace fs = std::filesystem;

struct ViewArguments {
  std::string what, out;
  bool force = false;
  ModelArguments model;
};

bool is_result(const std::string& what) {
  if (find_example(what)) return false;
  std::string extension = fs::path(what).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension == ".h5" || extension == ".hdf5" || extension == ".csv";
}

// What the run printed of its outputs.
ShownTable outputs_of(const Model& model, const ResultTable& table, const ReportTable& shown) {
  std::vector<bool> unique(model.outputs.size(), true);
  for (const std::size_t column : shown.not_unique())
    if (column < unique.size()) unique[column] = false;
  OutputSummary outputs;
  std::vector<double> values(model.outputs.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto column = table.find(model.outputs[i].name);
      values[i] = column ? table.value(row, *column) : 0.0;
    }
    outputs.watch(values);
  }
  return output_table(model, outputs, unique);
}

void view_result(const ViewArguments& arguments, const std::string& out) {
  const ResultTable table = read_results(arguments.what);
  const std::string name = fs::path(arguments.what).stem().string();
  const Model model = arguments.model.model.empty() ? model_of_results(table, name) : arguments.model.load();
  Report report(model);
  report.about("results", arguments.what);
  for (const auto& [key, value] : table.attributes)
    if (key != "model_text" && key != "trust" && key != "reasons" && !value.empty()) report.about(key, value);
  if (model.bodies.empty())
    report.notice("No bodies are known. With a model there is a picture too: tandem view RESULT.csv --model MODEL");
  else if (model.file.empty() && model.text.empty())
    report.notice("The results do not hold their model. With it shapes are shown too: tandem view FILE --model MODEL");
  const ReportTable shown = report_of_results(model, table);
  report.motion(std::string(model.setup.method.word()), shown);
  if (shown.stride() > 1) report.notice("The result file has all samples.");
  if (table.find("energy_balance")) {
    Verdict verdict = run_verdict(model, table.attribute("status").value_or("how it ended is not in the results"),
                                  table.attribute("reason").value_or(""), health_of(model, table, shown),
                                  judgement_of(model, table, shown));
    if (!model.outputs.empty()) verdict.tables.push_back(outputs_of(model, table, shown));
    report.verdict(verdict);
  }
  report.write(out, arguments.force);
}

// The start alone, as it is; on its constraints where it can be brought there.
void view_model(const Model& model, const std::string& out, bool force) {
  Report report(model);
  const Counts counts = count(model);
  report.about("model", model.name);
  for (const auto& [name, value] : model.parameters) report.about("parameter " + name, fmt::format("{}", value));
  report.about("bodies", fmt::format("{}", counts.bodies));
  report.about("joints", fmt::format("{}", counts.joints));
  report.about("constraints", fmt::format("{}", counts.constraints));
  report.about("degrees of freedom", fmt::format("{} of position, {} of speed", counts.dof, counts.mobility));
  try {
    Simulation simulation(model);
    StepReport step;
    step.before = step.after = residual_norms(simulation.workspace().problem);
    Health health(model, simulation.setup());
    std::vector<double> values;
    record_values(model, simulation, health.record(simulation, step), values);
    report_reactions(model, simulation, values);
    ReportTable table(report_columns(model));
    table.row(values);
    report.motion(method_text(simulation.setup()), table);
  } catch (const ModelError& error) {
    report.notice("This is the start as it was given; it does not meet its constraints. " +
                  error.faults().list().front().message);
  } catch (const NumericalError& error) {
    report.notice(fmt::format("No forces are known at the start: {}", error.what()));
  }
  report.write(out, force);
}

ModelArguments named(const ViewArguments& arguments) {
  ModelArguments model = arguments.model;
  model.model = arguments.what;
  return model;
}

void view(const ViewArguments& arguments) {
  const bool result = is_result(arguments.what);
  if (!result && !arguments.model.model.empty()) throw UsageError("--model is for results; the model is named already");
  const ModelArguments& reading = arguments.model;
  if (result && reading.model.empty()) {
    if (!reading.set.empty()) throw UsageError("--set changes a model: give --model too");
    if (!reading.limits.empty() || reading.external_files)
      throw UsageError("--limit and --allow-external-files are about reading a model: give --model too");
  }
  std::string out = arguments.out;
  if (out.empty()) out = fs::path(arguments.what).stem().string() + ".html";
  check_report("--out", out, arguments.force);
  if (result)
    view_result(arguments, out);
  else
    view_model(named(arguments).load(), out, arguments.force);
  if (arguments.model.json)
    print_json({{"report", out}});
  else if (out != "/dev/stdout")
    fmt::print("report: {}\n", printable(out));
}

}  // namespace

void add_view(CLI::App& app) {
  CLI::App* command = app.add_subcommand("view", "A result file, or a model at its start, as a page for a browser");
  auto arguments = std::make_shared<ViewArguments>();
  command->add_option("file", arguments->what, "a result file (.h5, .csv), a model file, or the name of an example")
      ->required();
  command->add_option("--out", arguments->out, "the page (default: the name of the input, here)")
      ->type_name("FILE.html");
  add_force(*command, arguments->force);
  command->add_option("--model", arguments->model.model, "the model of a .csv file, which holds none")
      ->type_name("MODEL");
  arguments->model.add_reading_to(*command);
  command->add_flag("--json", arguments->model.json, "print JSON for machines");
  command->footer(
      "Examples:\n"
      "  tandem view bicycle\n"
      "  tandem view bicycle.h5 --out ride.html\n"
      "  tandem view bicycle.csv --model bicycle --force\n\n"
      "It writes one file and starts nothing: open it in a browser, now or in ten years. What is on the page:\n"
      "docs/report.md.");
  command->callback([arguments] { view(*arguments); });
}

}  // namespace tandem::cli
