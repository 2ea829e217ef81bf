// What one evaluation and one step cost. Every timed answer is checked: J y = b and M y − f = Jᵀ λ must hold.
#include <benchmark/benchmark.h>

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
  const auto method = make_method(model, "lagrange");
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

BENCHMARK_CAPTURE(evaluate, bicycle, "bicycle");
BENCHMARK_CAPTURE(evaluate, four_bar, "four-bar");
BENCHMARK_CAPTURE(evaluate, chain, "chain");
BENCHMARK_CAPTURE(step, bicycle, "bicycle");
BENCHMARK_CAPTURE(step, four_bar, "four-bar");
BENCHMARK_CAPTURE(step, rolling_disc, "rolling-disc");

}  // namespace

BENCHMARK_MAIN();
