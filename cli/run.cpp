// tandem run: motion over time, results to a file, and the health record.
#include <fmt/core.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "progress.hpp"
#include "run_report.hpp"
#include "tandem/io/record.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {

namespace {

struct RunArguments {
  ModelArguments model;
  MethodArguments method;
  IntegratorArguments integrator;
  std::optional<double> duration;
  std::optional<int> iterations, substeps;
  std::string every = "1", out;
  double flush_every = 5.0;
  bool quiet = false, force = false, resume = false, zero_momentum = false, assemble = false;
};

volatile std::sig_atomic_t interrupted = 0;
void on_signal(int signal) { interrupted = signal; }

// While it lives, ^C and a kind kill end the run after its present step.
class SignalGuard {
 public:
  SignalGuard() : on_interrupt_(std::signal(SIGINT, on_signal)), on_terminate_(std::signal(SIGTERM, on_signal)) {}
  ~SignalGuard() {
    std::signal(SIGINT, on_interrupt_);
    std::signal(SIGTERM, on_terminate_);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

 private:
  void (*on_interrupt_)(int);
  void (*on_terminate_)(int);
};

// "10" steps, or "0.05s" seconds: the time between rows. Steps of a fixed length must fit into it.
double time_between_rows(const std::string& text, double step, bool adaptive) {
  std::size_t used = 0;
  double value = 0.0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const bool seconds = used > 0 && text.substr(used) == "s";
  const double steps = seconds ? value / step : value;
  const bool whole = std::abs(steps - std::round(steps)) < 1e-6 * std::max(1.0, steps);
  const bool long_enough = adaptive && seconds ? value > 0.0 && steps < 1e15 : steps >= 1.0 - 1e-6 && steps <= 1e15;
  if (used == 0 || (!seconds && used != text.size()) || !long_enough || (!whole && !(adaptive && seconds)))
    throw UsageError(
        fmt::format("--every \"{}\": give a whole number of steps, such as 10, or a multiple of the step in "
                    "seconds, such as 0.05s",
                    text));
  return seconds && adaptive ? value : std::round(steps) * step;
}

ResultAbout about(const Model& model, const Simulation& simulation, double interval) {
  const SimulationDescription& settings = model.simulation;
  ResultAbout about;
  const auto add = [&](const char* name, std::string value) { about.attributes.emplace_back(name, std::move(value)); };
  add("tandem", TANDEM_VERSION);
  add("model", model.name);
  add("model_text", model.text);
  for (const auto& [name, value] : model.parameters)
    about.attributes.emplace_back("parameter " + name, fmt::format("{}", value));
  add("method", settings.method);
  add("cut", cut_of(model, settings.method));
  add("coordinates", std::string(simulation.workspace().coordinates->name()));
  add("integrator", integrator_of(model));
  add("stabilisation", settings.stabilisation);
  add("alpha", fmt::format("{}", settings.alpha));
  add("beta", fmt::format("{}", settings.beta));
  add("tolerance", fmt::format("{}", settings.tolerance));
  add("step", fmt::format("{}", settings.step));
  add("duration", fmt::format("{}", settings.duration));
  add("time_between_rows", fmt::format("{}", interval));
  const ImpulseOptions& impulses = settings.impulses;
  if (settings.method == "impulses")
    add("impulses",
        fmt::format("iterations {}, substeps {}, baumgarte {}, position_iterations {}, slop {}, "
                    "largest_correction {}, warm_start {}",
                    impulses.iterations, impulses.substeps, impulses.baumgarte, impulses.position_iterations,
                    impulses.slop, impulses.largest_correction, impulses.warm_start));
  const Vec3<double>& g = model.gravity;
  add("gravity", fmt::format("{} {} {}", g.x(), g.y(), g.z()));
  return about;
}

// The run, its file and its bar.
class Runner {
 public:
  Runner(const Model& model, const RunArguments& arguments, Simulation& simulation)
      : model_(model),
        arguments_(arguments),
        interval_(time_between_rows(arguments.every, model.simulation.step, simulation.is_adaptive())),
        run_(model, simulation,
             {.duration = model.simulation.duration,
              .interval = interval_,
              .on_row = [this](Simulation& at, const HealthRow& health) { row(at, health); }}) {
    if (!arguments.out.empty()) open(simulation);
  }

