// What depends on time alone is never stepped over: kinks and jumps end steps of every integrator, short smooth peaks
// shorten them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/end_state.hpp"
#include "tandem/compare/compare.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

Model defect(const std::string& name) { return load_model(TANDEM_SOURCE_DIR "/tests/defects/" + name + ".toml"); }

struct Done {
  State end;
  HealthSummary health;
  RunStatus status;
  std::string reason;
};

Done run_to_the_end(const Model& model) {
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  return {simulation.bodies(), run.health(), run.status(), run.reason()};
}

class OfTimeBy : public ::testing::TestWithParam<const char*> {};

// 1000 N for 1 ms, with flanks of 1 ns that are part of it.
TEST_P(OfTimeBy, ABoxPulseIsTaken) {
  Model model = defect("box-pulse");
  model.setup.integrator = GetParam();
  const Done done = run_to_the_end(model);
  ASSERT_EQ(done.status, RunStatus::finished) << done.reason;
  const double order = find_integrator(GetParam()).order, impulse = 1000.0 * (1e-3 - 1e-9);
  EXPECT_NEAR(done.end.v().x(), impulse, order > 1.0 ? 1e-10 : 2e-6);
  EXPECT_NEAR(done.end.q().x(), impulse * (10.0 - 5.001), order > 1.0 ? 1e-9 : 1e-3);
}

TEST_P(OfTimeBy, ABoxPulseIsTakenByHandToo) {
  Model model = defect("box-pulse");
  model.setup.integrator = GetParam();
  Simulation simulation(model);
  for (int i = 0; i < 1000; ++i) simulation.step(0.01 * (i + 1) - simulation.state().t);
  EXPECT_EQ(simulation.state().t, 10.0);
  EXPECT_NEAR(simulation.bodies().v().x(), 1000.0 * (1e-3 - 1e-9), 2e-6);
}

// Beyond the duration of the model, too: there it is looked at when steps get there.
TEST_P(OfTimeBy, ABoxPulseIsTakenByHandAfterTheDuration) {
  Model model = defect("box-pulse");
  model.setup.integrator = GetParam();
  model.setup.duration = 0.7;
  Simulation simulation(model);
  for (int i = 0; i < 60; ++i) simulation.step(0.1 * (i + 1) - simulation.state().t);
  EXPECT_NEAR(simulation.bodies().v().x(), 1000.0 * (1e-3 - 1e-9), 2e-6);
}

