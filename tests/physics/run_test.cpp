// A run: rows at their times, stops where their conditions become true, the ledger of energy, and going on bit for bit.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

Model pendulum(const std::string& when = "") {
  std::string text = R"toml(
format = 1
[parameters]
l = 1.0
limit = 0.5
[[body]]
name = "bob"
mass = 2.0
point_mass = true
position = ["l", 0, 0]
[[constraint]]
name = "rod"
type = "distance"
bodies = ["world", "bob"]
points = [[0, 0, 0], ["l", 0, 0]]
[[output]]
name = "height"
quantity = "position"
body = "bob"
component = "z"
[[output]]
name = "pull"
quantity = "force"
constraint = "rod"
[simulation]
step = 0.01
duration = 1
)toml";
  if (!when.empty()) text += "[[stop]]\nname = \"end\"\nwhen = \"" + when + "\"\n";
  return read_model(text, "pendulum.toml", {});
}

class Integrator4 : public ::testing::TestWithParam<const char*> {};

// A pendulum from the horizontal has height h at speed √(2 g |h|); the moment is found within a step.
TEST_P(Integrator4, StopIsLocatedWithinAStep) {
  Model model = pendulum("height < -limit");
  model.setup.integrator = GetParam();
  model.setup.tolerance = 1e-10;
  Simulation simulation(model);
  std::vector<double> rows;
  tandem::Run run(model, simulation, {.interval = 0.1, .on_row = [&](Simulation& at, const HealthRow& row) {
                                        rows.push_back(row.t);
                                        EXPECT_EQ(at.state().t, row.t);
                                      }});
  while (run.advance()) {
  }
  EXPECT_EQ(run.status(), RunStatus::stopped);
  EXPECT_EQ(run.reason(), "end: height < -limit");
  const Vector3 bob = simulation.bodies().q();
  EXPECT_NEAR(bob.z(), -0.5, 1e-9);
  EXPECT_NEAR(simulation.bodies().v().norm(), std::sqrt(9.81), 1e-6);
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows.front(), 0.0);
  EXPECT_EQ(rows[1], 0.1);
  EXPECT_EQ(rows.back(), simulation.state().t);  // the last row is where it stopped
  EXPECT_GT(std::fmod(rows.back(), 0.01), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Each, Integrator4, ::testing::Values("rk4", "dopri5", "dop853", "herk", "implicit"),
                         [](const auto& each) { return std::string(each.param); });

TEST(Run, StopsByBuiltInQuantitiesAndForces) {
  {  // the pull of the rod is 3 m g at the bottom, 3 m g cos otherwise
    const Model model = pendulum("pull > 40");
    Simulation simulation(model);
    tandem::Run run(model, simulation, {});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::stopped);
    EXPECT_NEAR(simulation.bodies().q().z(), -40.0 / (3.0 * 2.0 * 9.81), 1e-7);
  }
  {  // at rest at the start: that condition waits until it has been false
    const Model model = pendulum("largest_speed < 0.2");
    Simulation simulation(model);
    tandem::Run run(model, simulation, {.duration = 3.0});
    while (run.advance()) {
    }
    ASSERT_EQ(run.waiting().size(), 1U);
    EXPECT_EQ(run.waiting()[0], "end");
    EXPECT_EQ(run.status(), RunStatus::stopped);
    // Half a period on it is at rest again; just before, it slows down by g.
    EXPECT_NEAR(simulation.state().t, 0.5 * 2.3678419475762373 - 0.2 / 9.81, 1e-4);
  }
}

TEST(Run, FinishesAndWritesEveryRow) {
  Model model = pendulum();
  for (const char* integrator : {"rk4", "dop853"}) {
    model.setup.integrator = integrator;
    Simulation simulation(model);
    std::vector<double> rows;
    tandem::Run run(model, simulation,
                    {.duration = 0.55, .interval = 0.1, .on_row = [&](Simulation&, const HealthRow& row) {
                       rows.push_back(row.t);
                     }});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::finished);
    ASSERT_EQ(rows.size(), 7U) << integrator;
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(rows[i], 0.1 * static_cast<double>(i), 1e-15);
    EXPECT_EQ(rows.back(), 0.55);
  }
}

TEST(Run, FailureKeepsTheLastGoodState) {
  Model model = example_model("chain", {{"angle", 1.5}});
  model.setup.step = 0.3;
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  EXPECT_EQ(run.status(), RunStatus::failed);
  EXPECT_NE(run.reason().find("at t ="), std::string::npos) << run.reason();
  EXPECT_NE(run.reason().find("link"), std::string::npos) << run.reason();
  EXPECT_TRUE(simulation.state().q().allFinite());
  EXPECT_FALSE(run.advance());
}

