// Baumgarte stabilisation: an error dies out as a damped oscillator.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(Baumgarte, KeepsTheChainTogether) {
  const auto gap_after = [](const char* stabilisation) {
    Model model = example_model("chain", {{"angle", 1.5}});
    model.setup.stabilisation = stabilisation;
    Simulation simulation(model);
    advance(simulation, 5.0, 0.01);
    return residual_norms(simulation.workspace().problem).position;
  };
  const double alone = gap_after("none"), held = gap_after("baumgarte");
  EXPECT_GT(alone, 1e-7);
  EXPECT_LT(held, 0.2 * alone);
}

TEST(Baumgarte, TakesAnErrorOutAsItsOscillatorSays) {  // φ̈ + α φ̇ + β φ = 0, critically damped
  for (const std::string cut : {"all", "loops"}) {
    Model model = example_model("four-bar");
    model.setup.cut = cut;
    model.setup.stabilisation = "baumgarte";
    Simulation simulation(model);
    State off = simulation.state();
    off.q()[off.parts.q.size - 1] += 1e-5;
    simulation.set_state(off);
    const double start = residual_norms(simulation.workspace().problem).position;
    ASSERT_GT(start, 1e-6);
    advance(simulation, 0.4, 0.002);
    const double t = 0.4, left = (1.0 + 5.0 * t) * std::exp(-5.0 * t);
    EXPECT_NEAR(residual_norms(simulation.workspace().problem).position / start, left, 0.15) << cut;
  }
}

}  // namespace
}  // namespace tandem
