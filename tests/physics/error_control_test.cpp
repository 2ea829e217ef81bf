// Error control beside projection: what projection moves is no error of a step, so it costs no steps; and a step that
// was rejected is not lengthened at once. The full sweep over tolerances and whole runs is for TANDEM_WEEKLY=1.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "support/end_state.hpp"
#include "support/how_long.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct Tries {
  RunStatus status = RunStatus::running;
  std::string reason;
  long steps = 0, rejected = 0;
};

Tries tries_of(Model model, const std::string& integrator, double tolerance, double duration,
               const std::string& stabilisation = "projection") {
  model.setup.integrator = integrator;
  model.setup.tolerance = tolerance;
  model.setup.stabilisation = stabilisation;
  Simulation simulation(model);
  tandem::Run run(model, simulation, {.duration = duration, .interval = duration});
  while (run.advance()) {
  }
  return {run.status(), run.reason(), run.health().steps, run.health().rejected};
}

struct BicycleCase {
  double speed;
  const char* method;
};
constexpr std::array bicycles{BicycleCase{10.0, "lagrange"}, BicycleCase{8.0, "udwadia_kalaba"},
                              BicycleCase{8.0, "lagrange"}, BicycleCase{8.0, "articulated"}};

void expect_projection_costs_no_steps(const std::vector<double>& tolerances, double duration) {
  for (const BicycleCase& each : bicycles)
    for (const double tolerance : tolerances) {
      Model model = example_model("bicycle", {{"v", each.speed}, {"lean_rate", 0.05}});
      model.setup.method = each.method;
      const Tries with = tries_of(model, "dop853", tolerance, duration);
      EXPECT_EQ(with.status, RunStatus::finished) << each.method << " " << tolerance << ": " << with.reason;
      const Tries without = tries_of(model, "dop853", tolerance, duration, "none");
      if (without.status != RunStatus::finished) continue;
      EXPECT_LE(static_cast<double>(with.rejected),
                static_cast<double>(without.rejected) + 0.05 * static_cast<double>(with.steps) + 5.0)
          << each.method << " at " << each.speed << " m/s, " << tolerance;
    }
}

TEST(ErrorControl, ProjectionCostsNoSteps) {
  expect_projection_costs_no_steps({1e-6, 1e-10, 1e-12}, test::how_many(0.5, 5.0, 5.0));
}

TEST(ErrorControl, ProjectionCostsNoStepsAtAnyTolerance) {
  if (!test::weekly()) GTEST_SKIP() << "the full sweep runs with TANDEM_WEEKLY=1 (make weekly)";
  expect_projection_costs_no_steps({1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}, 5.0);
}

// Of every example that error control can follow at all.
void expect_few_rejections(const std::vector<double>& tolerances, double longest) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    Model by_dop853 = model;
    by_dop853.setup.integrator = "dop853";
    if (!obstacles(by_dop853, by_dop853.setup).empty() || !combination_obstacles(by_dop853.setup).empty()) continue;
    const double duration = std::min(longest, model.setup.duration);
    for (const char* integrator : {"dopri5", "dop853"})
      for (const double tolerance : tolerances) {
        const std::string which = fmt::format("{} by {} at {:.0e}", example.name, integrator, tolerance);
        const Tries with = tries_of(model, integrator, tolerance, duration);
        EXPECT_TRUE(with.status == RunStatus::finished || with.status == RunStatus::stopped)
            << which << ": " << with.reason;
        if (tolerance >= 1e-10) {
          EXPECT_LE(static_cast<double>(with.rejected), static_cast<double>(with.steps + with.rejected) / 3.0 + 2.0)
              << which << ": " << with.steps << " steps";
        }
        const Tries without = tries_of(model, integrator, tolerance, duration, "none");
        if (without.status != RunStatus::finished || with.status != RunStatus::finished) continue;
        EXPECT_LE(static_cast<double>(with.rejected),
                  static_cast<double>(without.rejected) + 0.05 * static_cast<double>(with.steps) + 5.0)
            << which;
      }
  }
}

TEST(ErrorControl, FewStepsAreRejectedOnAnyExample) {
  expect_few_rejections({1e-4, 1e-7, 1e-10}, test::how_many(0.05, 1.0, 1.0));
}

TEST(ErrorControl, FewStepsAreRejectedOverWholeRuns) {
  if (!test::weekly()) GTEST_SKIP() << "the full sweep runs with TANDEM_WEEKLY=1 (make weekly)";
  expect_few_rejections({1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14}, 1e9);
}

// Steps towards a singular pose neither become ever shorter before it nor end near it: it is passed, whatever the
// tolerance, and the energy is as good as the tolerance or as what the pose leaves of the digits.
TEST(ErrorControl, SingularPosesArePassed) {
  for (const char* method : {"lagrange", "articulated"})
    for (const char* integrator : {"dopri5", "dop853"})
      for (const double tolerance : {1e-8, 1e-10, 1e-12, 1e-14}) {
        if (test::shortened() && tolerance != 1e-10) continue;
        Model model = example_model("n-four-bar");
        model.setup.method = method;
        model.setup.integrator = integrator;
        model.setup.tolerance = tolerance;
        Simulation simulation(model);
        tandem::Run run(model, simulation, {.duration = 5.0, .interval = 5.0});
        while (run.advance()) {
        }
        EXPECT_EQ(run.status(), RunStatus::finished) << method << integrator << tolerance << run.reason();
        EXPECT_LE(run.health().relative_balance(), std::max(20.0 * tolerance, 1e-8))
            << method << integrator << tolerance;
      }
}

TEST(ErrorControl, AToleranceBelowRoundOffIsSaidToBeOne) {
  Model model = example_model("bicycle");
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-14;
  ASSERT_EQ(setup_warnings(model.setup).size(), 1U);
  EXPECT_NE(setup_warnings(model.setup)[0].find("round-off is reached"), std::string::npos);
  model.setup.tolerance = 1e-13;
  EXPECT_TRUE(setup_warnings(model.setup).empty());
}

// With error control a residual is closed however small it is; with fixed steps what is below 1e-13 may stay.
TEST(ErrorControl, ProjectionActsInEveryStep) {
  Model model = example_model("bicycle");
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-12;
  Simulation simulation(model);
  int acted = 0, steps = 0;
  double before = 0.0, after = 0.0;
  while (simulation.state().t < 2.0) {
    const StepReport report = simulation.advance(2.0);
    ++steps;
    acted += report.iterations >= 1 || report.before.position == 0.0;
    before = std::max(before, report.before.position);
    after = std::max(after, report.after.position);
  }
  EXPECT_EQ(acted, steps);
  EXPECT_LE(after, 2e-15);
  EXPECT_LE(before, model.setup.tolerance);  // the error of one step, not what many steps have left
}

}  // namespace
}  // namespace tandem
