// Singular poses that are passed, and branches that are left.
#include <gtest/gtest.h>

#include <numbers>

#include "support/how_long.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/run/run.hpp"

namespace tandem {
namespace {

struct Outcome {
  Judgement judgement;
  HealthSummary health;
  double first = 0.0, apart = 0.0;  // the turn of a crank, and between the two
  RunStatus status = RunStatus::running;
};

Outcome turned_as(const Model& model, double duration, const char* one, const char* two) {
  Simulation simulation(model);
  tandem::Run run(model, simulation, {.duration = duration});
  while (run.advance()) {
  }
  const double first = simulation.coordinate(one);
  return {run.judgement(), run.health(), first, first - simulation.coordinate(two), run.status()};
}

Outcome turned(const Model& model, double duration) { return turned_as(model, duration, "A", "B"); }

Model parallelogram(double longer = 0.0) {
  return load_model(TANDEM_SOURCE_DIR "/tests/defects/parallelogram.toml", {.set = {{"e", longer}}});
}

const HealthEvent* event_of(const Outcome& outcome, HealthEvent::Kind kind) {
  for (const HealthEvent& event : outcome.health.events)
    if (event.kind == kind) return &event;
  return nullptr;
}

long passed_poses(const Outcome& outcome) {
  long times = 0;
  for (const HealthEvent& event : outcome.health.events)
    if (event.kind == HealthEvent::Kind::singular_pose) times += event.count;
  return times;
}

// It is flat at a quarter and three quarters of a turn of 2 s; its cranks stay parallel.
TEST(Branches, AParallelogramThatGoesStraightOnPassesSingularPoses) {
  for (const char* cut : {"all", "loops"}) {
    Model model = parallelogram();
    model.setup.cut = cut;
    const Outcome run = turned(model, 4.0);
    EXPECT_NEAR(run.apart, 0.0, 1e-3) << cut;
    EXPECT_EQ(run.judgement.trust, Trust::look) << cut << "\n" << run.judgement.lines();
    const HealthEvent* passed = event_of(run, HealthEvent::Kind::singular_pose);
    ASSERT_NE(passed, nullptr) << cut;
    EXPECT_NEAR(passed->t, 0.5, 0.01) << cut;
    EXPECT_EQ(passed_poses(run), 4) << cut << "\n" << run.judgement.lines();
    EXPECT_EQ(event_of(run, HealthEvent::Kind::branch_changed), nullptr) << run.judgement.lines();
    EXPECT_EQ(event_of(run, HealthEvent::Kind::branch_left), nullptr) << run.judgement.lines();
  }
}

// Its motion is known: both cranks turn evenly. Whatever goes another way must not pass for right. Steps that end on a
// flat pose leave it to the last digit how far the constraints are off there, and so how much energy closing them
// takes: cranks that stay parallel and are late for want of energy are reported by the balance.
TEST(Branches, AParallelogramThatDoesNotTurnEvenlyIsNotToBeTrusted) {
  const double duration = test::how_many(4.0, 20.0, 20.0), turn = duration * 3.14159;
  int even = 0, others = 0;
  for (const char* method : {"lagrange", "null_space", "udwadia_kalaba"})
    for (const char* integrator : {"rk4", "implicit", "dop853"})
      for (const double step : {0.02, 0.01, 0.007}) {
        Model model = parallelogram();
        model.setup.method = method;
        model.setup.cut = "loops";
        model.setup.integrator = integrator;
        model.setup.step = step;
        const Outcome run = turned(model, duration);
        const std::string what = std::string(method) + " " + integrator + " " + std::to_string(step);
        if (run.status == RunStatus::finished && std::abs(run.first - turn) < 0.01 && std::abs(run.apart) < 1e-3) {
          ++even;
          EXPECT_EQ(run.judgement.trust, Trust::look) << what << "\n" << run.judgement.lines();
          EXPECT_EQ(static_cast<double>(passed_poses(run)), duration) << what << "\n" << run.judgement.lines();
        } else if (run.status == RunStatus::finished && std::abs(run.apart) < 1e-3 &&
                   run.judgement.lines().find("the energy balance is off by") != std::string::npos) {
          EXPECT_GE(run.judgement.trust, Trust::look) << what << "\n" << run.judgement.lines();
        } else {
          ++others;
          EXPECT_EQ(run.judgement.trust, Trust::not_to_be_trusted) << what << "\n" << run.judgement.lines();
        }
      }
  EXPECT_GT(even, 5);
  EXPECT_GT(others, 0);
}

// Two four-bars in a row lose two rows at once whenever all rods lie on one line, twice a turn.
TEST(Branches, SeveralRowsThatAreLostAtOnceAreOneSingularPose) {
  const Model model = load_model_or_example("n-four-bar");
  const Outcome run = turned_as(model, 2.0, "A0", "A1");
  EXPECT_EQ(run.judgement.trust, Trust::look) << run.judgement.lines();
  EXPECT_EQ(passed_poses(run), 2) << run.judgement.lines();  // on its first turn, of 6.34 rad
  EXPECT_NEAR(run.first, 6.341, 1e-3);
  EXPECT_NEAR(run.apart, 0.0, 1e-6);
}

// Every shipped example is right at its own settings, but where the machine itself passes singular poses.
TEST(Branches, ExamplesAreTrusted) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const std::string name(example.name);
    if (name == "n-four-bar") continue;
    const Model model = load_model_or_example(name);
    Simulation simulation(model);
    tandem::Run run(model, simulation, {.duration = std::min(1.0, model.setup.duration)});
    while (run.advance()) {
    }
    EXPECT_EQ(run.judgement().trust, Trust::trusted) << name << "\n" << run.judgement().lines();
  }
}

