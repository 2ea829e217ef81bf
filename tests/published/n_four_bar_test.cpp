// IFToMM A02, N four-bar linkages in a row: it passes singular positions, where all rods lie on one line, ten times in
// ten seconds, and must stay on its branch. Reference: closed form of the branch, computed to 40 digits.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

Model n_four_bar(int loops) {
  Builder build("n-four-bar");
  build.gravity({0, -9.81, 0});
  const auto rod = [&](const std::string& name, const Vector3& centre, const Vector3& along, const Vector3& velocity,
                       const Vector3& spin) {
    build.body({.name = name,
                .mass = 1.0,
                .inertia = std::array{along.x() > 0.5 ? 1e-3 : 1.0 / 12.0, along.x() > 0.5 ? 1.0 / 12.0 : 1e-3,
                                      1.0 / 12.0, 0.0, 0.0, 0.0},
                .position = centre,
                .velocity = velocity,
                .angular_velocity = spin});
  };
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b, const Vector3& at) {
    build.joint({.name = name, .type = Revolute{}, .bodies = {a, b}, .point = at, .axis = Vector3(0, 0, 1)});
  };
  for (int i = 0; i <= loops; ++i)
    rod("crank" + std::to_string(i), Vector3(i, 0.5, 0), {0, 1, 0}, {0.5, 0, 0}, {0, 0, -1});
  for (int i = 0; i < loops; ++i)
    rod("coupler" + std::to_string(i), Vector3(i + 0.5, 1, 0), {1, 0, 0}, {1, 0, 0}, {0, 0, 0});
  for (int i = 0; i <= loops; ++i)
    hinge("A" + std::to_string(i), "world", "crank" + std::to_string(i), Vector3(i, 0, 0));
  for (int i = 0; i < loops; ++i) {
    hinge("B" + std::to_string(i), "crank" + std::to_string(i), "coupler" + std::to_string(i), Vector3(i, 1, 0));
    hinge("C" + std::to_string(i), "crank" + std::to_string(i + 1), "coupler" + std::to_string(i),
          Vector3(i + 1, 1, 0));
  }
  return build.finish();
}

class NFourBar : public ::testing::TestWithParam<const char*> {};

TEST_P(NFourBar, StaysOnItsBranchThroughSingularPositions) {
  Model model = n_four_bar(2);
  model.simulation.method = GetParam();
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  advance(simulation, 10.0, 0.002);
  const Vector3 B0 = simulation.pose(model.point("crank0", {0, 0.5, 0})).p;
  EXPECT_NEAR(B0.x(), 0.3284581115, 1e-4);  // how near a step lands to the singular position decides
  EXPECT_NEAR(B0.y(), 0.9445185382, 1e-4);
  EXPECT_NEAR(simulation.energy().total(), energy, 1e-5 * std::abs(energy));
}

INSTANTIATE_TEST_SUITE_P(Methods, NFourBar, ::testing::Values("lagrange", "articulated", "null_space"),
                         [](const auto& each) { return std::string(each.param); });

TEST(NFourBarCounts, RedundantRowsOfAPlanarMachineInSpace) {
  const Counts counts = count(n_four_bar(2));
  EXPECT_EQ(counts.dof, 1);
  EXPECT_EQ(counts.redundant, 6);  // three a loop
}

}  // namespace
}  // namespace tandem
