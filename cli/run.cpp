// tandem run: motion over time.
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/analysis/outputs.hpp"
#include "tandem/io/csv.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

struct RunArguments {
  ModelArguments model;
  std::optional<double> step, duration;
  MethodArguments method;
  std::string every = "1", out;
  std::optional<int> iterations, substeps;
  bool quiet = false;
};

// What a run leaves behind.
struct RunSummary {
  std::string status = "finished", reason;
  long steps = 0;
  double end = 0.0;
  ResidualNorms before, after;                   // largest over all steps
  std::vector<double> first, last, least, most;  // outputs
  Energy energy_start, energy_end;
  ImpulseReport impulses;  // by the method impulses: the worst of all steps
  double largest_force = 0.0;
};

static bool by_impulses(const Model& model) { return model.simulation.method == "impulses"; }
static std::string integrator_name(const Model& model) {
  return by_impulses(model) ? "semi_implicit_euler" : model.simulation.integrator;
}

// A bar on standard error while a person waits; nothing when it is not a terminal.
class ProgressBar {
 public:
  ProgressBar(bool wanted, double duration) : on_(wanted && isatty(STDERR_FILENO) != 0), duration_(duration) {}
  ~ProgressBar() {
    if (on_) fmt::print(stderr, "\r\033[K");
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  void show(double t) {
    if (!on_) return;
    const int percent = static_cast<int>(100.0 * t / duration_);
    if (percent == shown_) return;
    shown_ = percent;
    fmt::print(stderr, "\r  {:3}%  [{:<40}]  t = {:.2f} s", percent,
               std::string(static_cast<std::size_t>(percent * 2 / 5), '='), t);
    std::fflush(stderr);
  }

 private:
  bool on_;
  double duration_;
  int shown_ = -1;
};

// "10" steps, or "0.05s" seconds.
static long steps_between_rows(const std::string& text, double step) {
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
  if (used == 0 || (!seconds && used != text.size()) || !(steps >= 1.0 - 1e-6) || !whole || steps > 1e15)
    throw UsageError(
        fmt::format("--every \"{}\": give a whole number of steps, such as 10, or a multiple of the step in "
                    "seconds, such as 0.05s",
                    text));
  return std::lround(steps);
}

static void positive(const char* name, const std::optional<double>& value) {
  if (value && !(*value > 0.0 && std::isfinite(*value)))
    throw UsageError(fmt::format("{} must be a positive number of seconds", name));
}

static void watch_outputs(const Model& model, Simulation& simulation, RunSummary& summary) {
  std::vector<double> now;
  for (const ModelOutput& output : model.outputs) now.push_back(output_value(model, output, simulation));
  summary.last = std::move(now);
  if (summary.first.empty()) summary.first = summary.least = summary.most = summary.last;
  for (std::size_t i = 0; i < summary.last.size(); ++i) {
    summary.least[i] = std::min(summary.least[i], summary.last[i]);
    summary.most[i] = std::max(summary.most[i], summary.last[i]);
  }
}

static void watch_impulses(Simulation& simulation, const ImpulseReport& report, RunSummary& summary) {
  summary.impulses.sweeps += report.sweeps;
  summary.impulses.position_iterations += report.position_iterations;
  summary.impulses.position_gap = std::max(summary.impulses.position_gap, report.position_gap);
  if (!(report.unsolved <= summary.impulses.unsolved)) {
    summary.impulses.unsolved = report.unsolved;
    summary.impulses.worst_row = report.worst_row;
  }
  const Eigen::VectorXd& lambda = simulation.solution().lambda;
  if (lambda.size() > 0) summary.largest_force = std::max(summary.largest_force, lambda.cwiseAbs().maxCoeff());
}

static RunSummary simulate(const Model& model, const RunArguments& arguments, Simulation& simulation) {
  const double h = model.simulation.step, duration = model.simulation.duration;
  const long every = steps_between_rows(arguments.every, h);
  if (!(duration / h < 1e12)) throw UsageError("the step is too small for the duration");
  const long steps = std::max(1L, static_cast<long>(std::ceil(duration / h - 1e-9)));
  std::optional<CsvWriter> csv;
  if (!arguments.out.empty()) csv.emplace(arguments.out, model);
  ProgressBar progress(!arguments.quiet && !arguments.model.json, duration);

  RunSummary summary;
  summary.energy_start = simulation.energy();
  const double start = simulation.state().t;
  StepReport report;
  report.before = report.after = residual_norms(simulation.workspace().problem);
  try {
    watch_outputs(model, simulation, summary);
    if (csv) csv->write(model, simulation, report);
    for (long i = 1; i <= steps; ++i) {
      // The last step ends exactly at the duration, also when the step does not divide it.
      const double end = i == steps ? duration : static_cast<double>(i) * h;
      report = simulation.step(start + end - simulation.state().t);
      summary.steps = i;
      const auto larger = [](double& most, double value) { most = !(value <= most) ? value : most; };
      larger(summary.before.position, report.before.position);
      larger(summary.before.velocity, report.before.velocity);
      larger(summary.after.position, report.after.position);
      larger(summary.after.velocity, report.after.velocity);
      if (by_impulses(model)) watch_impulses(simulation, report.impulses, summary);
      const bool row = i % every == 0 || i == steps;
      if (row || i == steps) watch_outputs(model, simulation, summary);
      if (csv && row) csv->write(model, simulation, report);
      progress.show(simulation.state().t);
    }
  } catch (const NumericalError& error) {
    summary.status = "failed";
    summary.reason = error.what();
  }
  if (csv) csv->finish();
  summary.end = simulation.state().t;
  summary.energy_end = simulation.energy();
  return summary;
}

static double energy_change(const RunSummary& summary) {
  return summary.energy_end.total() - summary.energy_start.total();
}

// Against the energy at the start; nothing where that is as good as zero.
static std::optional<double> relative_change(const RunSummary& summary) {
  const double start = std::max(std::abs(summary.energy_start.total()), summary.energy_start.kinetic);
  if (!(start > 1e-9) || !std::isfinite(energy_change(summary))) return std::nullopt;
  return energy_change(summary) / start;
}

static std::string change_text(const Model& model, const RunSummary& summary) {
  if (!model.conserves_energy()) return "drives, dampers or forces do work";
  const auto relative = relative_change(summary);
  return relative ? fmt::format("relative change {:.2e}", *relative)
                  : fmt::format("change {:.2e} J", energy_change(summary));
}

static Json run_json(const Model& model, const RunArguments& arguments, const RunSummary& summary,
                     Simulation& simulation) {
  Json json;
  json["model"] = model.name;
  json["status"] = summary.status;
  if (!summary.reason.empty()) json["reason"] = summary.reason;
  json["method"] = model.simulation.method;
  json["cut"] = cut_of(model, model.simulation.method);
  json["coordinates"] = simulation.workspace().coordinates->name();
  json["integrator"] = integrator_name(model);
  json["stabilisation"] = model.simulation.stabilisation;
  json["step"] = model.simulation.step;
  json["steps"] = summary.steps;
  json["time"] = summary.end;
  json["outputs"] = Json::object();
  for (std::size_t i = 0; i < summary.last.size(); ++i) json["outputs"][model.outputs[i].name] = summary.last[i];
  json["bodies"] = Json::object();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    Json& out = json["bodies"][body.name];
    out["position"] = json_of(motion.X_WC.p);
    out["velocity"] = json_of(motion.v);
    if (body.point_mass) continue;
    const Vec4<double> q = simulation.bodies().q.segment<4>(body.q_first);
    out["quaternion"] = {q[0], q[1], q[2], q[3]};
    out["angular_velocity"] = json_of(motion.w_B);
  }
  const auto relative = relative_change(summary);
  json["energy"] = {{"start", summary.energy_start.total()},
                    {"end", summary.energy_end.total()},
                    {"change", energy_change(summary)},
                    {"relative_change", relative ? Json(*relative) : Json()},
                    {"conserved", model.conserves_energy()}};
  json["residuals"] = {{"position_before_projection", summary.before.position},
                       {"velocity_before_projection", summary.before.velocity},
                       {"position", summary.after.position},
                       {"velocity", summary.after.velocity}};
  if (by_impulses(model))
    json["impulses"] = {
        {"sweeps", summary.impulses.sweeps},
        {"largest_unsolved_part", summary.impulses.unsolved},
        {"position_error_before_projection", summary.impulses.position_gap},
        {"position_iterations", summary.impulses.position_iterations},
        {"largest_row_force", summary.largest_force},
        {"largest_row_impulse", summary.largest_force * model.simulation.step / model.simulation.impulses.substeps}};
  json["start"] = {{"moved", simulation.start().moved}, {"speed_moved", simulation.start().speed_moved}};
  if (!arguments.out.empty()) json["file"] = arguments.out;
  return json;
}

