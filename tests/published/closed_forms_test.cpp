// Examples against closed forms and published numbers (docs/references.md).
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {
namespace {

TEST(Chain, HangingStillItCarriesTheWeightBelow) {
  const Model model = example_model("chain");
  Simulation simulation(model);
  EXPECT_NEAR(simulation.reaction("link1").force.norm(), 29.43, 1e-12);
  EXPECT_NEAR(simulation.reaction("link2").force.norm(), 19.62, 1e-12);
  EXPECT_NEAR(simulation.reaction("link3").force.norm(), 9.81, 1e-12);
  // What the world does to the first mass points up.
  EXPECT_NEAR(simulation.reaction("link1").force.z(), 29.43, 1e-12);
}

TEST(Chain, SquaredRowsGiveTensionOverTwiceTheLength) {
  // C = |x_i − x_{i−1}|² − l² as custom rows; multipliers are tensions over 2 l.
  const auto squared = custom_rows(1, 0, [](auto bodies, auto, auto& rows) {
    const auto d = (bodies[1].X_WC.p - bodies[0].X_WC.p).eval();
    rows.phi[0] = d.dot(d) - 1.0;
    rows.J.row(0).segment(3, 3) = -2.0 * d.transpose();
    rows.J.row(0).segment(9, 3) = 2.0 * d.transpose();
  });
  Builder build;
  const std::vector<std::string> names{"world", "a", "b", "c"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    build.body({.name = names[i], .mass = 1.0, .point_mass = true, .position = {0, 0, -static_cast<double>(i)}});
    build.constraint({.name = "link " + names[i], .type = squared, .bodies = {names[i - 1], names[i]}});
  }
  const Model model = build.finish();
  Simulation simulation(model);
  const double wanted[3] = {14.715, 9.81, 4.905};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::abs(simulation.solution().lambda[i]), wanted[i], 1e-12);
  // In motion: the automatic bias keeps the residuals before projection at the level of the integrator's own error.
  const Model moving = example_model("chain", {{"angle", 1.0}});
  Simulation swing(moving);
  EXPECT_LE(advance(swing, 1.0, 0.001).before.position, 1e-10);
}

}  // namespace
}  // namespace tandem