// E(t) − E(0) = work of dampers, drives and forces, to the order of the integrator.
TEST(Ledger, BalancesWithDampersDrivesAndForces) {
  const std::string text = R"toml(
format = 1
[[body]]
name = "arm"
mass = 2.0
inertia = [0.02, 0.3, 0.3]
position = [0.5, 0, 0]
[[body]]
name = "hand"
mass = 1.0
inertia = [0.01, 0.1, 0.1]
position = [1.5, 0, 0]
[[joint]]
name = "shoulder"
type = "revolute"
bodies = ["world", "arm"]
point = [0, 0, 0]
axis = [0, 1, 0]
[[joint]]
name = "elbow"
type = "revolute"
bodies = ["arm", "hand"]
point = [1, 0, 0]
axis = [0, 1, 0]
[[drive]]
name = "motor"
joint = "shoulder"
type = "oscillation"
amplitude = 0.5
frequency = 0.7
offset = -0.5
[[force]]
name = "spring"
type = "joint"
joint = "elbow"
stiffness = 3.0
damping = 0.4
effort = "0.5*sin(3*t)"
[[force]]
name = "push"
type = "force"
body = "hand"
value = ["cos(2*t)", 0, 1]
[simulation]
duration = 1
)toml";
  for (const char* method : {"lagrange", "articulated", "null_space"}) {
    double before = 0.0;
    for (const double h : {0.02, 0.01, 0.005}) {
      Model model = read_model(text, "arm.toml", {});
      model.setup.method = method;
      model.setup.step = h;
      Simulation simulation(model);
      tandem::Run run(model, simulation, {});
      while (run.advance()) {
      }
      ASSERT_EQ(run.status(), RunStatus::finished) << run.reason();
      const HealthSummary& health = run.health();
      EXPECT_LT(health.work.dampers, -1e-3);
      EXPECT_GT(std::abs(health.work.drives), 1e-2);
      EXPECT_GT(std::abs(health.work.forces), 1e-2);
      const double error = health.relative_balance();
      if (before > 0.0) {
        EXPECT_GT(std::log2(before / error), 3.5) << method << " " << h;
      }
      before = error;
    }
    EXPECT_LE(before, 1e-8) << method;
  }
}

TEST(Health, SeesMomentumLoadsAndRank) {
  Model model = example_model("bicycle");
  Simulation simulation(model);
  std::vector<HealthRow> rows;
  tandem::Run run(model, simulation,
                  {.duration = 0.2, .on_row = [&](Simulation&, const HealthRow& row) { rows.push_back(row); }});
  while (run.advance()) {
  }
  for (const HealthRow& row : rows) {
    ASSERT_EQ(row.loads.size(), 2U);
    EXPECT_GT(row.loads[0], 500.0);
    EXPECT_GT(row.loads[1], 200.0);
    EXPECT_EQ(row.rank, 21);
    EXPECT_LE(row.acceleration, 1e-11);
    EXPECT_LE(std::abs(row.power), 1e-9);
    EXPECT_NEAR(row.momentum.linear.x(), 94.0 * 4.6, 20.0);
  }
  EXPECT_GT(run.health().before.position, 1e-10);
  EXPECT_LE(run.health().after.position, 1e-12);
  EXPECT_GT(run.health().quaternion_error, 0.0);
  // A free body keeps both momenta.
  const Model two = example_model("two-body");
  Simulation free(two);
  tandem::Run spin(two, free, {.duration = 1.0});
  while (spin.advance()) {
  }
  const HealthSummary& health = spin.health();
  EXPECT_LE((health.momentum_end.linear - health.momentum_start.linear).norm(), 1e-9);
  EXPECT_LE((health.momentum_end.angular - health.momentum_start.angular).norm(), 1e-8);
}

// A linkage of micrometres beside a pendulum of ten metres is judged by its own length, as it is alone.
TEST(Health, JudgesEveryIslandByItsOwnLength) {
  Model model = defect_model("four-bar-beside-a-pendulum");
  model.setup.integrator = "euler";
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  ASSERT_EQ(run.status(), RunStatus::finished) << run.reason();
  EXPECT_LT(run.health().before.position, 1e-6 * model.scale.length);
  EXPECT_GT(run.health().before.share, 1e-6);
  EXPECT_NE(judge(model, model.setup, run.health(), "finished", "").of("position_residual"), Trust::trusted);
}