static void print_impulses(const Model& model, const RunSummary& summary) {
  const double unsolved = summary.impulses.unsolved;
  fmt::print("\n{} sweeps; the largest row force was {} (N or N m), its impulse {}\n", summary.impulses.sweeps,
             number(summary.largest_force),
             number(summary.largest_force * model.simulation.step / model.simulation.impulses.substeps));
  fmt::print("largest part of a row left unsolved by the sweeps of a step: {:.2e}", unsolved);
  if (summary.impulses.worst_row >= 0) fmt::print(" ({})", model.row_name(summary.impulses.worst_row));
  fmt::print("\n");
  if (unsolved > 1e-3)
    fmt::print("{}\n", bold(fmt::format("{} sweeps are not an answer here: forces are off by about as much. Use more "
                                        "--iterations or --substeps, or another method.",
                                        model.simulation.impulses.iterations)));
}

static void print_run(const Model& model, const RunArguments& arguments, const RunSummary& summary,
                      Simulation& simulation) {
  fmt::print("{}: {} steps of {} s by {} and {}, {} at t = {} s\n", bold(model.name), summary.steps,
             number(model.simulation.step), model.simulation.method, integrator_name(model), summary.status,
             number(summary.end));
  if (simulation.start().speed_moved > 1e-9)
    fmt::print("  {}\n", faint(fmt::format("start speeds were adjusted by up to {} to meet the constraints",
                                           number(simulation.start().speed_moved))));
  if (!summary.last.empty()) {
    fmt::print("\n");
    Table table({"output", "start", "end", "least", "most", "unit"});
    for (std::size_t i = 0; i < model.outputs.size(); ++i)
      table.row({model.outputs[i].name, number(summary.first[i]), fmt::format("{:.10g}", summary.last[i]),
                 number(summary.least[i]), number(summary.most[i]), model.outputs[i].unit});
    table.print();
  }
  fmt::print("\n");
  Table health({"health", "start", "end", ""});
  health.row({"energy [J]", number(summary.energy_start.total()), number(summary.energy_end.total()),
              change_text(model, summary)});
  health.print();
  fmt::print("\n");
  Table residuals({"largest residual in a step", "before projection", "after"});
  residuals.row(
      {"position", fmt::format("{:.2e}", summary.before.position), fmt::format("{:.2e}", summary.after.position)});
  residuals.row(
      {"velocity", fmt::format("{:.2e}", summary.before.velocity), fmt::format("{:.2e}", summary.after.velocity)});
  residuals.print();
  if (by_impulses(model)) print_impulses(model, summary);
  if (!arguments.out.empty()) fmt::print("\nwritten to {}\n", arguments.out);
}

