// The memory of a run comes from a file. Whatever stands in it, a run that is to go on from it refuses it, goes on, or
// fails by name; under the sanitizers this test also shows that nothing is read or written beside its place.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tandem/io/model/examples.hpp"
#include "tandem/run/run.hpp"

using namespace tandem;

namespace {

class ForgedMemory : public ::testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {
 protected:
  ForgedMemory() : model_(load_model_or_example(std::get<0>(GetParam()))) {
    model_.setup.method = std::get<1>(GetParam());
    model_.setup.integrator = std::get<2>(GetParam());
    Simulation simulation(model_);
    tandem::Run run(model_, simulation, {});
    for (int i = 0; i < 4; ++i) run.advance();
    memory_ = run.memory();
  }

  // Whether the memory was taken; then the run has gone on for two steps, or has failed and said why.
  bool goes_on(const std::vector<double>& memory) const {
    Simulation simulation(model_);
    tandem::Run run(model_, simulation, {});
    try {
      run.restore(memory);
    } catch (const std::invalid_argument& error) {
      EXPECT_STRNE(error.what(), "");
      return false;
    }
    for (int i = 0; i < 2; ++i) run.advance();
    EXPECT_EQ(run.status() == RunStatus::failed, !run.reason().empty());
    EXPECT_TRUE(run.status() != RunStatus::running || simulation.state().q().allFinite());
    return true;
  }

  Model model_;
  std::vector<double> memory_;
};

TEST_P(ForgedMemory, OneNumberAtATime) {
  ASSERT_TRUE(goes_on(memory_));
  int refused = 0;
  const std::array forged{std::nan(""), -1.0, 0.5, 1e9, 1e300};
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    std::vector<double> memory = memory_;
    memory[i] = forged[i % forged.size()];
    SCOPED_TRACE(i);
    if (!goes_on(memory)) ++refused;
  }
  EXPECT_GT(refused, 0);
}

TEST_P(ForgedMemory, CutShort) {
  for (std::size_t length = 0; length < memory_.size(); length += 3)
    EXPECT_FALSE(goes_on({memory_.begin(), memory_.begin() + static_cast<std::ptrdiff_t>(length)})) << length;
}

// Counts and places are where damage would do harm: each is refused that cannot be.
TEST_P(ForgedMemory, NothingButNonsense) {
  for (const double value : {std::nan(""), -std::numeric_limits<double>::infinity(), -3.0, 0.25, 1e18})
    EXPECT_FALSE(goes_on(std::vector<double>(memory_.size(), value))) << value;
}

INSTANTIATE_TEST_SUITE_P(Runs, ForgedMemory,
                         ::testing::Values(std::tuple{"four-bar", "null_space", "implicit"},
                                           std::tuple{"rolling-disc", "lagrange", "dopri5"},
                                           std::tuple{"two-body", "impulses", ""}));

}  // namespace
