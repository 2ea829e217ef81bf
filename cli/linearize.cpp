// tandem linearize: exact linear equations about a steady motion, eigenvalues, and sweeps over a parameter.
#include "tandem/linearize/linearize.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "linearize_report.hpp"
#include "output_place.hpp"
#include "progress.hpp"
#include "start.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/io/plots/sweep_plot.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/io/results/output_file.hpp"
#include "tandem/linearize/linear_outputs.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

struct LinearizeArguments {
  ModelArguments model;
  MethodArguments method;
  StartArguments start;
  std::string about = "steady", sweep, out, plot, report;
  std::vector<std::string> states, inputs, outputs, names;
  bool force = false;
  bool wants_matrices() const { return sweep.empty() || !inputs.empty() || !outputs.empty(); }  // B, C and D
  LinearizeOptions options() const { return {states, inputs, outputs, !wants_matrices()}; }
};

struct SweepRange {
  std::string name;
  std::vector<double> values;
};

// name=from:to:n
SweepRange parse_sweep(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return UsageError(
        fmt::format("--sweep \"{}\": {}; write name=from:to:n, for example --sweep v=0:10:101", text, why));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw wrong("there is no =");
  if (equals == 0) throw wrong("there is no name before =");
  SweepRange range{text.substr(0, equals), {}};
  std::vector<std::string> parts{""};
  for (const char c : text.substr(equals + 1)) {
    if (c == ':')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  if (parts.size() != 3 || std::find(parts.begin(), parts.end(), "") != parts.end())
    throw wrong("there must be three numbers behind =");
  const std::string what = "--sweep " + range.name;
  const double from = parse_number(what, parts[0]), to = parse_number(what, parts[1]), n = parse_number(what, parts[2]);
  if (!(n >= 2.0 && n <= 1e6) || n != std::round(n)) throw wrong("n must be a whole number from 2 to 1000000");
  if (from == to) throw wrong("from and to are the same");
  const auto count = static_cast<std::size_t>(n);
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / (n - 1.0);
    range.values.push_back(from * (1.0 - share) + to * share);
  }
  return range;
}

void begin(Model& model, const LinearizeArguments& arguments) {
  if (arguments.about == "start")
    arguments.start.hold_in_start(model);
  else
    arguments.start.hold_in_steady(model);
  arguments.start.place(model);
}

// The model with one parameter changed: from its text, so that every expression follows.
class Family {
 public:
  Family(const Model& model, const std::string& name, const LinearizeArguments& arguments)
      : parsed_(model.text, model.file, ReadLimits::of_accepted_text()), arguments_(arguments) {
    options_.limits = ReadLimits::of_accepted_text();
    options_.set.emplace_back(name, 0.0);
    for (const std::string& text : arguments.model.set) {
      const std::size_t equals = text.find('=');
      if (text.substr(0, equals) != name)
        options_.set.emplace_back(text.substr(0, equals), parse_number("--set", text.substr(equals + 1)));
    }
  }
  Model at(double value) {
    options_.set.front().second = value;
    Model out = parsed_.read(options_);
    arguments_.method.apply(out.setup);
    begin(out, arguments_);
    return out;
  }

 private:
  ParsedModel parsed_;
  ReadOptions options_;
  const LinearizeArguments& arguments_;
};

void require_parameter(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const auto& parameter : model.parameters) known.push_back(parameter.first);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw UsageError(fmt::format("--sweep: the model has no parameter \"{}\"{}", name, did_you_mean(name, known)));
}

void write_out(const LinearizeArguments& arguments, const Json& json, const std::string& csv) {
  const std::string& path = arguments.out;
  const std::string extension = std::filesystem::path(path).extension().string();
  write_output(path, extension == ".json" ? json.dump(2) + "\n" : csv, arguments.force);
}

