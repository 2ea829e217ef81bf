// Stops are found where their condition first holds, however short that is beside the step.
#include <gtest/gtest.h>

#include <cmath>

#include "support/end_state.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct Stopped {
  RunStatus status;
  double t, x;
  HealthSummary health;
};

Stopped run_until_it_stops(Model model, const std::string& integrator, double tolerance) {
  model.setup.integrator = integrator;
  model.setup.tolerance = tolerance;
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  return {run.status(), simulation.state().t, simulation.bodies().q().x(), run.health()};
}

// A step of dop853 holds more than a whole swing of this spring, and ends above the condition.
TEST(StopsWithinSteps, TheFirstOfSeveralSwingsCounts) {
  const Model model = load_model(TANDEM_SOURCE_DIR "/tests/defects/stop-late.toml");
  const double exact = 0.01 * std::acos(-0.999);
  for (const double tolerance : {1e-4, 1e-6, 1e-9, 1e-12}) {
    const Stopped by_dop853 = run_until_it_stops(model, "dop853", tolerance);
    EXPECT_EQ(by_dop853.status, RunStatus::stopped);
    EXPECT_NEAR(by_dop853.t, exact, std::max(1e-10, 0.3 * tolerance)) << tolerance;
    const Stopped by_dopri5 = run_until_it_stops(model, "dopri5", tolerance);
    EXPECT_EQ(by_dopri5.status, RunStatus::stopped);
    EXPECT_NEAR(by_dopri5.t, exact, std::max(1e-9, tolerance)) << tolerance;
  }
}

// At a step as long as a sixth of a swing the motion of rk4 is another one, and its energy says so.
TEST(StopsWithinSteps, AStepThatIsTooLongShowsInTheBalance) {
  const Stopped by_rk4 = run_until_it_stops(load_model(TANDEM_SOURCE_DIR "/tests/defects/stop-late.toml"), "rk4", 1e-9);
  EXPECT_GT(by_rk4.health.relative_balance(), 1e-2);
}

// True for 2 ms of a motion of 1 m/s, seen in steps of 10 ms and longer; where the steps lie does not matter.
TEST(StopsWithinSteps, AConditionThatHoldsForAFifthOfAStep) {
  for (const double place : {5.0, 5.0013, 4.9957, 5.0049})
    for (const char* integrator : {"rk4", "dopri5", "dop853", "herk", "implicit", "semi_implicit_euler", "euler"})
      for (const char* form : {"(x - place)^2 < 1e-6", "abs(x - place) < 1e-3"}) {
        ReadOptions options;
        options.set = {{"place", place}};
        const Model model = read_model(R"toml(
format = 1
gravity = [0, 0, 0]
[parameters]
place = 5
[[body]]
name = "m"
mass = 1
point_mass = true
velocity = [1, 0, 0]
[[output]]
name = "x"
quantity = "position"
body = "m"
component = "x"
[[stop]]
name = "there"
when = ")toml" + std::string(form) + "\"\n",
                                       "m.toml", options);
        const Stopped found = run_until_it_stops(model, integrator, 1e-9);
        EXPECT_EQ(found.status, RunStatus::stopped) << integrator << " " << form << " " << place;
        EXPECT_NEAR(found.t, place - 1e-3, 1e-9) << integrator << " " << form << " " << place;
      }
}

// A body that moves evenly is followed in steps of seconds by error control: what its samples would show is found.
TEST(StopsWithinSteps, AConditionThatHoldsForAMomentOfALongStep) {
  struct Case {
    const char* condition;
    double exact;
  };
  const double x = std::sqrt(std::log(2.0)), phase = std::asin(0.9999);
  for (const Case& each :
       {Case{"exp(-((x - 5)/0.004)^2) > 0.5", 5.0 - 0.004 * x}, Case{"sin(100*t) > 0.9999", 0.01 * phase},
        Case{"sin(100*x) > 0.9999 + 0.001*max(0, 3 - x)", 2.9059387408310373}}) {
    const Model model = read_model(R"toml(
format = 1
gravity = [0, 0, 0]
[[body]]
name = "m"
mass = 1
point_mass = true
velocity = [1, 0, 0]
[[output]]
name = "x"
quantity = "position"
body = "m"
component = "x"
[[stop]]
name = "there"
when = ")toml" + std::string(each.condition) +
                                       "\"\n",
                                   "m.toml", {});
    const Stopped fixed = run_until_it_stops(model, "rk4", 1e-9);
    EXPECT_EQ(fixed.status, RunStatus::stopped) << each.condition;
    for (const char* integrator : {"dopri5", "dop853"}) {
      const Stopped found = run_until_it_stops(model, integrator, 1e-9);
      EXPECT_EQ(found.status, RunStatus::stopped) << integrator << " " << each.condition;
      EXPECT_NEAR(found.t, fixed.t, 1e-9) << integrator << " " << each.condition;
      EXPECT_NEAR(found.t, each.exact, 1e-9) << integrator << " " << each.condition;
    }
  }
}

}  // namespace
}  // namespace tandem