  void go(Simulation& simulation) {
    const SignalGuard guard;
    ProgressBar progress(!arguments_.quiet && !arguments_.model.json);
    const double start = simulation.state().t;
    while (run_.advance()) {
      if (interrupted != 0) run_.stop("interrupted");
      progress.show((simulation.state().t - start) / run_.duration(),
                    fmt::format("t = {:.2f} s", simulation.state().t));
      if (writer_ && writer_->flush_due()) {
        const std::vector<double> now = memory();
        writer_->flush(std::as_bytes(std::span(now)));
      }
    }
    if (writer_) writer_->finish({{{"status", std::string(status_name(run_.status()))}, {"reason", run_.reason()}}});
  }

  const Run& run() const { return run_; }
  const OutputSummary& outputs() const { return outputs_; }

 private:
  void open(const Simulation& simulation) {
    ResultOptions options;
    options.force = arguments_.force;
    if (!model_.file.empty()) options.inputs.emplace_back(model_.file);
    options.flush_every = std::chrono::milliseconds(std::lround(1000.0 * arguments_.flush_every));
    if (!arguments_.resume) {
      writer_ = std::make_unique<ResultWriter>(arguments_.out, record_columns(model_),
                                               about(model_, simulation, interval_), options);
      return;
    }
    ResumedResults resumed =
        ResultWriter::resume(arguments_.out, record_columns(model_), about(model_, simulation, interval_), options);
    std::vector<double> memory(resumed.checkpoint.size() / sizeof(double));
    std::memcpy(memory.data(), resumed.checkpoint.data(), memory.size() * sizeof(double));
    try {
      MemoryReader in(memory);
      for (auto* each : outputs_.all()) in.get(*each);
      run_.restore(in.rest());
    } catch (const std::invalid_argument& error) {
      throw FileError(fmt::format("cannot resume \"{}\": {}", arguments_.out, error.what()));
    }
    writer_ = std::move(resumed.writer);
  }

  std::vector<double> memory() const {
    MemoryWriter out;
    for (const auto* each : outputs_.all()) out.put(*each);
    for (const double number : run_.memory()) out.put(number);
    return std::move(out.numbers);
  }

  void row(Simulation& at, const HealthRow& health) {
    record_values(model_, at, health, values_);
    outputs_.watch(std::span(values_).subspan(1, model_.outputs.size()));
    if (writer_) writer_->row(values_);
  }