// A run that takes over the memory of another at any step goes on bit for bit, also between the ends of a fixed step.
TEST_P(OfTimeBy, ARunGoesOnBitForBitAtBreakpoints) {
  for (const char* name : {"box-pulse", "hammer"}) {
    Model model = defect(name);
    model.setup.integrator = GetParam();
    Simulation a(model);
    tandem::Run all(model, a, {.duration = 5.1});
    std::vector<std::vector<double>> memories;
    while (all.advance())
      if (a.state().t > 4.9995 && a.state().t < 5.005 && memories.size() < 12) memories.push_back(all.memory());
    ASSERT_EQ(all.status(), RunStatus::finished) << all.reason();
    ASSERT_GE(memories.size(), 4U) << name;
    for (const std::vector<double>& memory : memories) {
      Simulation b(model);
      tandem::Run rest(model, b, {.duration = 5.1});
      rest.restore(memory);
      while (rest.advance()) {
      }
      EXPECT_EQ(rest.memory(), all.memory()) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, OfTimeBy,
                         ::testing::Values("rk4", "dopri5", "dop853", "herk", "implicit", "semi_implicit_euler",
                                           "euler"),
                         [](const auto& each) { return std::string(each.param); });

// θ̈ = (τ(t) + m g l cos θ)/(I + m l²), by itself.
std::array<double, 2> struck_rod(double end) {
  const auto rate = [](double t, std::array<double, 2> x) {
    const double s = (t - 5.0005) / 0.0003;
    return std::array{x[1], (3000.0 * std::exp(-s * s) + 9.81 * std::cos(x[0])) / 1.1};
  };
  std::array<double, 2> x{0.0, 0.0};
  for (double t = 0.0; t < end - 1e-9;) {
    const double h = std::min(t > 4.996 && t < 5.006 ? 2e-6 : 2e-4, end - t);
    const auto ahead = [&](double w, const std::array<double, 2>& k) {
      return std::array{x[0] + w * k[0], x[1] + w * k[1]};
    };
    const auto a = rate(t, x), b = rate(t + 0.5 * h, ahead(0.5 * h, a)), c = rate(t + 0.5 * h, ahead(0.5 * h, b)),
               d = rate(t + h, ahead(h, c));
    for (std::size_t i = 0; i < 2; ++i) x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
    t += h;
  }
  return x;
}

TEST(OfTime, AHammerIsFelt) {
  const std::array<double, 2> exact = struck_rod(10.0);
  for (const auto& [integrator, allowed] : {std::pair{"dop853", 1e-6}, {"dopri5", 1e-6}, {"rk4", 2e-3}}) {
    Model model = defect("hammer");
    model.setup.integrator = integrator;
    Simulation simulation(model);
    tandem::Run run(model, simulation, {});
    while (run.advance()) {
    }
    ASSERT_EQ(run.status(), RunStatus::finished) << run.reason();
    EXPECT_NEAR(simulation.coordinate("h"), exact[0], allowed) << integrator;
    EXPECT_NEAR(simulation.rate("h"), exact[1], 3.0 * allowed) << integrator;
  }
}

constexpr const char* slider = R"toml(
format = 1
gravity = [0, 0, 0]
[[body]]
name = "cart"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "prismatic"
bodies = ["world", "cart"]
axis = [1, 0, 0]
)toml";

TEST(OfTime, ADriveThatStopsAtOnceStopsTheMachine) {
  for (const char* cut : {"all", "loops"}) {
    Model model = read_model(std::string(slider) +
                                 "[[drive]]\njoint = \"rail\"\ntype = \"function\"\n"
                                 "value = \"3*min(t, 0.5053)\"\n[simulation]\nduration = 1\n",
                             "slider.toml", {});
    model.setup.cut = cut;
    const Done done = run_to_the_end(model);
    ASSERT_EQ(done.status, RunStatus::finished) << done.reason;
    EXPECT_NEAR(done.end.v().norm(), 0.0, 1e-12);
    EXPECT_NEAR(done.end.q().tail<3>().x(), 3.0 * 0.5053, 1e-12);
    EXPECT_LE(done.health.before.position, 1e-12);      // no step had two speeds in it
    EXPECT_NEAR(done.health.work.drives, -9.0, 1e-10);  // ½ m v² that it had from the start
    EXPECT_LE(done.health.relative_balance(), 1e-10);
  }
}

TEST(OfTime, ADriveThatJumpsIsNamed) {
  Model model = read_model(std::string(slider) +
                               "[[drive]]\nname = \"push\"\njoint = \"rail\"\ntype = \"function\"\n"
                               "value = \"0.1 + 0.1*(t - 0.5053)/abs(t - 0.5053)\"\n",
                           "slider.toml", {});
  for (const char* cut : {"all", "loops"}) {
    model.setup.cut = cut;
    const Done done = run_to_the_end(model);
    EXPECT_EQ(done.status, RunStatus::failed);
    EXPECT_NE(done.reason.find("drive \"push\", motion jumps by 0.2 at t = 0.5053 s"), std::string::npos)
        << done.reason;
    EXPECT_NEAR(done.end.t, 0.5053, 1e-12);  // the last good state is that before the jump
    EXPECT_NEAR(done.end.q().tail<3>().x(), 0.0, 1e-12);
  }
}

// The angle of a vector that shrinks, vanishes and grows the other way: atan2 jumps though its first argument is zero.
TEST(OfTime, ADriveThatTurnsOverIsNamed) {
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    Model model = defect("drive-turns-over");
    model.setup.method = "articulated";
    model.setup.integrator = integrator;
    const Done done = run_to_the_end(model);
    EXPECT_EQ(done.status, RunStatus::failed) << integrator;
    EXPECT_NE(done.reason.find("motion jumps by 3.14 at t = 1 s"), std::string::npos) << done.reason;
  }
}

Model slider_with(const std::string& what, const std::string& of_time, double duration) {
  return read_model(std::string(slider) + what + " = \"" + of_time +
                        "\"\n[simulation]\nduration = " + std::to_string(duration) + "\n",
                    "slider.toml", {});
}

// A step that a breakpoint cuts short is shorter at half the step too, before the first breakpoint as between others.
TEST(OfTime, StepsBeforeBreakpointsAreDivided) {
  const Model model = slider_with("[[force]]\nname = \"push\"\ntype = \"joint\"\njoint = \"rail\"\neffort",
                                  "max(t - 0.003, 0) + max(t - 0.005, 0)", 1.0);
  TimePlan plan(model, 0.0, 1.0, TimePlan::Depth::kinks);
  plan.divide_limits(2);
  EXPECT_NEAR(plan.longest_step(0.0, 0.003, 1.0), 0.0015, 1e-15);
  EXPECT_NEAR(plan.longest_step(0.003, 0.002, 1.0), 0.001, 1e-15);
  EXPECT_NEAR(plan.longest_step(0.005, 0.01, 1.0), 0.01, 1e-15);
}

