// A run from the command line: its file, its bar, its checkpoints, and ^C.
#pragma once

#include <memory>

#include "commands.hpp"
#include "run_report.hpp"
#include "start.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/io/results/results.hpp"

namespace tandem::cli {

struct RunArguments {
  ModelArguments model;
  StartArguments start;
  MethodArguments method;
  IntegratorArguments integrator;
  std::optional<double> duration;
  std::optional<int> iterations, substeps;
  std::string every = "1", out, report, last_good;
  double flush_every = 5.0;
  bool quiet = false, force = false, resume = false, zero_momentum = false, steady = false;
  bool strict = false, horizon = false;
};

// While it lives, ^C and a kind kill end a run after its present step.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  static int signal();  // that came; 0: none

 private:
  void (*on_interrupt_)(int);
  void (*on_terminate_)(int);
};

class Runner {
 public:
  // Opens the file, or takes up the run that wrote it.
  Runner(const Model& model, const RunArguments& arguments, Simulation& simulation);
  void go();
  void write_report();  // to --report

  const Run& run() const { return run_; }
  const OutputSummary& outputs() const { return outputs_; }
  bool was_interrupted() const { return interrupted_; }

 private:
  void open();
  std::vector<double> memory() const;
  void row(Simulation& at, const HealthRow& health);

  const Model& model_;
  const RunArguments& arguments_;
  Simulation& simulation_;
  double interval_;
  Run run_;
  std::unique_ptr<ResultWriter> writer_;
  std::vector<ResultColumn> columns_;
  std::vector<double> values_;
  std::optional<ReportTable> report_;
  OutputSummary outputs_;
  bool interrupted_ = false;
};

}  // namespace tandem::cli
