#include "tandem/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "tandem/model/run_limits.hpp"

namespace tandem {

std::string_view status_name(RunStatus status) {
  switch (status) {
    case RunStatus::running:
      return "running";
    case RunStatus::finished:
      return "finished";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::failed:
      return "failed";
  }
  return "";
}

static constexpr double most_steps_ahead = 1e8;  // of the length of the last one, to the end of the run
static constexpr long longest_crawl = 1000;      // steps in a row beyond that

static void require_sane(const RunOptions& options) {
  const auto require = [](const char* name, double seconds) {
    if (!(seconds >= 0.0 && std::isfinite(seconds)))
      throw NumericalError(
          fmt::format("the {} of a run must be a positive number of seconds, or 0 for that of the "
                      "model, not {}",
                      name, seconds));
  };
  require("duration", options.duration);
  require("interval", options.interval);
}

Run::Run(const Model& model, Simulation& simulation, const RunOptions& options)
    : model_(model),
      simulation_(simulation),
      options_(options),
      health_(model, simulation.setup()),
      branches_(model, simulation.setup()) {
  require_sane(options);
  start_ = simulation.state().t;
  duration_ = options.duration > 0.0 ? options.duration : simulation.setup().duration;
  const double h = std::min(simulation.setup().step, duration_);
  interval_ = options.interval > 0.0 ? options.interval : h;
  for (const double between : {h, interval_})  // steps, and rows by dense output
    if (const std::string trouble = too_many_steps(duration_, between); !trouble.empty()) throw NumericalError(trouble);
  steps_between_ = std::max(1L, std::lround(std::min(interval_ / h, most_steps)));
  if (!simulation.is_adaptive()) interval_ = static_cast<double>(steps_between_) * h;
  steps_ = std::max(1L, static_cast<long>(std::ceil(duration_ / h - 1e-9)));
  simulation.set_time(
      options.time ? options.time
                   : std::make_shared<const TimePlan>(model, start_, start_ + duration_, TimePlan::Depth::peaks));
}

bool Run::advance() {
  if (status_ != RunStatus::running) return false;
  try {
    if (!begun_)
      begin();
    else
      step();
  } catch (const NumericalError& error) {
    fail(error);
  }
  return status_ == RunStatus::running;
}

void Run::begin() {
  begun_ = true;
  for (const ModelStop& stop : model_.stops) {
    margins_.push_back(stop_margin(model_, stop, simulation_));
    if (margins_.back() > 0.0) waiting_.push_back(stop.name);
  }
  rates_.assign(model_.stops.size(), std::numeric_limits<double>::quiet_NaN());
  for (const TimePlan::Unresolved& each : simulation_.time().unresolved()) {
    using Kind = TimePlan::Unresolved::Kind;
    using Event = HealthEvent::Kind;
    const Event event = each.kind == Kind::force   ? Event::breakpoint_of_force
                        : each.kind == Kind::drive ? Event::breakpoint_of_drive
                                                   : Event::breakpoint_of_constraint;
    health_.note(event, each.index, start_, 0.0);
  }
  StepReport report;
  report.before = report.after = residual_norms(simulation_.workspace().problem);
  write(simulation_, report);
  branches_.begin(simulation_, health_);
  if (options_.horizon) horizon_ = std::make_unique<Horizon>(model_, simulation_);
  next_row_ = 1;
}

void Run::step() {
  const double h = std::min(simulation_.setup().step, duration_), end = start_ + duration_;
  StepReport report;
  if (simulation_.is_adaptive()) {
    report = simulation_.advance(end);
    require_pace();
  } else {
    // Times are multiples of the step, not sums; the last step ends exactly at the duration.
    const long next = steps_done_ + 1;
    const double until = next == steps_ ? end : start_ + static_cast<double>(next) * h;
    report = simulation_.advance(until);
    if (simulation_.state().t >= until) steps_done_ = next;  // else it ended at a breakpoint
  }
  health_.watch(report, simulation_);
  branches_.watch(
      report, simulation_, [this](double t) -> Simulation& { return view(t); }, health_);
  if (horizon_) {
    horizon_->follow(simulation_);
    health_.note_horizon(horizon_->record());
  }
  if (met_a_stop()) return write_rows_up_to(simulation_.state().t, report);
  if (simulation_.state().t >= end) this->end(RunStatus::finished);
  write_rows_up_to(simulation_.state().t, report);
}

// An adaptive integrator may find no step good but those so short that the run would never end.
void Run::require_pace() {
  const double t = simulation_.state().t, h = t - simulation_.before(), rest = start_ + duration_ - t;
  crawled_ = rest > most_steps_ahead * h ? crawled_ + 1 : 0;
  if (crawled_ < longest_crawl) return;
  throw NumericalError(
      fmt::format("at t = {:.9g} s: the last {} steps were so short that the run would take {:.1e} more of them (now "
                  "{:.1e} s); check for unreasonably large forces or stiffnesses, or allow a larger tolerance",
                  t, longest_crawl, rest / h, h));
}

// Rows of moments within the step by dense output; the last moment of a run is always one.
void Run::write_rows_up_to(double t, const StepReport& report) {
  for (; start_ + static_cast<double>(next_row_) * interval_ <= t * (1.0 + 1e-14); ++next_row_) {
    const double at = start_ + static_cast<double>(next_row_) * interval_;
    if (!simulation_.is_adaptive() || std::abs(at - t) <= tolerances::same_time * (duration_ + std::abs(t))) {
      ++next_row_;
      return write(simulation_, report);
    }
    write(view(at), report);
  }
  if (status_ != RunStatus::running && last_row_ != t) write(simulation_, report);
}

void Run::write(Simulation& at, const StepReport& report) {
  const HealthRow& row = health_.record(at, report, status_ != RunStatus::running);
  last_row_ = row.t;
  if (options_.on_row) options_.on_row(at, row);
}

// All it knows is taken from the simulation each time: a run that was continued must see the same bits.
Simulation& Run::view(double t) {
  State state = simulation_.at(t);
  if (!simulation_.was_fast()) view().restore(simulation_.state(), simulation_.memory());
  return view(std::move(state));
}

Simulation& Run::view(State state) {
  if (simulation_.was_fast())
    view().stand_beside(simulation_, std::move(state));
  else
    view().set_state(std::move(state));
  return view();
}

Simulation& Run::view() {
  if (!view_) view_ = std::make_unique<Simulation>(model_, simulation_.setup(), StartOptions{.assemble = true});
  return *view_;
}

void Run::end(RunStatus status) {
  status_ = status;
  health_.look(simulation_.workspace());
}

void Run::interrupt(std::string reason) {
  if (status_ != RunStatus::running) return;
  reason_ = std::move(reason);
  end(RunStatus::interrupted);
  try {
    write_last_row();
  } catch (const NumericalError& error) {
    fail(error);
  }
}

// The last good state is a row too, if it can be evaluated at all.
void Run::fail(const NumericalError& error) {
  const bool first = status_ != RunStatus::failed;
  status_ = RunStatus::failed;
  reason_ = error.what();
  if (!reason_.starts_with("at t = ")) reason_ = fmt::format("at t = {:.9g} s: {}", simulation_.state().t, reason_);
  try {
    if (first) write_last_row();
  } catch (const NumericalError&) {  // nothing better can be told
  }
}

void Run::write_last_row() {
  if (!begun_ || last_row_ == simulation_.state().t) return;
  StepReport report;
  report.before = report.after = residual_norms(simulation_.workspace().problem);
  write(simulation_, report);
}

std::vector<double> Run::memory() const {
  MemoryWriter out;
  out.put(static_cast<double>(steps_done_));
  out.put(static_cast<double>(next_row_));
  out.put(static_cast<double>(crawled_));
  out.put(last_row_);
  for (const double margin : margins_) out.put(margin);
  for (const double rate : rates_) out.put(rate);
  for (const ModelStop& stop : model_.stops)
    out.put(std::find(waiting_.begin(), waiting_.end(), stop.name) != waiting_.end() ? 1.0 : 0.0);
  health_.save(out);
  branches_.save(out);
  save(simulation_.state(), out);
  save(simulation_.memory(), out);
  return std::move(out.numbers);
}

void Run::restore(std::span<const double> memory) {
  begun_ = true;
  MemoryReader in(memory);
  steps_done_ = in.whole_number(0, steps_ - 1);
  next_row_ = in.whole_number(0, largest_exact);
  crawled_ = in.whole_number(0, largest_exact);
  last_row_ = in.finite_number();
  margins_.resize(model_.stops.size());
  for (double& margin : margins_) margin = in.finite_number();
  rates_.resize(model_.stops.size());
  for (double& rate : rates_) rate = in.number();
  waiting_.clear();
  for (const ModelStop& stop : model_.stops)
    if (in.number() != 0.0) waiting_.push_back(stop.name);
  health_.load(in);
  branches_.load(in);
  State state = simulation_.state();
  load(in, state);
  StepMemory kept;
  load(in, kept);
  simulation_.restore(state, kept);
  const double t = simulation_.state().t;
  if (!(t >= start_ && t <= start_ + duration_))
    throw std::invalid_argument("the memory is that of another run: its time lies outside of this one");
}

}  // namespace tandem
