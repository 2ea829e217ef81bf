// Run: a simulation from its start to its end, with rows at output times, stop conditions and a health record. It ends
// in exactly one of finished, stopped, interrupted and failed.
//
//   Run run(model, simulation, {.duration = 5.0, .interval = 0.05});
//   while (run.advance()) {}
//   run.status();
#pragma once

#include <functional>

#include "tandem/integrate/locate.hpp"
#include "tandem/run/branches.hpp"
#include "tandem/run/stops.hpp"
#include "tandem/run/trust.hpp"

namespace tandem {

struct RunOptions {
  double duration = 0.0;  // 0: the model's
  double interval = 0.0;  // between rows, in seconds; a multiple of a fixed step. 0: the model's step
  bool horizon = false;   // a twin tells how long the digits last; it costs as much again, and is not in memory()
  std::shared_ptr<const TimePlan> time{};  // what depends on time alone; empty: it is looked for
  // A row: the simulation stands at that moment.
  std::function<void(Simulation& at, const HealthRow& health)> on_row{};
};

enum class RunStatus { running, finished, stopped, interrupted, failed };
std::string_view status_name(RunStatus status);

class Run {
 public:
  // `simulation` stands at the start. Both must outlive the run.
  Run(const Model& model, Simulation& simulation, const RunOptions& options);

  // The first row, then a step at a time. False when the run has ended.
  bool advance();
  // Ends the run where it is, with this reason.
  void interrupt(std::string reason);

  RunStatus status() const { return status_; }
  const std::string& reason() const { return reason_; }  // the stop condition, or the trouble
  const HealthSummary& health() const { return health_.summary(); }
  // What the record amounts to, so far.
  Judgement judgement() const { return judge(model_, simulation_.setup(), health(), status_name(status_), reason_); }
  const Health& record() const { return health_; }
  double duration() const { return duration_; }
  double done() const { return (simulation_.state().t - start_) / duration_; }  // from 0 to 1
  // Stop conditions that hold at the start already: they wait until they have been false.
  const std::vector<std::string>& waiting() const { return waiting_; }

  // All that the rest of the run needs, so that it goes on bit for bit.
  std::vector<double> memory() const;
  void restore(std::span<const double> memory);

 private:
  void begin();
  void step();
  void write(Simulation& at, const StepReport& report);
  void write_rows_up_to(double t, const StepReport& report);
  void write_last_row();
  bool met_a_stop();
  std::optional<double> locate(std::size_t index, const Moment& from, const Moment& to);
  double margin_at(const ModelStop& stop, double t);
  Simulation& view();  // a second simulation of the model, for moments within a step:
  Simulation& view(double t);
  Simulation& view(State state);  // on its constraints or not
  void require_pace();
  void fail(const NumericalError& error);
  void end(RunStatus status);

  const Model& model_;
  Simulation& simulation_;
  RunOptions options_;
  Health health_;
  Branches branches_;
  double start_ = 0.0, duration_ = 0.0, interval_ = 0.0;
  long steps_ = 0, steps_done_ = 0, steps_between_ = 1, next_row_ = 0;
  long crawled_ = 0;  // steps of adaptive integrators in a row that were too short for the run to end
  RunStatus status_ = RunStatus::running;
  std::string reason_;
  std::vector<double> margins_;  // of the stops, at the end of the last step
  std::vector<double> rates_;    // at which they changed in it; not a number: there was none
  std::vector<std::string> waiting_;
  std::unique_ptr<Simulation> view_;
  std::unique_ptr<Horizon> horizon_;
  bool begun_ = false;
  double last_row_ = 0.0;
};

}  // namespace tandem
