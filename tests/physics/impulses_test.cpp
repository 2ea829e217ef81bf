// Sequential impulses in time: of order one, without any bias; ropes, soft constraints, drives, and what is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

// How far a run by impulses ends from one by equations.
double error_at(const std::string& example, double end, double h) {
  Model model = example == "chain" ? example_model(example, {{"angle", 1.0}}) : example_model(example);
  Simulation exact(model);
  advance(exact, end, 0.0025);
  model.setup.method = "impulses";
  model.setup.impulses.iterations = 400;
  Simulation sweeps(model);
  advance(sweeps, end, h);
  double error = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    error = std::max(error, (sweeps.workspace().kinematics.body(static_cast<int>(i)).X_WC.p -
                             exact.workspace().kinematics.body(static_cast<int>(i)).X_WC.p)
                                .norm());
  return error;
}

class ImpulseOrder : public ::testing::TestWithParam<const char*> {};

// The bias is never used, and yet the motion converges to that of the equations, which live by it.
TEST_P(ImpulseOrder, IsOne) {
  const double coarse = error_at(GetParam(), 0.5, 0.002), fine = error_at(GetParam(), 0.5, 0.001),
               finest = error_at(GetParam(), 0.5, 0.0005);
  EXPECT_GT(coarse, 1e-9);
  EXPECT_LT(finest, 0.02);
  EXPECT_NEAR(coarse / fine, 2.0, 0.35) << coarse << " " << fine << " " << finest;
  EXPECT_NEAR(fine / finest, 2.0, 0.2) << coarse << " " << fine << " " << finest;
}

INSTANTIATE_TEST_SUITE_P(Examples, ImpulseOrder,
                         ::testing::Values("bicycle", "rolling-disc", "four-bar", "two-body", "chain", "slider-crank",
                                           "swimmer", "rail", "chaplygin-sleigh", "distance"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Model hanging(const ConstraintDescription& constraint, const Vector3& velocity = {0, 0, 0}) {
  Builder build("hanging");
  build.body({.name = "mass", .mass = 2.0, .point_mass = true, .position = {0, 0, -1}, .velocity = velocity});
  build.constraint(constraint);
  Model model = build.finish();
  model.setup.method = "impulses";
  return model;
}

TEST(Rope, FallsFreelyThenHoldsAndNeverPushes) {
  // Slack at first: 1.5 m of rope, the mass 1 m below its pin.
  const Model model = hanging({.name = "tether",
                               .type = Rope{.length = 1.5},
                               .bodies = {"world", "mass"},
                               .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}});
  Simulation simulation(model);
  EXPECT_NEAR(simulation.solution().y[2], -9.81, 1e-12);  // slack: nothing pulls
  bool held = false;
  for (int i = 0; i < 1000; ++i) {
    simulation.step(0.001);
    const double length = simulation.mass_center().norm();
    EXPECT_LE(length, 1.5 + 1e-6);
    EXPECT_GE(simulation.reaction("tether").force.z(), -1e-9);  // it pulls up, never pushes down
    held = held || simulation.reaction("tether").force.z() > 1.0;
  }
  EXPECT_TRUE(held);
  EXPECT_NEAR(simulation.mass_center().z(), -1.5, 1e-6);
  EXPECT_NEAR(simulation.reaction("tether").force.z(), 2.0 * 9.81, 1e-6);  // at rest it carries the weight
}

TEST(Rope, TautAtTheStartCarriesTheWeight) {
  const Model model = hanging(
      {.name = "tether", .type = Rope{}, .bodies = {"world", "mass"}, .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}});
  Simulation simulation(model);
  EXPECT_NEAR(simulation.solution().y[2], 0.0, 1e-10);
  EXPECT_NEAR(simulation.reaction("tether").force.z(), 2.0 * 9.81, 1e-9);
}

TEST(Soft, BobsWithTheFrequencyAskedFor) {
  ConstraintDescription bar{
      .name = "bar", .type = Distance{}, .bodies = {"world", "mass"}, .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}};
  bar.soft = Softness{.frequency = 2.0, .damping_ratio = 0.0};
  const Model model = hanging(bar);
  Simulation simulation(model);
  // k = m ω²: it sinks by 2 g/ω² and is back after half a second.
  const double omega = 2.0 * 3.14159265358979 * 2.0;
  double lowest = 0.0;
  for (int i = 0; i < 2500; ++i) {
    simulation.step(0.0002);
    lowest = std::min(lowest, simulation.mass_center().z() + 1.0);
  }
  EXPECT_NEAR(lowest, -2.0 * 9.81 / (omega * omega), 2e-3);
  EXPECT_NEAR(simulation.mass_center().z(), -1.0, 2e-3);
}

