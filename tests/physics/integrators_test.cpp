// Every integrator shows its own order on machines with and without loops and rolling; the adaptive ones keep their
// tolerance; dense output and stops are as good as the steps.
#include <gtest/gtest.h>

#include <cmath>

#include "support/end_state.hpp"
#include "support/how_long.hpp"
#include "tandem/compare/trajectory.hpp"
#include "tandem/integrate/rk4.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

struct OrderCase {
  const char* model;
  std::vector<std::pair<std::string, double>> set;
  const char* integrator;
  double order, within, end, first_step;
};
std::ostream& operator<<(std::ostream& out, const OrderCase& c) { return out << c.integrator << " " << c.model; }

class Order : public ::testing::TestWithParam<OrderCase> {};

// Of the full state at the end, at the finest halving whose errors are above 1e-11. First order shows at once.
TEST_P(Order, OfTheFullState) {
  const OrderCase& c = GetParam();
  const Model model = example_model(c.model, c.set);
  const State exact = end_of(model, "dop853", c.end, c.end);
  double before = 0.0, order = 0.0, h = c.first_step;
  const int halvings = test::shortened() && c.order == 1.0 ? 4 : 7;
  for (int i = 0; i < halvings; ++i, h /= 2.0) {
    const double error = apart(end_of(model, c.integrator, h, c.end), exact);
    if (!(error > 1e-11)) break;
    if (before > 0.0) order = std::log2(before / error);
    before = error;
  }
  EXPECT_NEAR(order, c.order, c.within);
}