// A bicycle that leans far at speed would lift a wheel: a negative load is flagged with its time.
TEST(Health, FlagsALoadThatPulls) {
  const std::string text = R"toml(
format = 1
[[body]]
name = "disc"
mass = 1.0
inertia = [0.25, 0.5, 0.25]
position = [0, 0, 1]
velocity = [1, 0, 0]
angular_velocity = [0, 1, 0]
[[constraint]]
name = "ground"
type = "wheel"
bodies = ["world", "disc"]
radius = 1.0
[[force]]
name = "lift"
type = "force"
body = "disc"
value = [0, 0, "20*t"]
[simulation]
duration = 1
)toml";
  const Model model = read_model(text, "disc.toml", {});
  Simulation simulation(model);
  tandem::Run run(model, simulation, {});
  while (run.advance()) {
  }
  EXPECT_EQ(run.status(), RunStatus::finished);
  EXPECT_NEAR(run.health().lowest_loads[0].value, 9.81 - 20.0, 1e-8);
  EXPECT_NEAR(run.health().lowest_loads[0].t, 1.0, 1e-12);
}

class GoesOn : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

// A second run that takes over the memory of the first goes on bit for bit.
TEST_P(GoesOn, BitForBit) {
  const auto [name, method, integrator] = GetParam();
  Model model = example_model(name);
  model.setup.method = method;
  model.setup.integrator = integrator;
  model.setup.duration = 0.3;
  const auto collect = [](std::vector<State>& rows) {
    return [&rows](Simulation& at, const HealthRow&) { rows.push_back(at.bodies()); };
  };
  std::vector<State> whole, parts;
  Simulation a(model), b(model), c(model);
  tandem::Run all(model, a, {.on_row = collect(whole)});
  while (all.advance()) {
  }
  tandem::Run first(model, b, {.on_row = collect(parts)});
  for (int i = 0; i < 9; ++i) first.advance();
  tandem::Run second(model, c, {.on_row = collect(parts)});
  second.restore(first.memory());
  while (second.advance()) {
  }
  EXPECT_EQ(second.status(), all.status());
  ASSERT_EQ(whole.size(), parts.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    EXPECT_EQ(whole[i].t, parts[i].t);
    EXPECT_TRUE((whole[i].q().array() == parts[i].q().array()).all()) << i;
    EXPECT_TRUE((whole[i].v().array() == parts[i].v().array()).all()) << i;
  }
  EXPECT_EQ(all.memory(), second.memory());  // the health record too
}

// A model goes by the recursion, and the record says how many steps did not.
TEST(GeneralSteps, AreCountedWhereTheRecursionStandsDown) {
  const auto steps_of = [](const char* example, double until) {
    const Model model = example_model(example);
    Simulation simulation(model);
    EXPECT_TRUE(simulation.is_fast()) << example;
    tandem::Run run(model, simulation, {.duration = until});
    while (run.advance()) {
    }
    return std::pair{run.health().general_steps, run.health().steps};
  };
  EXPECT_EQ(steps_of("bicycle", 1.0), (std::pair{0L, 100L}));
  const auto [general, all] = steps_of("n-four-bar", 1.0);  // through a singular pose at 0.714 s
  EXPECT_GE(general, 1);
  EXPECT_LT(general, all / 4);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, GoesOn,
    ::testing::Values(std::tuple{"bicycle", "lagrange", "rk4"}, std::tuple{"bicycle", "articulated", "dop853"},
                      std::tuple{"bicycle", "null_space", "dopri5"}, std::tuple{"four-bar", "udwadia_kalaba", "rk4"},
                      std::tuple{"four-bar", "articulated", "rk4"}, std::tuple{"bricard", "articulated", "rk4"},
                      std::tuple{"n-four-bar", "articulated", "dopri5"}, std::tuple{"governor", "articulated", "rk4"},
                      std::tuple{"swimmer", "null_space", "herk"}, std::tuple{"bicycle", "lagrange", "implicit"},
                      std::tuple{"four-bar", "null_space", "implicit"}, std::tuple{"two-body", "lagrange", "dopri5"},
                      std::tuple{"chain", "impulses", ""}, std::tuple{"bicycle", "impulses", ""}),
    [](const auto& each) {
      std::string name =
          std::string(std::get<0>(each.param)) + "_" + std::get<1>(each.param) + "_" + std::get<2>(each.param);
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace
}  // namespace tandem
