// What is read from the recursion against the equations of the bodies, at the same states: motions, accelerations,
// rows, energies, coordinates, reactions and efforts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "support/random_mechanism.hpp"
#include "tandem/observe/outputs.hpp"
#include "tandem/observe/uniqueness.hpp"
#include "tandem/run/health.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {
namespace {

double difference(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const double size = 1.0 + b.lpNorm<Eigen::Infinity>();
  return a.size() == 0 ? 0.0 : (a - b).lpNorm<Eigen::Infinity>() / size;
}

void expect_same_reactions(const Model& model, Simulation& fast, Simulation& slow, double digits) {
  const Uniqueness unique = uniqueness(model, slow.workspace());
  double force = 1.0, torque = 1.0;  // the largest
  const auto each = [&](const auto& visit) {
    for (std::size_t i = 0; i < model.joints.size(); ++i)
      visit(model.joints[i].name, fast.joint_reaction(static_cast<int>(i)), slow.joint_reaction(static_cast<int>(i)),
            unique.joints[i]);
    for (std::size_t i = 0; i < model.constraints.size(); ++i)
      visit(model.constraints[i].name, fast.constraint_reaction(static_cast<int>(i)),
            slow.constraint_reaction(static_cast<int>(i)), unique.constraints[i]);
  };
  each([&](const std::string&, const Reaction&, const Reaction& b, const UniqueReaction&) {
    force = std::max(force, b.force.norm());
    torque = std::max(torque, b.torque.norm());
  });
  each([&](const std::string& name, const Reaction& a, const Reaction& b, const UniqueReaction& which) {
    EXPECT_LT((a.point - b.point).norm(), digits) << name;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      if (which.force[k]) {
        EXPECT_NEAR(a.force[axis], b.force[axis], digits * force) << name;
      }
      if (which.torque[k]) {
        EXPECT_NEAR(a.torque[axis], b.torque[axis], digits * torque) << name;
      }
    }
  });
  for (std::size_t i = 0; i < model.drives.size(); ++i) {
    std::size_t at = 0;
    const RowBlockInfo* row = find_block(model, RowBlockInfo::Kind::drive, static_cast<int>(i), at);
    if (!unique.effort(model, static_cast<int>(i))) continue;
    EXPECT_NEAR(fast.force_along(row->first_row), slow.force_along(row->first_row), digits * (force + torque));
  }
}

// `fast` reads from the recursion; `slow` solves the equations of the joints at the same state.
void expect_same(const Model& model, Simulation& fast, Simulation& slow, double digits) {
  slow.set_state(fast.state());
  ASSERT_FALSE(fast.rows(false).all);
  ASSERT_TRUE(slow.rows(false).all);
  EXPECT_LT(difference(fast.bodies().q(), slow.bodies().q()), digits);
  EXPECT_LT(difference(fast.bodies().v(), slow.bodies().v()), digits);
  EXPECT_LT(difference(fast.accelerations(), slow.solution().y), 100.0 * digits);
  EXPECT_EQ(fast.rows(false).rank, slow.solution().rank);
  EXPECT_NEAR(fast.energy().kinetic, slow.energy().kinetic, digits * (1.0 + slow.energy().kinetic));
  EXPECT_NEAR(fast.energy().gravity, slow.energy().gravity, digits * (1.0 + std::abs(slow.energy().gravity)));
  EXPECT_NEAR(fast.energy().spring, slow.energy().spring, digits * (1.0 + slow.energy().spring));
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto joint = static_cast<int>(i);
    if (!model.joints[i].joint()) continue;
    for (int k = 0; k < model.joints[i].joint()->traits().nv; ++k) {
      const CoordinateMotion<double> a = fast.joint_motion(joint, k), b = slow.joint_motion(joint, k);
      EXPECT_NEAR(a.q, b.q, digits * (1.0 + std::abs(b.q))) << model.joints[i].name;
      EXPECT_NEAR(a.v, b.v, digits * (1.0 + std::abs(b.v))) << model.joints[i].name;
    }
    EXPECT_LT(difference(fast.joint_acceleration(joint), slow.joint_acceleration(joint)), 100.0 * digits)
        << model.joints[i].name;
  }
  expect_same_reactions(model, fast, slow, 100.0 * digits);
  // By the rows themselves, found from the bodies.
  HealthRow row = Health(model, fast.setup()).record(fast, {});
  EXPECT_LT(row.acceleration_share, 1e-9);
}

Setup of_joints(const Model& model, const char* method) {
  Setup setup = model.setup;
  setup.method = method;
  setup.cut = "loops";
  setup.coordinates = "quasi";
  setup.integrator = "rk4";
  return setup;
}

void expect_same_along_a_run(const Model& model, int steps, double h, double digits) {
  Simulation fast(model, of_joints(model, "articulated")), slow(model, of_joints(model, "lagrange"));
  ASSERT_TRUE(fast.is_fast());
  for (int i = 0; i <= steps; ++i) {
    SCOPED_TRACE(fmt::format("{} after {} steps", model.name, i));
    expect_same(model, fast, slow, digits);
    if (::testing::Test::HasFailure()) return;
    fast.step(h);
  }
}

TEST(Reading, OfEveryExampleIsThatOfTheEquations) {
  for (const EmbeddedExample& example : embedded_examples()) {
    const Model model = example_model(std::string(example.name));
    if (TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) continue;
    expect_same_along_a_run(model, 3, 0.1 * model.setup.step, 1e-11);
  }
}

TEST(Reading, OfMachinesThatOnceBrokeIsThatOfTheEquations) {
  for (const char* name : {"two_wheels", "cart", "tricycle", "car", "hooke", "quick_return", "heavy_globe"})
    expect_same_along_a_run(defect_model(name), 2, 1e-4, 1e-11);
}

TEST(Reading, OfRandomMechanismsIsThatOfTheEquations) {
  int seen = 0;
  for (unsigned number = 1; number <= 60; ++number) {
    const Model model = test::RandomMechanism({.bodies = 2 + static_cast<int>(number % 4), .number = number}).model();
    if (TreeDynamics::obstacle(model, TreeDynamics::Acts::everything)) continue;
    Simulation fast(model, of_joints(model, "articulated"));
    if (!fast.is_fast() || fast.rows(false).all) continue;  // nearly singular: there the equations are asked
    ++seen;
    Simulation slow(model, of_joints(model, "lagrange"));
    SCOPED_TRACE(number);
    expect_same(model, fast, slow, 1e-9);
  }
  EXPECT_GT(seen, 40);
}

// Whether somebody looks, and how often, changes nothing.
TEST(Reading, DoesNotChangeTheRun) {
  for (const char* name : {"bicycle", "n-four-bar", "squeezer", "snakeboard", "stewart"}) {
    SCOPED_TRACE(name);
    const Model model = example_model(name);
    Simulation alone(model), watched(model);
    for (int i = 0; i < 50; ++i) {
      alone.step(model.setup.step);
      watched.step(model.setup.step);
      watched.energy();
      watched.accelerations();
      if (i % 3 == 0 && !model.joints.empty()) watched.joint_reaction(0);
      if (i % 7 == 0) watched.workspace();
      if (i % 11 == 0) watched.solution();
    }
    EXPECT_EQ(alone.state().q(), watched.state().q());
    EXPECT_EQ(alone.state().v(), watched.state().v());
    EXPECT_EQ(alone.bodies().q(), watched.bodies().q());
  }
}

}  // namespace
}  // namespace tandem