std::vector<OrderCase> order_cases() {
  const std::vector<std::pair<const char*, std::vector<std::pair<std::string, double>>>> models{
      {"bicycle", {}}, {"chain", {{"angle", 1.5}}}, {"rolling-disc", {}}, {"four-bar", {}}};
  std::vector<OrderCase> cases;
  for (const auto& [model, set] : models) {
    cases.push_back({model, set, "rk4", 4.0, 0.1, 0.5, 0.01});
    cases.push_back({model, set, "herk", 4.0, 0.35, 0.5, 0.01});
    cases.push_back({model, set, "implicit", 4.0, 0.1, 0.5, 0.01});
    cases.push_back({model, set, "euler", 1.0, 0.1, 0.5, 0.002});
    cases.push_back({model, set, "semi_implicit_euler", 1.0, 0.1, 0.5, 0.002});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Integrators, Order, ::testing::ValuesIn(order_cases()), [](const auto& each) {
  std::string name = std::string(each.param.integrator) + "_" + each.param.model;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

class Adaptive : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(Adaptive, KeepsItsToleranceOverDecades) {
  const auto [integrator, name] = GetParam();
  const Model model =
      example_model(name, std::string(name) == "chain" ? std::vector<std::pair<std::string, double>>{{"angle", 1.5}}
                                                       : std::vector<std::pair<std::string, double>>{});
  const State exact = end_of(model, "dop853", 1.0, 1.0);
  double before = 0.0;
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
    const double error = apart(end_of(model, integrator, 1.0, 1.0, tolerance), exact);
    EXPECT_LE(error, 30.0 * tolerance) << tolerance;
    // A decade of tolerance is worth its name, unless the error is far below it already: steps that breakpoints and
    // the growth of the first ones limit are shorter than the tolerance asks for.
    if (before > 0.0) {
      EXPECT_LE(error, std::max(0.6 * before, 0.03 * tolerance)) << tolerance;
    }
    before = error;
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Adaptive,
                         ::testing::Combine(::testing::Values("dopri5", "dop853"),
                                            ::testing::Values("bicycle", "chain", "rolling-disc", "four-bar")),
                         [](const auto& each) {
                           std::string name = std::string(std::get<0>(each.param)) + "_" + std::get<1>(each.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

Model with_lagrange(const char* example) {
  Model model = example_model(example);
  model.setup.method = "lagrange";
  return model;
}

// Inside a step the error is that of the steps, and the state is on the constraints.
TEST(DenseOutput, IsAsGoodAsTheSteps) {
  for (const auto& [integrator, tolerance, allowed] : {std::tuple{"dop853", 1e-11, 3e-10},
                                                       {"dopri5", 1e-9, 1e-7},
                                                       {"rk4", 0.0, 3e-6},
                                                       {"herk", 0.0, 3e-6},
                                                       {"implicit", 0.0, 3e-6}}) {
    Model model = with_lagrange("bicycle");  // the state is that of the bodies, with the signs of their quaternions
    model.setup.integrator = integrator;
    if (tolerance > 0.0) model.setup.tolerance = tolerance;
    Simulation simulation(model), view(model);
    while (simulation.state().t < 0.3) simulation.advance(simulation.is_adaptive() ? 1.0 : simulation.state().t + 0.01);
    const double from = simulation.before(), to = simulation.state().t;
    for (const double x : {0.0, 0.2, 0.5, 0.9, 1.0}) {
      const double t = from + x * (to - from);
      const State inside = simulation.at(t);
      EXPECT_DOUBLE_EQ(inside.t, t);
      view.set_state(inside);
      EXPECT_LE(residual_norms(view.workspace().problem).position, 1e-12);
      EXPECT_LE(residual_norms(view.workspace().problem).velocity, 1e-12);
      EXPECT_LE(apart(view.bodies(), end_of(with_lagrange("bicycle"), "dop853", t, t)), allowed) << integrator << x;
    }
  }
}

// A pendulum into its singular pose cannot be followed by 3-1-2 angles; the error tells body, time and way out.
TEST(EulerAngles, AreWatchedForTheirSingularity) {
  Builder build("tumbler");
  build.gravity({0, 0, 0});
  build.body({.name = "box",
              .mass = 1.0,
              .inertia = std::array{1.0, 2.0, 3.0, 0.0, 0.0, 0.0},
              .angular_velocity = Vector3(1.0, 0, 0)});
  Model model = build.finish();
  model.setup.coordinates = "euler312";
  model.setup.cut = "all";
  model.setup.integrator = "dopri5";
  Simulation simulation(model);
  try {
    simulation.step(3.0);
    FAIL() << "went through";
  } catch (const NumericalError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("t = 1.5"), std::string::npos) << text;
    EXPECT_NE(text.find("\"box\""), std::string::npos) << text;
    EXPECT_NE(text.find("quaternion"), std::string::npos) << text;
    EXPECT_NE(text.find("step size fell below"), std::string::npos) << text;
  }
  EXPECT_LT(simulation.state().t, 1.6);
  EXPECT_TRUE(simulation.state().q().allFinite());
}

TEST(Combinations, ThatMakeNoSenseAreRefusedByName) {
  Model model = example_model("chain", {{"angle", 1.0}});
  model.setup.method = "impulses";
  model.setup.integrator = "rk4";
  EXPECT_THROW(Simulation{model}, ModelError);
  model.setup.integrator = "semi_implicit_euler";
  EXPECT_NO_THROW(Simulation{model});
  model.setup.method = "lagrange";
  model.setup.integrator = "herk";
  model.setup.stabilisation = "baumgarte";
  EXPECT_THROW(Simulation{model}, ModelError);
  ASSERT_EQ(combination_obstacles(model.setup).size(), 1U);
  EXPECT_NE(combination_obstacles(model.setup)[0].find("herk"), std::string::npos);
  model.setup.integrator = "implicit";
  EXPECT_NO_THROW(Simulation{model});
  model.setup.coordinates = "quaternion";
  EXPECT_THROW(Simulation{model}, ModelError);
  model.setup.coordinates = "quasi";
  model.setup.method = "impulses";
  EXPECT_THROW(Simulation{model}, ModelError);
}

// The warning appears just where the stability polynomial of the integrator says so: rk4 ends at h √β = 2.785.
TEST(Baumgarte, WarnsOfAStepThatIsTooLong) {
  Model model = example_model("chain", {{"angle", 1.0}});
  model.setup.stabilisation = "baumgarte";
  model.setup.step = 0.01;
  for (const auto& [product, warns] : {std::pair{2.7, false}, {2.85, true}}) {
    const double root = product / model.setup.step;
    model.setup.alpha = 2.0 * root;
    model.setup.beta = root * root;
    EXPECT_EQ(!setup_warnings(model.setup).empty(), warns) << product;
  }
  // 1 + z + z²/2 + z³/6 + z⁴/24
  EXPECT_NEAR(std::abs(amplification(RungeKutta4::table(), -2.0)), 1.0 / 3.0, 1e-15);
}

// All methods with all integrators that make sense come to the same place.
TEST(Combinations, AnyMethodWithAnyIntegrator) {
  const State exact = end_of(example_model("four-bar"), "dop853", 0.2, 0.2);
  for (const char* method : {"lagrange", "udwadia_kalaba", "articulated", "null_space"})
    for (const char* integrator : {"rk4", "herk", "implicit", "dopri5", "dop853"}) {
      Model model = example_model("four-bar");
      model.setup.method = method;
      EXPECT_LE(apart(end_of(model, integrator, 0.002, 0.2, 1e-10), exact), 1e-7) << method << " " << integrator;
    }
}

// Mass-weighted and plain projection close the constraints alike and differ by what they may: the error of a step.
TEST(Projection, BothNormsCloseTheConstraints) {
  for (const char* stabilisation : {"projection", "plain_projection"}) {
    Model model = with_lagrange("bicycle");
    model.setup.stabilisation = stabilisation;
    Simulation simulation(model);
    const StepReport largest = advance(simulation, 0.5, 0.01);
    EXPECT_LE(largest.after.position, 1e-12) << stabilisation;
    EXPECT_LE(largest.after.velocity, 1e-12) << stabilisation;
    EXPECT_GT(largest.before.position, 1e-10) << stabilisation;
    EXPECT_LE(apart(simulation.bodies(), end_of(example_model("bicycle"), "dop853", 0.5, 0.5)), 1e-5);
  }
}

// The mass-weighted change of velocities is what an impulse of the constraints does: M Δv in the span of Jᵀ.
TEST(Projection, MassWeightedChangeIsAnImpulseOfTheConstraints) {
  const Model model = example_model("bicycle");
  Simulation simulation(model);
  Workspace workspace(model);
  State state = simulation.bodies();
  for (Eigen::Index i = 0; i < state.v().size(); ++i) state.v()[i] += 0.1 * std::sin(static_cast<double>(i));
  workspace.update(model, state);
  const Eigen::VectorXd before = state.v();
  tandem::Projection projection;
  projection.project_positions(model, state, workspace);
  projection.project_velocities(model, state, workspace);
  const Eigen::VectorXd push = workspace.problem.dense_M() * (state.v() - before);
  const Eigen::MatrixXd Jt = workspace.problem.dense_J().transpose();
  const Eigen::VectorXd rest = push - Jt * Jt.colPivHouseholderQr().solve(push);
  EXPECT_GT(push.norm(), 0.1);
  EXPECT_LE(rest.norm(), 1e-10 * push.norm());
}

}  // namespace
}  // namespace tandem
