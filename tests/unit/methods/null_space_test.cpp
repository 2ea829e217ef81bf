// The choice of independent speeds: made by pivoting, kept while it serves.
#include <gtest/gtest.h>

#include "support/defect_model.hpp"
#include "support/example_model.hpp"
#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/methods/null_space.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(NullSpace, KeepsItsIndependentSpeedsWhileTheyServe) {
  const Model model = example_model("chain", {{"angle", 1.5}});
  Simulation simulation(model);
  Workspace workspace(model);
  StepMemory memory;
  NullSpace method(memory);
  Solution solution;
  int kept = 0, states = 0;
  std::vector<int> last;
  for (; states < 200; ++states) {
    simulation.step(0.01);
    workspace.update(model, simulation.state());
    const int before = method.choices();
    method.solve(model, workspace.problem, solution);
    if (states > 0 && method.choices() == before) {
      ++kept;
      EXPECT_EQ(method.independent(), last);
    }
    last = method.independent();
  }
  EXPECT_GT(kept, 150);            // most of the time the choice serves on
  EXPECT_GT(method.choices(), 1);  // but the chain swings, and one choice does not serve for ever
  EXPECT_EQ(method.independent().size(), 6U);
}

// A single row has a single pivot, which is never small beside the largest: how well the row holds the dependent speed
// was never seen, and six digits went.
TEST(NullSpace, GivesUpADependentSpeedThatItsRowsNoLongerHold) {
  Model model = defect_model("three-links-on-a-rod");
  model.setup.method = "lagrange";
  model.setup.cut = "loops";
  Simulation simulation(model);
  Workspace workspace(model, Cut::loops);
  StepMemory memory;
  NullSpace method(memory);
  DenseLagrange oracle;
  Solution solution, wanted;
  for (int step = 0; step < 400; ++step) {
    workspace.update(model, simulation.state());
    method.solve(model, workspace.problem, solution);
    oracle.solve(model, workspace.problem, wanted);
    ASSERT_LE((solution.y - wanted.y).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + wanted.y.cwiseAbs().maxCoeff())) << step;
    simulation.step(0.005);
  }
  EXPECT_GT(method.choices(), 1);
}

}  // namespace
}  // namespace tandem
