#include "runner.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <cmath>
#include <csignal>
#include <cstring>

#include "progress.hpp"
#include "tandem/run/record.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {

namespace {

volatile std::sig_atomic_t caught = 0;
void on_signal(int signal) { caught = signal; }

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

// What the results depend on: a run is continued only with the same.
ResultAbout about(const Model& model, Simulation& simulation, double interval, const RunArguments& arguments) {
  const Setup& settings = simulation.setup();
  ResultAbout about;
  const auto add = [&](const char* name, std::string value) { about.attributes.emplace_back(name, std::move(value)); };
  add("tandem", TANDEM_VERSION);
  add("model", model.name);
  add("model_text", model.text);
  for (const auto& [name, value] : model.parameters)
    about.attributes.emplace_back("parameter " + name, fmt::format("{}", value));
  if (arguments.steady) {
    std::string held;
    for (const ModelHold& hold : model.held_steady)
      held += fmt::format(" {}{}", hold.of.name, hold.value ? fmt::format("={}", *hold.value) : "");
    add("start", "steady" + held);
  } else if (!arguments.start.hold.empty()) {
    add("start", fmt::format("held {}", fmt::join(arguments.start.hold, " ")));
  }
  add("method", std::string(settings.method.word()));
  add("cut", std::string(settings.cut.word()));
  add("coordinates", std::string(simulation.workspace().coordinates->name()));
  add("integrator", std::string(settings.integrator.word()));
  add("stabilisation", std::string(settings.stabilisation.word()));
  if (settings.has_baumgarte()) {
    add("alpha", fmt::format("{}", *settings.alpha));
    add("beta", fmt::format("{}", *settings.beta));
    add("constants", settings.chosen_constants ? "chosen" : "given");
  }
  add("tolerance", fmt::format("{}", settings.tolerance));
  add("step", fmt::format("{}", settings.step));
  if (std::isfinite(settings.max_step)) add("max_step", fmt::format("{}", settings.max_step));
  add("duration", fmt::format("{}", settings.duration));
  add("time_between_rows", fmt::format("{}", interval));
  const ImpulseOptions& impulses = settings.impulses;
  if (settings.by_impulses())
    add("impulses",
        fmt::format("iterations {}, substeps {}, baumgarte {}, position_iterations {}, slop {}, "
                    "largest_correction {}, warm_start {}",
                    impulses.iterations, impulses.substeps, impulses.baumgarte, impulses.position_iterations,
                    impulses.slop, impulses.largest_correction, impulses.warm_start));
  if (arguments.start.assemble) add("assemble", "true");
  if (arguments.zero_momentum) add("zero_momentum", "true");
  const Vec3<double>& g = model.gravity;
  add("gravity", fmt::format("{} {} {}", g.x(), g.y(), g.z()));
  return about;
}

}  // namespace

SignalGuard::SignalGuard()
    : on_interrupt_(std::signal(SIGINT, on_signal)), on_terminate_(std::signal(SIGTERM, on_signal)) {}
SignalGuard::~SignalGuard() {
  std::signal(SIGINT, on_interrupt_);
  std::signal(SIGTERM, on_terminate_);
}
int SignalGuard::signal() { return caught; }

Runner::Runner(const Model& model, const RunArguments& arguments, Simulation& simulation)
    : model_(model),
      arguments_(arguments),
      simulation_(simulation),
      interval_(time_between_rows(arguments.every, simulation.setup().step, simulation.is_adaptive())),
      run_(model, simulation,
           {.duration = simulation.setup().duration,
            .interval = interval_,
            .horizon = arguments.horizon,
            .on_row = [this](Simulation& at, const HealthRow& health) { row(at, health); }}),
      columns_(record_columns(model)) {
  if (!arguments.out.empty()) open();
  if (!arguments.report.empty()) report_.emplace(report_columns(model));
}

void Runner::open() {
  ResultOptions options;
  options.force = arguments_.force;
  if (!model_.file.empty()) options.inputs.emplace_back(model_.file);
  options.flush_every = std::chrono::milliseconds(std::lround(1000.0 * arguments_.flush_every));
  ResultAbout what = about(model_, simulation_, interval_, arguments_);
  if (!arguments_.resume) {
    writer_ = std::make_unique<ResultWriter>(arguments_.out, columns_, std::move(what), options);
    return;
  }
  ResumedResults resumed = ResultWriter::resume(arguments_.out, columns_, std::move(what), options);
  std::vector<double> memory(resumed.checkpoint.size() / sizeof(double));
  if (!memory.empty()) std::memcpy(memory.data(), resumed.checkpoint.data(), memory.size() * sizeof(double));
  try {
    MemoryReader in(memory);
    for (auto* each : outputs_.all()) {
      in.get(*each);
      if (each->size() != model_.outputs.size()) throw std::invalid_argument("its outputs are those of another model");
    }
    run_.restore(in.rest());
  } catch (const std::invalid_argument& error) {
    throw FileError(fmt::format("cannot resume \"{}\": {}", arguments_.out, error.what()));
  }
  writer_ = std::move(resumed.writer);
}

void Runner::go() {
  ProgressBar progress(!arguments_.quiet && !arguments_.model.json);
  while (run_.advance()) {
    if (SignalGuard::signal() != 0) {
      run_.interrupt(SignalGuard::signal() == SIGTERM ? "by SIGTERM" : "by ^C");
      interrupted_ = true;
      break;
    }
    progress.show(run_.done(), simulation_.state().t);
    if (writer_ && writer_->flush_due()) {
      const std::vector<double> now = memory();
      writer_->flush(std::as_bytes(std::span(now)));
    }
  }
  if (!writer_) return;
  const Judgement judgement = run_.judgement();
  const nlohmann::json shared = columns_not_unique(model_, run_.record().unique());
  writer_->finish({{{"status", std::string(status_name(run_.status()))},
                    {"reason", run_.reason()},
                    {"trust", std::string(trust_name(judgement.trust))},
                    {"reasons", judgement.lines()},
                    {"horizon", run_.health().horizon ? run_.health().horizon->sentence() : ""},
                    {"not_unique", shared.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}}});
}

std::vector<double> Runner::memory() const {
  MemoryWriter out;
  for (const auto* each : outputs_.all()) out.put(*each);
  for (const double number : run_.memory()) out.put(number);
  return std::move(out.numbers);
}

void Runner::row(Simulation& at, const HealthRow& health) {
  record_values(model_, at, health, values_);
  outputs_.watch(std::span(values_).subspan(1, model_.outputs.size()));
  if (writer_) writer_->row(values_);
  if (!report_) return;
  report_reactions(model_, at, values_);
  report_->row(values_);
}

void Runner::write_report() {
  Report page(model_);
  for (const auto& [name, value] : about(model_, simulation_, interval_, arguments_).attributes)
    if (name != "model_text") page.about(name, value);
  Verdict verdict = run_verdict(model_, status_name(run_.status()), run_.reason(), run_.health(), run_.judgement());
  if (!outputs_.last.empty())
    verdict.tables.push_back(output_table(model_, outputs_, unique_outputs(model_, run_.record().unique())));
  page.verdict(verdict);
  report_->mark_not_unique(model_, run_.record().unique());
  page.motion(method_text(simulation_.setup()), *report_);
  if (report_->stride() > 1 && writer_) page.notice("The result file has all samples.");
  page.write(arguments_.report, arguments_.force);
}

}  // namespace tandem::cli