constexpr const char* effort = "[[force]]\nname = \"push\"\ntype = \"joint\"\njoint = \"rail\"\neffort";
constexpr const char* drive = "[[drive]]\nname = \"push\"\njoint = \"rail\"\ntype = \"function\"\nvalue";

TEST(OfTime, WhatIsNotFiniteIsNamed) {
  struct Case {
    const char *what, *of_time, *reason;
  };
  for (const Case& each :
       {Case{effort, "1/(t - 1.0037)", "force \"push\": it grows without bound towards t = 1.0037 s"},
        {effort, "tan(pi*t/2)", "force \"push\": it grows without bound towards t = 1 s"},
        {effort, "sqrt(1 - t)", "force \"push\": it is not a finite number after t = 1 s"},
        {drive, "sqrt(1 - t) - 1", "drive \"push\": its speed grows without bound towards t = 1 s"},
        {drive, "abs(t - 1)^1.5 - 1", "drive \"push\": its acceleration grows without bound"},
        {drive, "asin(sin(pi*t))", "drive \"push\": its speed is not a finite number at t = 0.5 s"}})
    for (const char* integrator : {"rk4", "dopri5", "dop853", "implicit"}) {
      Model model = slider_with(each.what, each.of_time, 2.0);
      model.setup.integrator = integrator;
      const Done done = run_to_the_end(model);
      EXPECT_EQ(done.status, RunStatus::failed) << each.of_time << integrator;
      EXPECT_NE(done.reason.find(each.reason), std::string::npos) << integrator << ": " << done.reason;
    }
}

// What ends later than the run does not end it, and up to there all is as ever.
TEST(OfTime, WhatIsNotFiniteLaterIsLeftAlone) {
  for (const char* integrator : {"rk4", "dop853"}) {
    Model model = slider_with(effort, "sqrt(1 - t)", 1.0);
    model.setup.integrator = integrator;
    const Done done = run_to_the_end(model);
    ASSERT_EQ(done.status, RunStatus::finished) << done.reason;
    EXPECT_NEAR(done.end.v().tail<3>().x(), 0.5 * 2.0 / 3.0, 3e-5) << integrator;
  }
}

// Steps of 0.01 s are one period of the wave, or ten: they saw its crest every time, or nothing.
TEST(OfTime, FastWavesAreNotTakenForNone) {
  for (const auto& [of_time, impulse] : {std::pair{"100*(1 + cos(2*pi*100*t))", 200.0},
                                         {"sin(2*pi*1000*t) + cos(2*pi*1000*t)", 0.0},
                                         {"10*(((sin(100*pi*t)^4)^4)^4)", 1.9869351}}) {
    for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
      Model model = slider_with(effort, of_time, 2.0);
      model.setup.integrator = integrator;
      const Done done = run_to_the_end(model);
      ASSERT_EQ(done.status, RunStatus::finished) << done.reason;
      EXPECT_NEAR(2.0 * done.end.v().tail<3>().x(), impulse, 2e-4 + 1e-4 * impulse) << of_time << integrator;
    }
  }
}

TEST(OfTime, BellsAndPulsesLeaveTheirImpulse) {
  for (const char* of_time :
       {"2820.947917738781*exp(-((t - 1.23456)/0.0002)^2)",  // 1e-4 of the duration
        "28209.47917738781*exp(-((t - 1.2345678)/0.00002)^2)", "5641.895835477563*exp(-(t/0.0002)^2)",
        "5641.895835477563*exp(-((t - 2)/0.0002)^2)", "2e5*max(0, 1 - t*1e5)", "2e5*max(0, 1 - (2 - t)*1e5)",
        "5e5*max(0, 1 - abs(t - 0.73)*5e5)"}) {
    for (const auto& [integrator, allowed] : {std::pair{"rk4", 1e-3}, {"dopri5", 1e-8}, {"dop853", 1e-8}}) {
      Model model = slider_with(effort, of_time, 2.0);
      model.setup.integrator = integrator;
      const Done done = run_to_the_end(model);
      ASSERT_EQ(done.status, RunStatus::finished) << done.reason;
      EXPECT_NEAR(2.0 * done.end.v().tail<3>().x(), 1.0, allowed) << of_time << integrator;
    }
  }
}

