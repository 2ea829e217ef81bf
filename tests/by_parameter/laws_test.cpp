// Laws that columns of B keep, and the promise that no derivative is lost on the way.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/linear_state.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {
namespace {

// A dual becomes neither a double nor a dual of fewer levels; the other way it is a constant.
static_assert(!std::is_constructible_v<double, Dual<double>>);
static_assert(!std::is_constructible_v<Dual<double>, Dual<Dual<double>>>);
static_assert(std::is_constructible_v<Dual<Dual<Dual<double>>>, Dual<double>>);
static_assert(!std::is_convertible_v<Dual<double>, Dual<Dual<double>>>);
static_assert(!std::is_assignable_v<double&, Dual<double>>);
static_assert(std::is_same_v<Real, double>);

// Weights and speeds that grow together change nothing but the pace: f(angles, s rates, s² g) = s² f(angles, rates, g).
// So on a steady motion, where f = 0, Euler's theorem gives 2 g ∂f/∂g = −Σ ∂f/∂rate · rate.
void expect_pace_law(const Model& model, const std::string& rate, double least) {
  const Steady steady = find_steady(model);
  const Linearization found = linearize(model, steady, {.inputs = {"g"}});
  Kinematics<double> at(model);
  at.update(model, 0.0, steady.bodies.q(), steady.bodies.v(), steady.bodies.angles());
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(found.A.rows());
  for (const LinearState& state : found.states) {
    if (!state.is_rate) continue;
    const ModelReading reading = find_reading(model, state.name.substr(0, state.name.size() - 5));
    sum +=
        found.A.col(index_of(found.states, state.name)) * read_coordinate<double>(model, reading.coordinate, at).rate;
  }
  const double g = 9.81;
  EXPECT_LE((found.B.col(0) + sum / (2.0 * g)).cwiseAbs().maxCoeff(), 1e-10 * (1.0 + sum.cwiseAbs().maxCoeff()));
  EXPECT_GT(std::abs(found.B(index_of(found.states, rate), 0)), least);
}

class PaceLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(PaceLaw, HoldsForABicycleOnACircle) {
  Model model = example_model("bicycle");
  model.setup.method = GetParam();
  model.held_steady = {{find_reading(model, "lean"), pi / 18.0}};
  expect_pace_law(model, "lean.rate", 0.01);
}

INSTANTIATE_TEST_SUITE_P(Methods, PaceLaw, ::testing::Values("lagrange", "articulated", "null_space"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace tandem
