// Machines that are steady only where they do not turn: the balance goes as the square of the rate, and what Newton
// leaves of it is no motion.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/analysis/linearize.hpp"

namespace tandem {
namespace {

TEST(SteadyRest, ASleighThatTurnsOnTheSpotComesToRest) {
  const Steady found = find_steady(example_model("chaplygin-sleigh"));
  EXPECT_TRUE(found.rests());
  EXPECT_LE(found.bodies.v.norm(), 1e-20);
}

TEST(SteadyRest, TwoBodiesDriftWithoutTurning) {
  const Model model = example_model("two-body");
  const Steady found = find_steady(model);
  EXPECT_EQ(found.motion.rotation.norm(), 0.0);
  for (const LinearMode& mode : linearize(model, found).modes) EXPECT_LE(std::abs(mode.eigenvalue), 1e-10);
}

// A slow motion that is steady at any rate is no leftover.
TEST(SteadyRest, ASlowSpinStays) {
  Model model = example_model("t-handle");
  model.bodies[0].angular_velocity = 7.3e-5 * model.bodies[0].angular_velocity.normalized();
  EXPECT_NEAR(find_steady(model).bodies.v.norm(), 7.3e-5, 1e-7);
}

}  // namespace
}  // namespace tandem