  const Model& model_;
  const RunArguments& arguments_;
  double interval_;
  Run run_;
  std::unique_ptr<ResultWriter> writer_;
  std::vector<double> values_;
  OutputSummary outputs_;
};

// Where a failed run broke off, so that it can be looked at; the name of the file.
std::string keep_last_good_state(const Model& model, const std::string& out, const Simulation& simulation,
                                 const std::string& reason) {
  const std::string file = (out.empty() ? model.name : out) + ".last-good.json";
  nlohmann::ordered_json json;
  json["model"] = model.name;
  json["reason"] = reason;
  json["time"] = simulation.state().t;
  json["bodies"] = bodies_json(model, simulation);
  std::ofstream stream(file);
  stream << json.dump(2) << "\n";
  stream.close();
  if (stream.fail()) return fmt::format("it could not be kept in \"{}\"", file);
  return fmt::format("it is kept in \"{}\"", file);
}

void run_model(const RunArguments& arguments) {
  arguments.method.check();
  arguments.integrator.check();
  if (arguments.duration && !(*arguments.duration > 0.0 && std::isfinite(*arguments.duration)))
    throw UsageError("--duration must be a positive number of seconds");
  if (arguments.iterations.value_or(1) < 1) throw UsageError("--iterations must be at least 1");
  if (arguments.substeps.value_or(1) < 1) throw UsageError("--substeps must be at least 1");
  if (!(arguments.flush_every >= 0.0 && arguments.flush_every < 1e9))
    throw UsageError("--flush-every must be a number of seconds");
  if (arguments.resume && arguments.out.empty())
    throw UsageError("--resume needs --out: the file of the run that was broken off");
  Model model = arguments.model.load();
  arguments.method.apply(model);
  arguments.integrator.apply(model);
  if (arguments.iterations) model.simulation.impulses.iterations = *arguments.iterations;
  if (arguments.substeps) model.simulation.impulses.substeps = *arguments.substeps;
  if (arguments.duration) model.simulation.duration = *arguments.duration;
  model.simulation.step = std::min(model.simulation.step, model.simulation.duration);
  if (!(model.simulation.duration / model.simulation.step < 1e12))
    throw UsageError("the step is too small for the duration");
  for (const std::string& warning : integrator_warnings(model)) fmt::print(stderr, "tandem: warning: {}\n", warning);

  Simulation simulation(model, {.assemble = arguments.assemble, .zero_momentum = arguments.zero_momentum});
  Runner runner(model, arguments, simulation);
  runner.go(simulation);
  const RunReport report{model, simulation, runner.run(), runner.outputs(), arguments.out};
  if (arguments.model.json)
    print_json(report.json());
  else if (!arguments.quiet)
    report.print();
  if (runner.run().status() == RunStatus::failed)
    throw NumericalError(runner.run().reason() +
                         fmt::format("; the last good state is that of t = {:.9g} s, {}", simulation.state().t,
                                     keep_last_good_state(model, arguments.out, simulation, runner.run().reason())));
  if (interrupted != 0) throw Interrupted();
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Motion over time, with a health record");
  auto arguments = std::make_shared<RunArguments>();
  arguments->model.add_to(*command);
  arguments->integrator.add_to(*command);
  command->add_option("--duration", arguments->duration, "how long, in seconds (default: the model's)");
  arguments->method.add_to(*command);
  command->add_option("--iterations", arguments->iterations, "of the method impulses: sweeps in a sub-step");
  command->add_option("--substeps", arguments->substeps, "of the method impulses: sub-steps in a step");
  command->add_flag("--assemble", arguments->assemble, "move a start that is far off its constraints onto them");
  command->add_flag("--zero-momentum", arguments->zero_momentum, "start machines that float without any momentum");
  command->add_option("--every", arguments->every, "a row every so many steps (10), or seconds (0.05s)");
  command->add_option("--out", arguments->out, "write the results to this .csv or .h5 file");
  command->add_flag("--force", arguments->force, "replace an existing result");
  command->add_flag("--resume", arguments->resume, "continue a run that was killed, bit for bit");
  command
      ->add_option("--flush-every", arguments->flush_every,
                   "seconds between writes to the disk, from which --resume can continue")
      ->capture_default_str();
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->footer(
      "Examples:\n"
      "  tandem run bicycle --duration 5 --out bicycle.csv\n"
      "  tandem run bicycle --integrator dop853 --tolerance 1e-12 --every 0.05s --out bicycle.h5\n"
      "  tandem run bicycle --method articulated --duration 5\n"
      "  tandem run chain --method impulses --iterations 200 --step 0.001\n"
      "  tandem run chain --set angle=1.5 --stabilise baumgarte --alpha 10 --beta 25\n"
      "  tandem run bicycle --duration 5 --out bicycle.csv --resume\n\n"
      "A run ends finished, stopped (by a [[stop]] of the model, or ^C) or failed (exit code 3).");
  command->callback([arguments] { run_model(*arguments); });
}

}  // namespace tandem::cli