TEST(Soft, AccelerationIsThatOfItsSpringAndDamper) {  // y = g + ω² δ + 2 ζ ω s, stretched by δ and going down with s
  ConstraintDescription bar{.name = "bar",
                            .type = Distance{.length = TimeFunction(0.9)},
                            .bodies = {"world", "mass"},
                            .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}};
  bar.soft = Softness{.frequency = 2.0, .damping_ratio = 0.3};
  const Model model = hanging(bar, {0, 0, -0.5});
  Simulation simulation(model);
  const double omega = 2.0 * 3.14159265358979323846 * 2.0,
               wanted = -9.81 + omega * omega * 0.1 + 2.0 * 0.3 * omega * 0.5;
  EXPECT_NEAR(simulation.solution().y[2], wanted, 1e-9);
  EXPECT_NEAR(simulation.reaction("bar").force.z(), 2.0 * (wanted + 9.81), 1e-9);
}

TEST(Soft, IsRefusedWhereConstraintsAreExact) {
  ConstraintDescription bar{
      .name = "bar", .type = Distance{}, .bodies = {"world", "mass"}, .points = {Vector3(0, 0, 0), Vector3(0, 0, -1)}};
  bar.soft = Softness{.frequency = 2.0, .damping_ratio = 0.5};
  Model model = hanging(bar);
  for (const MethodInfo& method : all_methods()) {
    model.setup.method = method.name;
    if (method.name == "impulses")
      EXPECT_NO_THROW(Simulation{model});
    else
      EXPECT_THROW(Simulation{model}, ModelError) << method.name;
  }
}

TEST(Impulses, DrivesAreFollowedAtTheEndOfTheStep) {  // J v⁺ = q̇_A(t + h)
  Model model = example_model("rail");
  model.setup.method = "impulses";
  model.setup.impulses.iterations = 2000;
  Simulation simulation(model);
  ASSERT_FALSE(model.drives.empty());
  const ModelDrive& drive = model.drives[0];
  for (int i = 0; i < 50; ++i) {
    simulation.step(0.002);
    const Jet<double> wanted = drive.drive.motion<double>(simulation.state().t);
    const JointMotion<double>& joint = simulation.workspace().kinematics.joint(drive.coordinate.joint);
    EXPECT_NEAR(joint.v[drive.coordinate.coordinate], wanted.rate, 0.01 * (1.0 + std::abs(wanted.rate)));
    EXPECT_NEAR(joint.q[drive.coordinate.coordinate], wanted.value, 1e-6);
  }
}

// Links of a metre from the origin along `way`, joined by hinges about y.
Model links(int count, const Vector3& way) {
  Builder build("links");
  for (int i = 0; i < count; ++i) {
    build.body({.name = "link" + std::to_string(i),
                .mass = 1.0,
                .shapes = {Shape::box({0.1, 0.1, 1.0})},
                .position = (i + 0.5) * way});
    build.joint({.name = "pin" + std::to_string(i),
                 .type = Revolute{},
                 .bodies = {i == 0 ? "world" : "link" + std::to_string(i - 1), "link" + std::to_string(i)},
                 .point = Vector3(i * way),
                 .axis = Vector3(0, 1, 0)});
  }
  Model model = build.finish();
  model.setup.method = "impulses";
  return model;
}

TEST(Impulses, TwentySweepsAreNotAnAnswerOnALongChain) {
  Model model = links(60, {0, 0, -1});
  const auto unsolved = [&](int iterations) {
    model.setup.impulses.iterations = iterations;
    model.setup.impulses.warm_start = false;
    Simulation simulation(model);
    return simulation.step(0.01).impulses;
  };
  const ImpulseReport few = unsolved(20), many = unsolved(60000);
  EXPECT_EQ(few.sweeps, 20);
  EXPECT_GT(few.unsolved, 1e-3);  // and the report says so
  EXPECT_GE(few.worst_row, 0);
  EXPECT_LT(many.unsolved, 1e-3 * few.unsolved);
}

// The pull of the pin dies out along the chain, by a factor a link: far away it is no normal number.
TEST(Impulses, WhatIsTooSmallToCountIsZero) {
  const Model model = links(800, {1, 0, 0});
  Simulation simulation(model);
  for (int i = 0; i < 5; ++i) simulation.step(0.005);
  const Eigen::VectorXd v = simulation.state().v();
  double least = 1.0;
  for (const double each : v) {
    EXPECT_NE(std::fpclassify(each), FP_SUBNORMAL);
    if (each != 0.0) least = std::min(least, std::abs(each));
  }
  EXPECT_LT(least, 1e-300);  // it does come that far
}

