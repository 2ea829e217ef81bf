// The choice of independent speeds: made by pivoting, kept while it serves.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/methods/null_space.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(NullSpace, KeepsItsIndependentSpeedsWhileTheyServe) {
  const Model model = example_model("chain", {{"angle", 1.5}});
  Simulation simulation(model);
  Workspace workspace(model);
  NullSpace method;
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

}  // namespace
}  // namespace tandem
