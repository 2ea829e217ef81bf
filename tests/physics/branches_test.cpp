// Singular poses that are passed, and branches that are left.
#include <gtest/gtest.h>

#include <numbers>

#include "tandem/io/model_file.hpp"
#include "tandem/run.hpp"

namespace tandem {
namespace {

struct Outcome {
  Judgement judgement;
  HealthSummary health;
  double apart = 0.0;  // of the cranks
  RunStatus status = RunStatus::running;
};

Outcome turned(Model model, double duration) {
  Simulation simulation(model);
  tandem::Run run(model, simulation, {.duration = duration});
  while (run.advance()) {
  }
  return {run.judgement(), run.health(), simulation.coordinate("A") - simulation.coordinate("B"), run.status()};
}

Model parallelogram(double longer = 0.0) {
  return load_model(TANDEM_SOURCE_DIR "/tests/defects/parallelogram.toml", {.set = {{"e", longer}}});
}

const HealthEvent* event_of(const Outcome& outcome, HealthEvent::Kind kind) {
  for (const HealthEvent& event : outcome.health.events)
    if (event.kind == kind) return &event;
  return nullptr;
}

// It is flat at a quarter and three quarters of a turn of 2 s; its cranks stay parallel.
TEST(Branches, AParallelogramThatGoesStraightOnPassesSingularPoses) {
  for (const char* cut : {"all", "loops"}) {
    Model model = parallelogram();
    model.simulation.cut = cut;
    const Outcome run = turned(model, 4.0);
    EXPECT_NEAR(run.apart, 0.0, 1e-3) << cut;
    EXPECT_EQ(run.judgement.trust, Trust::look) << cut << "\n" << run.judgement.lines();
    const HealthEvent* passed = event_of(run, HealthEvent::Kind::singular_pose);
    ASSERT_NE(passed, nullptr) << cut;
    EXPECT_NEAR(passed->t, 0.5, 0.01) << cut;
    long times = 0;
    for (const HealthEvent& event : run.health.events)
      if (event.kind == HealthEvent::Kind::singular_pose) times += event.count;
    EXPECT_EQ(times, 4) << cut << "\n" << run.judgement.lines();
    EXPECT_EQ(event_of(run, HealthEvent::Kind::branch_changed), nullptr) << run.judgement.lines();
    EXPECT_EQ(event_of(run, HealthEvent::Kind::branch_left), nullptr) << run.judgement.lines();
  }
}

TEST(Branches, AParallelogramThatCrossesItselfIsNotToBeTrusted) {
  Model model = parallelogram();
  model.simulation.cut = "loops";
  model.simulation.integrator = "implicit";
  const Outcome run = turned(model, 20.0);
  EXPECT_EQ(run.status, RunStatus::finished);
  EXPECT_GT(std::abs(run.apart), 1.0);
  EXPECT_EQ(run.judgement.trust, Trust::not_to_be_trusted);
  EXPECT_NE(event_of(run, HealthEvent::Kind::branch_changed), nullptr) << run.judgement.lines();
}

// One crank is longer by 1e-4: the crossed mechanism is 0.02 rad away at the nearest, and a step of 0.03 rad goes over
// to it. Short steps turn the sharp corner.
TEST(Branches, AStepThatJumpsToTheOtherAssemblyModeIsFound) {
  const Outcome jumped = turned(parallelogram(1e-4), 0.6);
  EXPECT_EQ(jumped.judgement.trust, Trust::not_to_be_trusted) << jumped.judgement.lines();
  const HealthEvent* left = event_of(jumped, HealthEvent::Kind::branch_left);
  ASSERT_NE(left, nullptr) << jumped.judgement.lines();
  EXPECT_NEAR(left->t, 0.5, 0.02);
  Model fine = parallelogram(1e-4);
  fine.simulation.step = 1e-4;
  const Outcome stayed = turned(fine, 0.6);
  EXPECT_TRUE(stayed.health.events.empty()) << stayed.judgement.lines();
}

// Machines that come near no singular pose have no events, whatever the step.
TEST(Branches, OrdinaryMachinesHaveNoEvents) {
  for (const char* name : {"four-bar", "slider-crank", "bricard", "stewart", "bicycle"}) {
    Model model = load_model_or_example(name);
    const double duration = std::min(1.0, model.simulation.duration);
    for (const double factor : {1.0, 5.0}) {
      Model coarse = model;
      coarse.simulation.step = factor * model.simulation.step;
      Simulation simulation(coarse);
      tandem::Run run(coarse, simulation, {.duration = duration});
      while (run.advance()) {
      }
      EXPECT_TRUE(run.health().events.empty()) << name << "\n" << run.judgement().lines();
    }
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