// One crank is longer by 1e-6: the crossed mechanism is 0.0014 rad away at the nearest, and a step of 0.09 rad goes
// over to it without a sign: the energy is kept. Short steps turn the sharp corner, here with a gap of 0.014 rad.
TEST(Branches, AStepThatJumpsToTheOtherAssemblyModeIsFound) {
  for (const char* integrator : {"rk4", "implicit"}) {
    Model model = parallelogram(1e-6);
    model.setup.step = 0.03;
    model.setup.integrator = integrator;
    const Outcome jumped = turned(model, 0.6);
    EXPECT_EQ(jumped.judgement.of("branch_left"), Trust::not_to_be_trusted) << jumped.judgement.lines();
    EXPECT_EQ(jumped.judgement.of("energy_balance") == Trust::not_to_be_trusted, false) << jumped.judgement.lines();
    const HealthEvent* left = event_of(jumped, HealthEvent::Kind::branch_left);
    ASSERT_NE(left, nullptr) << integrator;
    EXPECT_NEAR(left->t, 0.5, 0.02);
    EXPECT_EQ(model.block_of_row(left->index).kind, RowBlockInfo::Kind::joint);
  }
  Model fine = parallelogram(1e-4);
  fine.setup.step = 1e-4;
  const Outcome stayed = turned(fine, 0.6);
  EXPECT_EQ(stayed.judgement.trust, Trust::trusted) << stayed.judgement.lines();
  EXPECT_TRUE(stayed.health.events.empty()) << stayed.judgement.lines();
}

// Machines that come near no singular pose have no events, whatever the step.
TEST(Branches, OrdinaryMachinesHaveNoEvents) {
  for (const char* name : {"four-bar", "slider-crank", "bricard", "stewart", "bicycle"}) {
    Model model = load_model_or_example(name);
    const double duration = std::min(1.0, model.setup.duration);
    for (const double factor : {1.0, 5.0}) {
      Model coarse = model;
      coarse.setup.step = factor * model.setup.step;
      Simulation simulation(coarse);
      tandem::Run run(coarse, simulation, {.duration = duration});
      while (run.advance()) {
      }
      EXPECT_TRUE(run.health().events.empty()) << name << "\n" << run.judgement().lines();
    }
  }
}

// The rows in use become dependent as it turns, in flat poses and elsewhere, and others take their place.
TEST(Branches, CranksThatAreBothDrivenPassNoSingularPose) {
  for (const char* method : {"articulated", "lagrange", "null_space", "udwadia_kalaba"})
    for (const char* integrator : {"rk4", "dopri5", "dop853"}) {
      Model model = load_model(TANDEM_SOURCE_DIR "/tests/defects/two-driven-cranks.toml");
      model.setup.method = method;
      model.setup.integrator = integrator;
      const Outcome run = turned(model, 5.0);
      EXPECT_EQ(run.status, RunStatus::finished) << method << " " << integrator;
      EXPECT_EQ(run.judgement.trust, Trust::trusted) << method << " " << integrator << "\n" << run.judgement.lines();
      EXPECT_NEAR(run.first, 5.0, 1e-12) << method << " " << integrator;
    }
}

// Rolling holds it to a part in 1e4 of what a row can; its positions are held well.
TEST(Branches, AWheelThatIsNotParallelIsNoSingularPose) {
  for (const char* method : {"articulated", "lagrange"}) {
    Model model = load_model(TANDEM_SOURCE_DIR "/tests/defects/toed-wheel.toml");
    model.setup.method = method;
    Simulation simulation(model);
    tandem::Run run(model, simulation, {});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::finished) << method;
    EXPECT_TRUE(run.health().events.empty()) << method << "\n" << run.judgement().lines();
  }
}

// What a run noted is part of what it goes on from.
TEST(Branches, EventsGoOnWithARun) {
  const Model model = parallelogram();
  Simulation one(model), two(model);
  tandem::Run whole(model, one, {.duration = 3.0}), first(model, two, {.duration = 3.0});
  while (whole.advance()) {
  }
  while (two.state().t < 1.0) ASSERT_TRUE(first.advance());
  const std::vector<double> memory = first.memory();
  Simulation three(model);
  tandem::Run rest(model, three, {.duration = 3.0});
  rest.restore(memory);
  while (rest.advance()) {
  }
  EXPECT_FALSE(whole.judgement().reasons.empty());
  EXPECT_EQ(rest.judgement().lines(), whole.judgement().lines());
}

}  // namespace
}  // namespace tandem
