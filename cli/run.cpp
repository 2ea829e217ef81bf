// tandem run: motion over time, results to a file, and the health record.
#include <fmt/core.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "output_place.hpp"
#include "runner.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/io/results/output_file.hpp"
#include "tell.hpp"

namespace tandem::cli {

namespace {

// Where --last-good says; else beside the results, or the report. Empty: nowhere.
std::string last_good_file(const RunArguments& arguments) {
  if (!arguments.last_good.empty()) return arguments.last_good;
  std::error_code error;
  for (const std::string& output : {arguments.out, arguments.report})
    if (!output.empty() && std::filesystem::is_regular_file(output, error)) return output + ".last-good.json";
  return "";
}

void remove_quietly(const std::string& file) {
  std::error_code error;
  std::filesystem::remove(file, error);
}

// Where a failed run broke off, so that it can be looked at; what became of it.
std::string keep_last_good_state(const Model& model, const RunArguments& arguments, Simulation& simulation,
                                 const std::string& reason) {
  const std::string file = last_good_file(arguments);
  if (file.empty()) return "which --last-good FILE would keep";
  nlohmann::ordered_json json;
  json["model"] = model.name;
  json["reason"] = reason;
  json["time"] = simulation.state().t;
  json["bodies"] = bodies_json(model, simulation);
  const std::string text = json.dump(2) + "\n";
  try {
    write_output(file, text, arguments.last_good.empty() || arguments.force);
  } catch (const FileError& error) {
    return fmt::format("it could not be kept: {}", error.what());
  }
  return fmt::format("it is kept in \"{}\"", file);
}

void check(const RunArguments& arguments) {
  arguments.method.check();
  arguments.integrator.check();
  if (arguments.duration && !(*arguments.duration > 0.0 && std::isfinite(*arguments.duration)))
    throw UsageError("--duration must be a positive number of seconds");
  if (arguments.iterations.value_or(1) < 1) throw UsageError("--iterations must be at least 1");
  if (arguments.substeps.value_or(1) < 1) throw UsageError("--substeps must be at least 1");
  if (!(arguments.flush_every >= 0.0 && arguments.flush_every < 1e9))
    throw UsageError("--flush-every must be a number of seconds, 0 or more");
  if (!arguments.report.empty() && arguments.resume)
    throw UsageError(
        "--report cannot go with --resume: it needs all samples; when the run has ended: tandem view FILE");
  check_report("--report", arguments.report, arguments.force);
  check_output("--last-good", arguments.last_good, arguments.force);
  if (!arguments.resume) check_output("--out", arguments.out, arguments.force);
  if (arguments.horizon && arguments.resume)
    throw UsageError("--horizon cannot go with --resume: its twin starts with the run");
  if (arguments.resume && arguments.out.empty())
    throw UsageError("--resume needs --out: the file of the run that was broken off");
}

Model prepared_model(const RunArguments& arguments) {
  Model model = arguments.model.load();
  arguments.method.apply(model.setup);
  arguments.integrator.apply(model.setup);
  if (arguments.steady)
    arguments.start.hold_in_steady(model);
  else
    arguments.start.hold_in_start(model);
  if (arguments.iterations) model.setup.impulses.iterations = *arguments.iterations;
  if (arguments.substeps) model.setup.impulses.substeps = *arguments.substeps;
  if (arguments.duration) model.setup.duration = *arguments.duration;
  model.setup.step = std::min(model.setup.step, model.setup.duration);
  refuse_endless(model.setup, {});
  std::vector<std::string> warnings = setup_warnings(model.setup);
  for (std::string& line : arguments.integrator.idle(model.setup)) warnings.push_back(std::move(line));
  if ((arguments.iterations || arguments.substeps) && !model.setup.by_impulses())
    warnings.push_back(fmt::format("--iterations and --substeps do nothing: the method is {}; take --method impulses",
                                   model.setup.method.word()));
  for (const std::string& warning : warnings) tell("tandem: warning: {}\n", warning);
  return model;
}

// Where tandem steady would put it. Impulses has no accelerations to find it with; the motion is the same.
State steady_start(const Model& model, const State& start) {
  Setup setup = model.setup;
  if (setup.by_impulses()) setup.method = MethodName::lagrange;
  return find_steady(model, start, {.hold = model.held_steady, .setup = setup}).bodies;
}

std::unique_ptr<Simulation> started(const Model& model, const RunArguments& arguments) {
  try {
    auto simulation = std::make_unique<Simulation>(
        model, StartOptions{.assemble = arguments.start.assemble, .zero_momentum = arguments.zero_momentum});
    if (arguments.steady) simulation->set_bodies(steady_start(model, simulation->bodies()));
    return simulation;
  } catch (const FarStart& error) {
    throw far_start(model, error);
  } catch (const NumericalError& error) {  // before there is anything else to report
    const std::string reason = fmt::format("at t = 0 s: {}", error.what());
    if (arguments.model.json)
      print_json({{"model", model.name},
                  {"status", "failed"},
                  {"reason", reason},
                  {"trust", trust_name(Trust::not_to_be_trusted)},
                  {"reasons", reasons_json(judge(model, model.setup, {}, "failed", reason))},
                  {"time", 0.0}});
    throw NumericalError(reason);
  }
}

// What `check` knows about the start that may be why a run failed.
std::string start_hint(const Model& model) {
  try {
    if (count(model).singular)
      return "; the start is a singular position: infinitesimal motions there cannot be continued; start slightly away "
             "from it";
  } catch (const std::bad_alloc&) {  // a hint is not worth more
  }
  return "";
}

// What --strict makes of a run that is not to be trusted.
void refuse(const Judgement& judgement) {
  Failure failure{numerical_failure, "untrusted", "", {}, ""};
  for (const TrustReason& reason : judgement.reasons) {
    if (reason.trust != Trust::not_to_be_trusted) continue;
    const std::string message = "not to be trusted: " + printable(reason.text);
    if (failure.message.empty()) failure.message = message;
    failure.faults.push_back({false, {}, "", message});
    failure.text += fmt::format("tandem: {}\n", message);
  }
  throw failure;
}

void run_model(const RunArguments& arguments) {
  check(arguments);
  const Model model = prepared_model(arguments);
  const std::unique_ptr<Simulation> start = started(model, arguments);
  Simulation& simulation = *start;
  const SignalGuard guard;
  Runner runner(model, arguments, simulation);
  runner.go();
  if (!arguments.report.empty()) runner.write_report();
  const RunReport report{model, simulation, runner.run(), runner.outputs(), arguments.out, arguments.report};
  if (arguments.model.json)
    print_json(report.json());
  else if (!arguments.quiet)
    report.print();
  if (runner.run().status() == RunStatus::failed) {
    const std::string reason = runner.run().reason();
    throw NumericalError(fmt::format("{}{}; the last good state is that of t = {:.9g} s, {}", reason, start_hint(model),
                                     simulation.state().t, keep_last_good_state(model, arguments, simulation, reason)));
  }
  if (arguments.last_good.empty()) remove_quietly(last_good_file(arguments));  // of an earlier run
  if (runner.was_interrupted()) throw interrupted_by(SignalGuard::signal());
  if (arguments.strict && runner.run().judgement().trust == Trust::not_to_be_trusted) refuse(runner.run().judgement());
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Motion over time, with a health record");
  auto arguments = std::make_shared<RunArguments>();
  arguments->model.add_to(*command);
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->add_flag("--strict", arguments->strict, "exit code 3 when the run is not to be trusted (docs/health.md)");
  command->add_flag("--horizon", arguments->horizon,
                    "also run a slightly perturbed twin, and report how long the digits last");
  command->add_flag("--zero-momentum", arguments->zero_momentum, "start machines that float without any momentum");
  command->add_flag("--steady", arguments->steady, "start on the steady motion near the start (see: tandem steady)");
  arguments->start.add_to(*command);
  command->add_option("--duration", arguments->duration, "how long (default: the model's)")
      ->type_name("SECONDS")
      ->group("Time");
  arguments->integrator.add_to(*command);
  arguments->method.add_to(*command);
  command->add_option("--iterations", arguments->iterations, "of impulses: sweeps per sub-step")
      ->type_name("N")
      ->group("Method");
  command->add_option("--substeps", arguments->substeps, "of impulses: sub-steps per step")
      ->type_name("N")
      ->group("Method");
  const auto results = [&](auto* option) { return option->group("Results"); };
  results(command->add_option("--out", arguments->out, "write a sample of every step to this .csv or .h5 file"))
      ->type_name("FILE");
  results(
      command->add_option("--every", arguments->every, "a sample every N steps (10), or every so many seconds (0.05s)"))
      ->type_name("N|TIMEs");
  results(command->add_flag("--force", arguments->force, "replace files that are there already"));
  results(command->add_flag("--resume", arguments->resume, "continue a run that was killed, bit for bit"));
  results(command->add_option("--flush-every", arguments->flush_every,
                              "time between writes to the disk, from which --resume can continue"))
      ->type_name("SECONDS")
      ->capture_default_str();
  results(command->add_option("--report", arguments->report, "write the motion as a page to look at in a browser"))
      ->type_name("FILE.html");
  results(command->add_option("--last-good", arguments->last_good,
                              "where a run that fails leaves its last good state (default: FILE.last-good.json beside "
                              "the results or the report; without these nowhere)"))
      ->type_name("FILE.json");
  command->footer(
      "Examples:\n"
      "  tandem run bicycle --report bicycle.html --force\n"
      "  tandem run bicycle --hold lean=0.1 --hold steer.rate=0      from a leaned start\n"
      "  tandem run bicycle --steady --hold lean=pi/18 --duration 60\n"
      "  tandem run bicycle --duration 5 --out bicycle.csv\n"
      "  tandem run bicycle --integrator dop853 --tolerance 1e-12 --every 0.05s --out bicycle.h5\n"
      "  tandem run bicycle --method articulated --duration 5\n"
      "  tandem run chain --set angle=1.5 --method impulses --iterations 200 --step 0.001\n"
      "  tandem run chain --set angle=1.5 --stabilise baumgarte --alpha 10 --beta 25\n"
      "  tandem run bicycle --duration 5 --out bicycle.csv --resume\n\n"
      "A run ends finished, stopped (by a [[stop]] of the model), interrupted (by ^C, exit code 130, or SIGTERM, 143) "
      "or failed (exit code 3), "
      "and\n"
      "gets a verdict with its reasons: trusted, look, or not to be trusted (with --strict: exit code 3).\n"
      "What the tables mean: docs/health.md. Which integrator: docs/integrators.md.");
  command->callback([arguments] { run_model(*arguments); });
}

}  // namespace tandem::cli
