// What one evaluation and one step cost. Every timed answer is checked: J y = b and M y − f = Jᵀ λ must hold.
#include <benchmark/benchmark.h>

#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/sweep.hpp"
#include "tandem/tandem.hpp"

namespace {

using namespace tandem;

bool solves(const GaussProblem& problem, const Solution& solution) {
  const Eigen::MatrixXd J = problem.dense_J();
  const double rows = J.rows() == 0 ? 0.0 : (J * solution.y - problem.b).cwiseAbs().maxCoeff();
  const Eigen::VectorXd balance = problem.dense_M() * solution.y - problem.f - J.transpose() * solution.lambda;
  return rows <= 1e-9 && balance.cwiseAbs().maxCoeff() <= 1e-8;
}

void evaluate(benchmark::State& timer, const char* example) {
  const Model model = load_model_or_example(example, {});
  Simulation simulation(model);
  Workspace workspace(model);
  StepMemory memory;
  const auto method = find_method(MethodName::lagrange).make(memory);
  Solution solution;
  for (auto _ : timer) {
    workspace.update(model, simulation.state());
    method->solve(model, workspace.problem, solution);
    benchmark::DoNotOptimize(solution.y.data());
  }
  if (!solves(workspace.problem, solution)) timer.SkipWithError("the answer is wrong");
}

void step(benchmark::State& timer, const char* example) {
  const Model model = load_model_or_example(example, {});
  Simulation simulation(model);
  const State start = simulation.state();
  for (auto _ : timer) {
    if (simulation.state().t > 1.0) {
      timer.PauseTiming();
      simulation.set_state(start);
      timer.ResumeTiming();
    }
    benchmark::DoNotOptimize(simulation.step(0.001));
  }
  if (!solves(simulation.workspace().problem, simulation.reduced_solution()))
    timer.SkipWithError("the answer is wrong");
}

double nearest(const Linearization& found, std::complex<double> wanted) {
  double least = 1e300;
  for (const LinearMode& mode : found.modes) least = std::min(least, std::abs(mode.eigenvalue - wanted));
  return least;
}

// The bicycle at 5 m/s: its steady motion and its eigenvalues, the symmetries known.
void steady_and_eigenvalues(benchmark::State& timer) {
  const Model model = load_model_or_example("bicycle", {.set = {{"v", 5.0}}});
  const State start = assemble(model, start_state(model)).bodies;
  const Symmetry symmetry = find_symmetry(model, start);
  SteadyOptions options{.hold = model.held_steady};
  options.symmetry = &symmetry;
  Linearization found;
  for (auto _ : timer) found = linearize(model, find_steady(model, start, options));
  if (!(nearest(found, {-0.77534188219585, 4.46486771378823}) < 1e-11)) timer.SkipWithError("the answer is wrong");
}

// All that `tandem linearize bicycle --sweep v=0:10:101` computes, from the parsed text.
void sweep_of_speeds(benchmark::State& timer) {
  const ParsedModel parsed(std::string(find_example("bicycle")->text), "bicycle.toml");
  std::vector<double> speeds;
  for (int i = 0; i <= 100; ++i) speeds.push_back(0.1 * i);
  Sweep found;
  for (auto _ : timer) {
    LinearFamily family;
    ReadOptions options;
    found = sweep("v", speeds, [&](double v) {
      options.set = {{"v", v}};
      return family.at(parsed.read(options));
    });
  }
  if (found.crossings.size() != 2 || !(std::abs(found.crossings[1].value - 6.02426201538837) < 1e-10))
    timer.SkipWithError("the answer is wrong");
}

BENCHMARK(steady_and_eigenvalues)->Unit(benchmark::kMicrosecond);
BENCHMARK(sweep_of_speeds)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(evaluate, bicycle, "bicycle");
BENCHMARK_CAPTURE(evaluate, four_bar, "four-bar");
BENCHMARK_CAPTURE(evaluate, chain, "chain");
BENCHMARK_CAPTURE(step, bicycle, "bicycle");
BENCHMARK_CAPTURE(step, four_bar, "four-bar");
BENCHMARK_CAPTURE(step, rolling_disc, "rolling-disc");

}  // namespace

BENCHMARK_MAIN();
