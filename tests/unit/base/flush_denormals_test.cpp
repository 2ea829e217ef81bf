#include "tandem/base/flush_denormals.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tandem/io/model/model_file.hpp"
#include "tandem/simulate.hpp"

namespace tandem {
namespace {

double half_of(double value) {
  volatile double at_run_time = value;
  return 0.5 * at_run_time;
}

#ifdef __SSE2__
TEST(FlushDenormals, LastsAsLongAsItLives) {
  constexpr double least = std::numeric_limits<double>::min();
  EXPECT_GT(half_of(least), 0.0);
  {
    const FlushDenormals flush;
    EXPECT_EQ(half_of(least), 0.0);
    EXPECT_EQ(half_of(4.0 * least), 2.0 * least);
  }
  EXPECT_GT(half_of(least), 0.0);
  EXPECT_THROW(
      {
        const FlushDenormals flush;
        throw std::runtime_error("a step that fails");
      },
      std::runtime_error);
  EXPECT_GT(half_of(least), 0.0);
}

// What a state answers is what the step from it starts with.
TEST(FlushDenormals, HoldsWhereverAStateIsEvaluated) {
  const Model model = read_model(
      "format = 1\ngravity = [0, 0, -1e-309]\n[[body]]\nname = \"a\"\nmass = 1\npoint_mass = true\n", "a.toml");
  Simulation simulation(model);
  const double before = simulation.solution().y.cwiseAbs().maxCoeff();
  simulation.step(1.0);
  EXPECT_EQ(simulation.state().v().cwiseAbs().maxCoeff(), 0.0);
  EXPECT_EQ(before, 0.0);
}
#endif

}  // namespace
}  // namespace tandem
