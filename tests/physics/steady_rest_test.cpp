// Machines that are steady only where they do not turn: the balance goes as the square of the rate, and what Newton
// leaves of it is no motion.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {
namespace {

TEST(SteadyRest, ASleighThatTurnsOnTheSpotComesToRest) {
  const Steady found = find_steady(example_model("chaplygin-sleigh"));
  EXPECT_TRUE(found.rests());
  EXPECT_LE(found.bodies.v().norm(), 1e-20);
}

TEST(SteadyRest, TwoBodiesDriftWithoutTurning) {
  const Model model = example_model("two-body");
  const Steady found = find_steady(model);
  EXPECT_EQ(found.motion.rotation.norm(), 0.0);
  // No torque answers to anything, so what turns goes on turning. Of the double zeros that this makes, eigenvalues are
  // the root of whatever round-off is left in A.
  const Linearization linear = linearize(model, found);
  for (std::size_t i = 0; i < linear.states.size(); ++i) {
    const double most = linear.A.row(static_cast<Eigen::Index>(i)).cwiseAbs().maxCoeff();
    EXPECT_LE(linear.states[i].unit == "rad/s" ? most : 0.0, 1e-16) << linear.states[i].name;
  }
  for (const LinearMode& mode : linear.modes) EXPECT_TRUE(linear.neutral(mode.eigenvalue)) << mode.eigenvalue;
}

// A start that is the circle of ten degrees: whatever is held, it is found where it is. Rows that no symmetry breaks,
// left with round-off, once forbade all motion.
TEST(SteadyStart, KeepsItsSpeed) {
  const std::string text = std::string(find_example("bicycle")->text) +
                           "\n[[start]]\nbody = \"frame\"\nquantity = \"lean\"\nvalue = 0.17453292519943295\nrate = 0\n"
                           "[[start]]\nbody = \"frame\"\nquantity = \"yaw\"\nvalue = 0\n"
                           "[[start]]\njoint = \"steer\"\nvalue = 0.05191409008776562\nrate = 0\n"
                           "[[start]]\njoint = \"rear_hub\"\nvalue = 0\nrate = 19.79532561823587\n";
  for (const char* held : {"lean", "steer", "rear_hub.rate"}) {
    const Model model = read_model(text, "circle.toml");
    const Assembly start = assemble(model, start_state(model));
    const Steady found = find_steady(model, start.bodies, {.hold = {{.of = find_reading(model, held), .value = {}}}});
    EXPECT_EQ(found.iterations, 0) << held;
    EXPECT_LT((found.bodies.v() - start.bodies.v()).lpNorm<Eigen::Infinity>(), 1e-9) << held;
    EXPECT_LT((found.bodies.q() - start.bodies.q()).lpNorm<Eigen::Infinity>(), 1e-9) << held;
  }
}

// A slow motion that is steady at any rate is no leftover.
TEST(SteadyRest, ASlowSpinStays) {
  Model model = example_model("t-handle");
  model.bodies[0].angular_velocity = 7.3e-5 * model.bodies[0].angular_velocity.normalized();
  EXPECT_NEAR(find_steady(model).bodies.v().norm(), 7.3e-5, 1e-7);
}

}  // namespace
}  // namespace tandem
