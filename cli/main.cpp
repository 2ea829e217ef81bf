// tandem: the command line. Each command is a file of its own; this one dispatches and turns errors into exit codes.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "commands.hpp"
#include "tandem/assemble/inertia.hpp"
#include "tandem/base/expression.hpp"
#include "tandem/base/suggest.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/version.hpp"
#include "tell.hpp"
#include "usage.hpp"

namespace tandem::cli {

double parse_number(const std::string& what, const std::string& text) {
  const auto parsed = Expression::parse(text, {});
  if (const auto* error = std::get_if<ExpressionError>(&parsed))
    throw UsageError(fmt::format("{}: the value \"{}\" is not a number: {}", what, text, error->message));
  const double number = std::get<Expression>(parsed).evaluate<double>({});
  if (!std::isfinite(number)) throw UsageError(fmt::format("{}: the value \"{}\" is not a finite number", what, text));
  return number;
}

static std::pair<std::string, double> parse_setting(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--set \"{}\": write name=value, for example --set v=5", text));
  const std::string name = text.substr(0, equals);
  return {name, parse_number("--set " + name, text.substr(equals + 1))};
}

static void set_limit(const std::string& text, ReadLimits& limits) {
  std::vector<std::string> names;
  for (const LimitName& limit : limit_names()) names.emplace_back(limit.name);
  const std::string name = text.substr(0, text.find('='));
  if (name.size() == text.size() || name.empty())
    throw UsageError(fmt::format("--limit \"{}\": write name=value, for example --limit bodies=5000", text));
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("--limit: there is no limit \"{}\"{}; there are {}", name, did_you_mean(name, names),
                                 list_of(names)));
  const LimitName& limit = limit_names()[static_cast<std::size_t>(found - names.begin())];
  const double value = parse_number("--limit " + name, text.substr(name.size() + 1));
  if (!(value >= 1.0 && value <= static_cast<double>(limit.largest)) || value != std::round(value))
    throw UsageError(fmt::format("--limit {}: the value must be a whole number from 1 to {}", name, limit.largest));
  limit.of(limits) = static_cast<std::size_t>(value);
}

static std::string limits_help() {
  ReadLimits defaults;
  std::string text = "read larger models, or refuse smaller ones: --limit NAME=VALUE (may be repeated). The names are";
  for (const LimitName& limit : limit_names())
    text += fmt::format(" {} ({}; {}){}", limit.name, limit.meaning, limit.of(defaults),
                        &limit == &limit_names().back() ? "" : ",");
  return text;
}

void ModelArguments::add_to(CLI::App& app) {
  app.add_option("model", model, "a model file, or the name of an example (see: tandem examples)")->required();
  add_reading_to(app);
  app.add_flag("--json", json, "print JSON for machines");
}

void ModelArguments::add_reading_to(CLI::App& app) {
  app.add_option("--set", set, "override a parameter of the model: --set name=value (may be repeated)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--limit", limits, limits_help())->type_name("NAME=VALUE")->allow_extra_args(false);
  app.add_flag("--allow-external-files", external_files, "let the model name tables outside its folder");
}

ReadOptions ModelArguments::options() const {
  ReadOptions options;
  for (const std::string& each : set) options.set.push_back(parse_setting(each));
  for (const std::string& each : limits) set_limit(each, options.limits);
  options.allow_external_files = external_files;
  return options;
}

Model ModelArguments::read() const {
  const ReadOptions options = this->options();
  Model loaded = [&] {
    try {
      return load_model_or_example(model, options);
    } catch (const ModelError& error) {  // a parameter misspelt on the command line is not a fault of the model
      const auto& faults = error.faults().list();
      const auto of_command_line = [](const Fault& fault) { return fault.warning || fault.object == "--set"; };
      if (!std::all_of(faults.begin(), faults.end(), of_command_line)) throw;
      std::string messages;
      for (const Fault& fault : faults)
        if (!fault.warning) messages += (messages.empty() ? "--set: " : "\ntandem: --set: ") + fault.message;
      throw UsageError(messages);
    }
  }();
  for (const Fault& warning : loaded.warnings) tell("{}\n", warning.text());
  return loaded;
}

Model ModelArguments::load() const {
  Model loaded = read();
  require_inertia(loaded);
  return loaded;
}