void check_paths(const LinearizeArguments& arguments) {
  const auto extension = [](const std::string& path) { return std::filesystem::path(path).extension().string(); };
  if (!arguments.out.empty() && extension(arguments.out) != ".json" && extension(arguments.out) != ".csv")
    throw UsageError(fmt::format("--out \"{}\": the name must end in .json or .csv", arguments.out));
  if (!arguments.plot.empty() && extension(arguments.plot) != ".svg")
    throw UsageError(fmt::format("--plot \"{}\": the name must end in .svg", arguments.plot));
  if (!arguments.plot.empty() && arguments.sweep.empty())
    throw UsageError("--plot draws eigenvalues against a parameter: give --sweep too");
  if (!arguments.names.empty() && arguments.sweep.empty())
    throw UsageError("--names are for the modes of a sweep: give --sweep too");
  if (arguments.about != "steady" && arguments.about != "start")
    throw UsageError(fmt::format("--about \"{}\": write steady or start", arguments.about));
  check_output("--out", arguments.out, arguments.force);
  check_output("--plot", arguments.plot, arguments.force);
  check_report("--report", arguments.report, arguments.force);
}

// A name misspelt on the command line is not a fault of the model.
void check_names(const Model& model, const LinearizeArguments& arguments) {
  for (const std::string& name : arguments.states) {
    try {
      if (find_reading(model, name).what != ModelReading::What::value)
        throw UsageError(fmt::format("--states: \"{}\" is a rate; name the coordinate, its rate comes along", name));
    } catch (const std::out_of_range& error) {
      throw UsageError(fmt::format("--states: {}", error.what()));
    }
  }
  const auto check = [](const char* option, const auto& make) {
    try {
      make();
    } catch (const ModelError& error) {
      throw UsageError(fmt::format("{}: {}", option, error.faults().list().front().message));
    }
  };
  check("--inputs", [&] { LinearInputs(model, arguments.inputs); });
  check("--outputs", [&] { linear_outputs(model, arguments.outputs); });
}

void write_report(const Model& model, const Sweep& found, const LinearizeArguments& arguments) {
  if (arguments.report.empty()) return;
  Report report(model);
  report.about("model", model.name);
  report.about("about", arguments.about == "start" ? "the start as it is" : "the steady motion near the start");
  for (const auto& [name, value] : model.parameters)
    if (name != found.parameter) report.about("parameter " + name, fmt::format("{}", value));
  for (const std::string& zero : found.points.front().zeros) report.about("zero by symmetry", zero);
  if (found.modes.empty()) report.notice("Nothing is free to move: there are no modes.");
  report.modes(found, plot_of(model, found).unit);
  report.write(arguments.report, arguments.force);
}

void tell_report(const LinearizeArguments& arguments) {
  if (!arguments.report.empty() && !arguments.model.json) fmt::print("\nreport: {}\n", printable(arguments.report));
}

// A sweep of one point, whose modes are named by their eigenvalues; of a pair the one with Im > 0. What is zero but for
// rounding is neutral, as in a longer sweep.
Sweep one_point(const Linearization& found) {
  Sweep out;
  out.values = {0.0};
  out.points = {found};
  for (std::size_t i = 0; i < found.modes.size(); ++i) {
    const std::complex<double> value = found.modes[i].eigenvalue;
    if (value.imag() < 0.0) continue;
    const bool neutral = found.neutral(value);
    const std::string name = neutral              ? "neutral"
                             : value.imag() > 0.0 ? fmt::format("{:.4g} \u00b1 {:.4g} i", value.real(), value.imag())
                                                  : fmt::format("{:.4g}", value.real());
    out.modes.push_back({name, {value}, {static_cast<int>(i)}, neutral});
  }
  return out;
}

// Values for a picture: next to an edge, where real parts go as a root, more of them.
std::vector<double> drawn_values(const Sweep& found) {
  std::vector<double> values;
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    values.push_back(found.values[k]);
    if (k + 1 == found.values.size()) break;
    const double from = found.values[k], to = found.values[k + 1];
    for (const SweepCrossing& crossing : found.crossings) {
      const double edge = crossing.value;
      if (!crossing.edge || !((from < edge && edge < to) || (to < edge && edge < from))) continue;
      for (int i = 1; i <= 5; ++i) values.push_back(edge + (from - edge) * std::pow(0.25, i));
      for (int i = 5; i >= 1; --i) values.push_back(edge + (to - edge) * std::pow(0.25, i));
    }
  }
  return values;
}