// Between breakpoints steps halve where the run's do; and where a speed jumps within a step, the rest of it does.
TEST(OfTime, CompareHalvesTheStepsBetweenBreakpointsToo) {
  for (const char* name : {"six-pulses", "drive-starts-between-steps"}) {
    const Comparison done = compare(defect(name));
    EXPECT_TRUE(done.agree) << name << ": " << done.verdict;
  }
}

// At both ends of a jump the force is that of its own side: no order is lost, and nothing is asked for at the jump
// itself.
TEST(OfTime, AForceThatChangesItsSign) {
  for (const char* integrator : {"rk4", "dopri5", "dop853", "herk", "implicit"}) {
    Model model = read_model(std::string(slider) +
                                 "[[force]]\ntype = \"joint\"\njoint = \"rail\"\n"
                                 "effort = \"(0.4 - t)/abs(t - 0.4)\"\n[simulation]\nduration = 1\n",
                             "slider.toml", {});
    model.setup.integrator = integrator;
    const Done done = run_to_the_end(model);
    ASSERT_EQ(done.status, RunStatus::finished) << integrator << done.reason;
    EXPECT_NEAR(done.end.v().tail<3>().x(), 0.5 * (0.4 - 0.6), 1e-13) << integrator;
    EXPECT_NEAR(done.end.q().tail<3>().x(), 0.5 * (0.08 + 0.24 - 0.18), 1e-13) << integrator;
  }
}

TEST(OfTime, KinksAtTheEndsOfStepsAddNoSteps) {
  const auto steps = [](const char* begin) {
    const Model model = read_model(std::string(slider) +
                                       "[[drive]]\njoint = \"rail\"\ntype = \"ramp\"\nto = 1\nduration = 0.3\n"
                                       "begin = " +
                                       begin + "\n[simulation]\nduration = 1\n",
                                   "slider.toml", {});
    return run_to_the_end(model).health.steps;
  };
  EXPECT_EQ(steps("0.1"), 100);
  EXPECT_EQ(steps("0.1037"), 102);
}

// A smooth force changes nothing: neither the steps nor their number.
TEST(OfTime, WhatIsSlowIsLeftAlone) {
  Model model = read_model(std::string(slider) +
                               "[[force]]\ntype = \"joint\"\njoint = \"rail\"\nstiffness = 3\n"
                               "effort = \"exp(sin(t)) + 1/(2 + t)\"\n[simulation]\nduration = 10\n",
                           "slider.toml", {});
  EXPECT_EQ(run_to_the_end(model).health.steps, 1000);
}

TEST(MaxStep, NoStepIsLonger) {
  Model model = example_model("two-body");
  for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
    model.setup.integrator = integrator;
    model.setup.max_step = 0.0035;
    Simulation simulation(model);
    tandem::Run run(model, simulation, {.duration = 0.2});
    double longest = 0.0;
    while (run.advance()) longest = std::max(longest, simulation.state().t - simulation.before());
    EXPECT_EQ(run.status(), RunStatus::finished);
    EXPECT_LE(longest, 0.0035 * (1.0 + 1e-12)) << integrator;
    EXPECT_GE(longest, 0.0025) << integrator;
  }
  model.setup.integrator = "rk4";
  EXPECT_EQ(run_to_the_end(model).health.steps, 3 * std::lround(model.setup.duration / model.setup.step));
}

TEST(MaxStep, MustBePositive) {
  for (const char* value : {"0", "-1"}) {
    try {
      read_model(std::string(slider) + "[simulation]\nmax_step = " + value + "\n", "slider.toml", {});
      ADD_FAILURE() << value;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find("max_step must be positive"), std::string::npos) << error.what();
    }
  }
}

// A table has a kink of its third derivative at every knot; between them it is a cubic.
TEST(OfTime, TablesEndStepsAtTheirKnots) {
  const Model model = read_model(std::string(slider) +
                                     "[[drive]]\njoint = \"rail\"\ntype = \"table\"\n"
                                     "points = [[0, 0], [0.2013, 1], [0.5017, 1], [1, 0]]\n"
                                     "[simulation]\nduration = 1\n",
                                 "slider.toml", {});
  Simulation simulation(model);
  ASSERT_EQ(simulation.time().breaks().size(), 2U);
  EXPECT_EQ(simulation.time().breaks()[0].before, 0.2013);
  EXPECT_EQ(simulation.time().breaks()[1].before, 0.5017);
  EXPECT_EQ(run_to_the_end(model).health.steps, 102);
}

}  // namespace
}  // namespace tandem
