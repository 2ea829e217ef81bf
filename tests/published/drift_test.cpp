// The chain of docs/drift-study.md: straight and horizontal at the start, 20 s (2 s in short), rk4, h = 1 ms. Once with
// the distance constraints of the example, once with rows C = |d|² − l², for which the figures are known.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct Drift {
  double gap = 0.0;     // largest |φ| at the end, in the unit of the rows
  double energy = 0.0;  // in units of m g l
};

Drift drift(Model model, const std::string& stabilisation) {
  model.setup.stabilisation = stabilisation;
  model.setup.alpha = 10.0;
  model.setup.beta = 25.0;
  Simulation simulation(model);
  const double start = simulation.energy().total();
  advance(simulation, test::how_many(2.0, 20.0, 20.0), 0.001);
  return {simulation.workspace().problem.phi.cwiseAbs().maxCoeff(), (simulation.energy().total() - start) / 9.81};
}

Model distance_chain() { return example_model("chain", {{"angle", 0.5 * pi}}); }

// C = |d|² − l² with d from the world's origin, or from the first of two bodies to the second.
CustomRows squared_link() {
  return custom_rows(1, 0, [](auto bodies, auto, auto& rows) {
    const auto last = static_cast<Eigen::Index>(bodies.size()) - 1;
    auto d = bodies[bodies.size() - 1].X_WC.p;
    if (last > 0) d -= bodies[0].X_WC.p;
    rows.phi[0] = d.dot(d) - 1.0;
    rows.J.row(0).segment(6 * last + 3, 3) = 2.0 * d.transpose();
    if (last > 0) rows.J.row(0).segment(3, 3) = -2.0 * d.transpose();
  });
}

Model squared_chain() {
  Builder build;
  const std::vector<std::string> names{"first", "second", "third"};
  for (std::size_t i = 0; i < 3; ++i)
    build.body({.name = names[i], .mass = 1.0, .point_mass = true, .position = {1.0 + static_cast<double>(i), 0, 0}});
  build.constraint({.name = "link1", .type = squared_link(), .bodies = {"first"}});
  build.constraint({.name = "link2", .type = squared_link(), .bodies = {"first", "second"}});
  build.constraint({.name = "link3", .type = squared_link(), .bodies = {"second", "third"}});
  return build.finish();
}

TEST(DriftStudy, SquaredLinksDriftByTheKnownFigures) {
  const Drift none = drift(squared_chain(), "none");
  const Drift held = drift(squared_chain(), "baumgarte");
  if (test::shortened()) {
    EXPECT_NEAR(none.gap, 3.479e-9, 0.005e-9);
    EXPECT_NEAR(none.energy, 4.004e-9, 0.024e-9);
    EXPECT_NEAR(held.energy, 3.32e-10, 0.03e-10);
  } else {
    EXPECT_NEAR(none.gap, 6.69e-6, 0.01e-6);  // known: 6.7e-6
    EXPECT_NEAR(none.energy, 1.66e-5, 0.01e-5);
    EXPECT_NEAR(held.energy, 5.1e-7, 0.05e-7);  // known: 5e-7
  }
  EXPECT_LT(held.gap, 1e-10);
}

TEST(DriftStudy, TheExampleDriftsAsThePageSays) {
  const Drift none = drift(distance_chain(), "none");
  const Drift held = drift(distance_chain(), "baumgarte");
  if (test::shortened()) {
    EXPECT_NEAR(none.gap, 1.377e-9, 0.004e-9);
    EXPECT_NEAR(none.energy, 3.286e-9, 0.02e-9);
    EXPECT_NEAR(held.energy, 2.77e-10, 0.03e-10);
  } else {
    EXPECT_NEAR(none.gap, 3.08e-6, 0.01e-6);
    EXPECT_NEAR(none.energy, 1.54e-5, 0.01e-5);
    EXPECT_NEAR(held.energy, 4.8e-7, 0.05e-7);
  }
  EXPECT_LT(held.gap, 1e-10);
  const Drift projected = drift(distance_chain(), "projection");
  EXPECT_LE(projected.gap, 1e-13 * distance_chain().scale.length);
  EXPECT_LT(std::abs(projected.energy), 1e-7);
}

}  // namespace
}  // namespace tandem