void run_sweep(const Model& model, const LinearizeArguments& arguments) {
  const SweepRange range = parse_sweep(arguments.sweep);
  require_parameter(model, range.name);
  Family models(model, range.name, arguments);
  LinearFamily family(arguments.options());
  const LinearAt at = [&](double x) {
    const Model here = models.at(x);
    return arguments.about == "start" ? linearize_start(here, arguments.options()) : family.at(here);
  };
  ProgressBar bar(!arguments.model.json);
  const std::vector<std::string>& names = arguments.names.empty() ? model.linearize.modes : arguments.names;
  const Sweep found = sweep(range.name, range.values, at, names, [&](std::size_t done, std::size_t of) {
    bar.say(fmt::format("{} of {} points", done, of));
  });
  bar.clear();
  const bool as_json = arguments.model.json || arguments.out.ends_with(".json");
  const Json json = as_json ? sweep_json(model, found, arguments.wants_matrices()) : Json();
  if (!arguments.out.empty()) write_out(arguments, json, sweep_csv(found));
  if (!arguments.plot.empty()) {
    const std::vector<double> values = drawn_values(found);
    const bool enough = values.size() == found.values.size();
    const Sweep drawn = enough ? found : sweep(range.name, values, at, names);
    write_output(arguments.plot, draw_sweep(plot_of(model, drawn)), arguments.force);
  }
  write_report(model, found, arguments);
  if (arguments.model.json)
    print_json(json);
  else
    print_sweep(model, found);
  tell_report(arguments);
}

void linearize_and_print(const LinearizeArguments& arguments) {
  arguments.method.check();
  check_paths(arguments);
  Model model = arguments.model.load();
  arguments.method.apply(model.setup);
  begin(model, arguments);
  check_names(model, arguments);
  if (!arguments.sweep.empty()) return from_start(model, [&] { run_sweep(model, arguments); });
  std::optional<Steady> steady;
  const Linearization found = from_start(model, [&] {
    if (arguments.about == "start") return linearize_start(model, arguments.options());
    steady = find_steady(model);
    return linearize(model, *steady, arguments.options());
  });
  Json json = linearization_json(model, found);
  if (steady) json["steady"] = steady_json(model, *steady);
  if (!arguments.out.empty()) write_out(arguments, json, eigenvalue_csv(found));
  write_report(model, one_point(found), arguments);
  if (arguments.model.json)
    print_json(json);
  else
    print_linearization(model, found, steady ? &*steady : nullptr);
  tell_report(arguments);
}

}  // namespace

void add_linearize(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "linearize", "Exact linear equations about a steady motion: A, B, C, D, eigenvalues, modes; sweeps and pictures");
  auto arguments = std::make_shared<LinearizeArguments>();
  arguments->model.add_to(*command);
  arguments->method.add_to(*command);
  arguments->start.add_to(*command);
  const auto list = [&](const char* name, std::vector<std::string>& target, const char* help) {
    command->add_option(name, target, help)->delimiter(',')->allow_extra_args(false);
  };
  command->add_option("--about", arguments->about,
                      "steady: the steady motion near the start (default); start: the start as it is");
  list("--states", arguments->states, "coordinates to be states, with their rates: lean,steer");
  list("--inputs", arguments->inputs,
       "inputs: coordinates (an effort along each), drives (their acceleration) and parameters");
  list("--outputs", arguments->outputs, "outputs of the model; all by default");
  command->add_option("--sweep", arguments->sweep, "repeat along a parameter, follow each mode")
      ->type_name("NAME=FROM:TO:N");
  list("--names", arguments->names,
       "names for the modes of a sweep at its last point, of the largest real part first: capsize,weave,castering");
  command->add_option("--out", arguments->out, "write .json (all), or .csv (eigenvalues)")->type_name("FILE");
  command->add_option("--plot", arguments->plot, "draw a sweep: eigenvalues and root locus")->type_name("FILE.svg");
  command->add_option("--report", arguments->report, "write eigenvalues and moving modes as a page for a browser")
      ->type_name("FILE.html");
  add_force(*command, arguments->force);
  command->footer(
      "Examples:\n"
      "  tandem linearize bicycle --sweep v=0:10:101 --report modes.html\n"
      "  tandem linearize bicycle --set v=5\n"
      "  tandem linearize bicycle --sweep v=0:10:101 --plot weave.svg\n"
      "  tandem linearize bicycle --hold lean=pi/18                  about a circle\n"
      "  tandem linearize bicycle --states lean,steer --inputs steer --json\n"
      "  tandem linearize swimmer --about start\n"
      "  tandem linearize bicycle --about start --hold lean=0.1      about a leaned start, steady or not");
  command->callback([arguments] { linearize_and_print(*arguments); });
}

}  // namespace tandem::cli