static void run_model(const RunArguments& arguments) {
  arguments.method.check();
  positive("--step", arguments.step);
  positive("--duration", arguments.duration);
  if (arguments.iterations.value_or(1) < 1) throw UsageError("--iterations must be at least 1");
  if (arguments.substeps.value_or(1) < 1) throw UsageError("--substeps must be at least 1");
  Model model = arguments.model.load();
  arguments.method.apply(model);
  if (arguments.iterations) model.simulation.impulses.iterations = *arguments.iterations;
  if (arguments.substeps) model.simulation.impulses.substeps = *arguments.substeps;
  if (arguments.step) model.simulation.step = *arguments.step;
  if (arguments.duration) model.simulation.duration = *arguments.duration;
  model.simulation.step = std::min(model.simulation.step, model.simulation.duration);
  Simulation simulation(model);
  const RunSummary summary = simulate(model, arguments, simulation);
  if (arguments.model.json)
    print_json(run_json(model, arguments, summary, simulation));
  else if (!arguments.quiet)
    print_run(model, arguments, summary, simulation);
  if (summary.status == "failed")
    throw NumericalError(summary.reason +
                         fmt::format("; the last good state is that of t = {} s", number(summary.end)));
}

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Motion over time: rk4 with projection of positions and velocities");
  auto arguments = std::make_shared<RunArguments>();
  arguments->model.add_to(*command);
  command->add_option("--step", arguments->step, "time step in seconds (default: the model's)");
  command->add_option("--duration", arguments->duration, "how long, in seconds (default: the model's)");
  arguments->method.add_to(*command);
  command->add_option("--iterations", arguments->iterations, "of the method impulses: sweeps in a sub-step");
  command->add_option("--substeps", arguments->substeps, "of the method impulses: sub-steps in a step");
  command->add_option("--every", arguments->every, "write every so many steps (10), or seconds (0.05s)");
  command->add_option("--out", arguments->out, "write the results to this CSV file");
  command->add_flag("--quiet", arguments->quiet, "print nothing but errors");
  command->footer(
      "Examples:\n"
      "  tandem run bicycle --duration 5 --out bicycle.csv\n"
      "  tandem run bicycle --step 0.001 --every 0.05s --out bicycle.csv\n"
      "  tandem run bicycle --method articulated --duration 5\n"
      "  tandem run chain --method impulses --iterations 200 --step 0.001\n"
      "  tandem run chain --set angle=1.5 --json");
  command->callback([arguments] { run_model(*arguments); });
}

}  // namespace tandem::cli