nlohmann::ordered_json json_of(const Vector3& vector) { return {vector.x(), vector.y(), vector.z()}; }

static Failure not_understood(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto said = [](const char* word) { return std::strcmp(word, "--json") != 0; };
  char** const first = std::find_if(argv + 1, argv + argc, said);
  const std::string message = usage_message(app, error, first < argv + argc ? *first : "");
  std::string help = "tandem";
  for (const CLI::App* sub : app.get_subcommands()) help += " " + sub->get_name();
  Failure failure = usage_failure(message, fmt::format("tandem: {}\nTry: {} --help\n", message, help));
  if (const std::string option = option_of(error); !option.empty()) failure.faults.front().object = option;
  return failure;
}

// --help and --version.
static void print_help(const CLI::App& app, const CLI::Success& asked) {
  std::ostringstream out;
  app.exit(asked, out, out);
  const bool version = dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr;
  if (expects_json())
    print_json({{version ? "version" : "help", version ? TANDEM_VERSION : out.str()}});
  else
    fmt::print("{}", out.str());
}

static void run(int argc, char** argv) {
  CLI::App app{"Tandem: constrained rigid-body dynamics. One model, solved and checked."};
  app.set_version_flag("--version", std::string("tandem ") + TANDEM_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  tandem examples                              the models inside the program\n"
      "  tandem check bicycle                         degrees of freedom, redundant rows\n"
      "  tandem assemble bicycle --hold steer=0.1     a start that meets all constraints\n"
      "  tandem evaluate bicycle --set v=6            accelerations and reactions at the start\n"
      "  tandem run bicycle --duration 5 --out b.csv  motion over time\n"
      "  tandem compare bicycle                       is it right? all methods, one verdict\n"
      "  tandem steady bicycle --hold lean=pi/18      a steady circle, with wheel loads\n"
      "  tandem linearize bicycle --sweep v=0:10:101  eigenvalues against speed\n"
      "  tandem view bicycle                          look at it in a browser\n"
      "  tandem convert bicycle --out bicycle.json    the model written back, as TOML or JSON\n"
      "  tandem check my-machine.toml --json\n\n"
      "Exit codes: 0 done, 1 the model is wrong or methods differ, 2 usage, 3 numerical failure, 4 file trouble,\n"
      "130 interrupted by ^C, 143 by SIGTERM.\n"
      "With --json every command prints one JSON value, also when it fails: docs/json.md.");
  add_check(app);
  add_assemble(app);
  add_evaluate(app);
  add_run(app);
  add_compare(app);
  add_steady(app);
  add_linearize(app);
  add_view(app);
  add_examples(app);
  add_methods(app);
  add_convert(app);
  add_bench(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    print_help(app, success);
  } catch (const CLI::ParseError& error) {
    throw not_understood(app, error, argc, argv);
  }
}

// What a command could not do; nothing when all went well.
static std::optional<Failure> failure_of(int argc, char** argv) {
  try {
    run(argc, argv);
    return {};
  } catch (const Failure& failure) {
    return failure;
  } catch (const UsageError& error) {
    return usage_failure(error.what(), fmt::format("tandem: {}\n", error.what()));
  } catch (const ModelError& error) {
    return model_failure(error.faults());
  } catch (const NumericalError& error) {
    const std::string what = printable(error.what());  // at t = 1 s: …, or without a place
    return failed_with(numerical_failure, "numerical",
                       fmt::format("numerical failure{} {}", what.starts_with("at ") ? "" : ":", what));
  } catch (const FileError& error) {
    return file_failure(error.what());
  } catch (const std::bad_alloc&) {
    return failed_with(numerical_failure, "memory", "there is not enough memory for this model; make it smaller");
  } catch (const std::system_error& error) {  // mostly a full disk or a closed stream behind stdout
    if (std::ferror(stdout) == 0) return file_failure(error.what());
    return file_failure(fmt::format("cannot write to standard output: {}", error.code().message()));
  } catch (const std::exception& error) {
    return failed_with(numerical_failure, "internal", fmt::format("internal error: {}", error.what()));
  }
}

}  // namespace tandem::cli

int main(int argc, char** argv) {
  tandem::cli::keep_standard_streams();
  tandem::cli::expect_json(argc, argv);
  return tandem::cli::finish(tandem::cli::failure_of(argc, argv));
}