TEST(Impulses, PositionProjectionClosesJointsAndBaumgarteReducesTheirGap) {
  Model model = example_model("four-bar");
  model.setup.method = "impulses";
  const auto gap = [&](int position_iterations, double baumgarte) {
    model.setup.impulses.position_iterations = position_iterations;
    model.setup.impulses.baumgarte = baumgarte;
    Simulation simulation(model);
    advance(simulation, 0.5, 0.005);
    return residual_norms(simulation.workspace().problem).position;
  };
  const double nothing = gap(0, 0.0), some = gap(0, 0.2), projected = gap(50, 0.0);
  EXPECT_GT(nothing, 1e-4);
  EXPECT_LT(some, 0.5 * nothing);
  EXPECT_LT(projected, 1e-9);
}

TEST(Impulses, SubstepsRefineTheStep) {
  Model model = example_model("two-body");
  Simulation exact(model);
  advance(exact, 0.5, 0.0025);
  model.setup.method = "impulses";
  model.setup.impulses.iterations = 200;
  const auto error = [&](int substeps) {
    model.setup.impulses.substeps = substeps;
    Simulation simulation(model);
    advance(simulation, 0.5, 0.01);
    return (simulation.bodies().q() - exact.bodies().q()).cwiseAbs().maxCoeff();
  };
  EXPECT_NEAR(error(4) / error(8), 2.0, 0.4);
}

// The rows of a step are found in a short way of their own; the workspace finds the same.
class ImpulseRowsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(ImpulseRowsOf, AreThoseOfTheWorkspace) {
  Model model = example_model(GetParam());
  model.setup.method = "impulses";
  Simulation simulation(model);
  Workspace workspace(model);
  std::unique_ptr<ImpulseRows> rows = ImpulseRows::make(model, workspace);
  ASSERT_TRUE(rows);
  for (int i = 0; i < 100; ++i) simulation.step(0.005);
  State state = simulation.state();
  Eigen::VectorXd angles = state.angles();
  ASSERT_TRUE(rows->update(model, state, workspace));
  rows->read_angles(angles);
  workspace.refresh(model, state);
  const GaussProblem &right = workspace.problem, &found = rows->problem;
  const auto expect_same = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-13 * (1.0 + b.cwiseAbs().maxCoeff()));
  };
  expect_same(found.dense_J(), right.dense_J());
  expect_same(found.phi, right.phi);
  expect_same(found.rate, right.rate);
  expect_same(found.f, right.f);
  workspace.kinematics.read_angles(model, state.angles());
  if (angles.size() > 0) expect_same(angles, state.angles());
}

INSTANTIATE_TEST_SUITE_P(Examples, ImpulseRowsOf,
                         ::testing::Values("bicycle", "rolling-disc", "four-bar", "chain", "two-body", "top",
                                           "distance"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ImpulseRows, LeaveDrivesAndForcesToTheWorkspace) {
  const Model driven = example_model("rail");
  ASSERT_FALSE(driven.drives.empty());
  EXPECT_FALSE(ImpulseRows::make(driven, Workspace(driven)));
  const Model pinned = example_model("four-bar");
  EXPECT_TRUE(ImpulseRows::make(pinned, Workspace(pinned)));
  EXPECT_FALSE(ImpulseRows::make(pinned, Workspace(pinned, Cut::all, CoordinatesName::euler312)));
}

TEST(Impulses, MoveTheSameWhetherOrNotSomebodyLooks) {
  Model model = example_model("four-bar");
  model.setup.method = "impulses";
  Simulation watched(model), alone(model);
  for (int i = 0; i < 50; ++i) {
    watched.step(0.005);
    alone.step(0.005);
    watched.workspace();
    EXPECT_GT(watched.energy().kinetic, 0.0);
    EXPECT_EQ(watched.bodies().q(), watched.state().q());
  }
  EXPECT_EQ(watched.state().q(), alone.state().q());
  EXPECT_EQ(watched.state().v(), alone.state().v());
  EXPECT_EQ(watched.energy().total(), alone.energy().total());
}

// What has no inertia of its own is moved by what it carries; nothing at all need push it. And light bodies between
// heavy ones, for which it is taken at first, make sweeps slow.
TEST(Impulses, BodiesWithoutInertiaHaveTheAccelerationsOfTheOthers) {
  for (const char* name : {"massless_gimbal", "quick_return_not_redundant", "quick_return"}) {
    Model model = defect_model(name);
    Simulation exact(model);
    model.setup.method = "impulses";
    model.setup.integrator = "semi_implicit_euler";
    Simulation sweeps(model);
    const Eigen::VectorXd y = exact.solution().y;
    EXPECT_LE((sweeps.solution().y - y).cwiseAbs().maxCoeff(), 1e-8 * (1.0 + y.cwiseAbs().maxCoeff())) << name;
    tandem::Run run(model, sweeps, {.duration = 0.1});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::finished) << name << ": " << run.reason();
  }
}

}  // namespace
}  // namespace tandem
