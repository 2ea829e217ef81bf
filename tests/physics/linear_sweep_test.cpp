// Sweeps: where growth begins and ends, driven machines included.
#include <gtest/gtest.h>

#include "support/linear_motion.hpp"
#include "support/rotating_pendulum.hpp"
#include "tandem/analysis/assemble.hpp"
#include "tandem/analysis/sweep.hpp"

namespace tandem {
namespace {

std::vector<double> between(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(from + (to - from) * i / (count - 1.0));
  return values;
}

// Conservative machines do not decay: growth ends where two modes meet. Sweeps find the place.
TEST(LinearEdges, ADiscIsStableFromItsCriticalSpeedOn) {
  LinearFamily family;
  const Sweep found = sweep("u2", between(0.0, 6.0, 13), [&](double u2) {
    Model model = example_model("rolling-disc", {{"lean", 0.0}, {"u1", 0.0}, {"u2", u2}, {"u3", 0.0}});
    model.held_steady.push_back({find_reading(model, "disc.pitch.rate"), {}});
    return family.at(model);
  });
  const double critical = std::sqrt(9.81 * 0.5 / 3.0) / 0.5;
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_NEAR(found.crossings[0].value, critical, 1e-10);
  EXPECT_FALSE(found.crossings[0].loses_stability);
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_NEAR(found.stable[0].first, critical, 1e-10);
  EXPECT_EQ(found.stable[0].second, 6.0);
}

TEST(LinearEdges, ATopWakesAtItsCriticalSpin) {
  LinearFamily family;
  const Sweep found = sweep("spin", between(25.0, 10.0, 11), [&](double spin) {
    Model model = example_model("top", {{"tilt", 0.0}, {"precession", 0.0}, {"spin", spin}});
    for (const char* name : {"top.pitch", "top.yaw.rate"}) model.held_steady.push_back({find_reading(model, name), {}});
    return family.at(model);
  });
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_NEAR(found.crossings[0].value, 2.0 * std::sqrt(2.0 * 4.0 * 9.81 * 0.5) / 0.8, 1e-9);
  EXPECT_FALSE(found.crossings[0].loses_stability);  // with growing spin
  EXPECT_NEAR(found.crossings[0].eigenvalue.imag(), std::sqrt(4.0 * 9.81 * 0.5 / 2.0), 1e-4);
}

}  // namespace
}  // namespace tandem
