// Baumgarte stabilisation: an error dies out as a damped oscillator; and the constants that are chosen.
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "support/units.hpp"
#include "tandem/integrate/euler.hpp"
#include "tandem/integrate/implicit.hpp"
#include "tandem/integrate/rk4.hpp"
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
    model.setup.alpha = 10.0;
    model.setup.beta = 25.0;
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

Model stabilised(Model model, const std::string& integrator, double step, double duration) {
  model.setup.stabilisation = "baumgarte";
  model.setup.integrator = integrator;
  model.setup.step = step;
  model.setup.duration = duration;
  return model;
}

double chosen_root(const Model& model) {
  const Simulation simulation(model);
  EXPECT_TRUE(simulation.setup().chosen_constants);
  const double root = std::sqrt(*simulation.setup().beta);
  EXPECT_NEAR(*simulation.setup().alpha, 2.0 * root, 1e-14 * root);  // critical damping
  return root;
}

// The largest error of a constraint along a run.
double worst_gap(Model model, double root) {
  model.setup.alpha = 2.0 * root;
  model.setup.beta = root * root;
  Simulation simulation(model);
  return advance(simulation, model.setup.duration, model.setup.step).before.position;
}

struct Swept {
  const char* name;
  double step, duration;
  std::vector<std::pair<std::string, double>> set{};
  const char* cut = "";
};

TEST(Baumgarte, ChosenConstantsAreWithinThreeOfTheBest) {
  const std::vector<Swept> machines{{"chain", 0.004, 5.0, {{"angle", 0.5 * pi}}},
                                    {"four-bar", 0.004, 3.0},
                                    {"slider-crank", 0.02, 5.0},
                                    {"squeezer", 2e-5, 0.03},
                                    {"bicycle", 0.02, 3.0},
                                    {"heavy-top", 0.002, 0.3, {}, "all"}};
  for (const Swept& machine : machines)
    for (const double shorter : {1.0, 2.0}) {
      Model model =
          stabilised(example_model(machine.name, machine.set), "rk4", machine.step / shorter, machine.duration);
      model.setup.cut = machine.cut;
      const double root = chosen_root(model), gap = worst_gap(model, root);
      double best = gap, worst = gap;
      for (const double factor : {1.0 / 32, 1.0 / 16, 0.125, 0.25, 0.5, 0.7, 1.4, 2.0, 4.0, 8.0}) {
        if (factor * root * model.setup.step > 2.0) continue;
        const double there = worst_gap(model, factor * root);
        best = std::min(best, there);
        worst = std::max(worst, there);
      }
      EXPECT_LE(gap, 3.0 * best) << machine.name << " at " << model.setup.step;
      EXPECT_GT(worst, 9.0 * best) << machine.name << ": in a sweep this wide constants can be wrong";
    }
}

TEST(Baumgarte, ConstantsAreThoseOfTheMachineAndNotOfTheStep) {
  const double at_long = chosen_root(stabilised(example_model("four-bar"), "rk4", 0.004, 2.0));
  EXPECT_EQ(chosen_root(stabilised(example_model("four-bar"), "rk4", 0.001, 2.0)), at_long);
  EXPECT_EQ(chosen_root(stabilised(example_model("four-bar"), "rk4", 0.004, 2.0)), at_long);
  // Until the step is the limit: the least |R(−s)| of 1 − s + s²/2 − s³/6 + s⁴/24 is where its slope is zero.
  const double s = steepest_decay(RungeKutta4::table());
  EXPECT_NEAR(1.0 - s + s * s / 2.0 - s * s * s / 6.0, 0.0, 1e-3);
  EXPECT_NEAR(chosen_root(stabilised(example_model("four-bar"), "rk4", 0.25, 2.0)), s / 0.25, 1e-12);
}

TEST(Baumgarte, OrderOneForgetsInAStepOrTwo) {
  const double h = 0.001;
  EXPECT_NEAR(chosen_root(stabilised(example_model("four-bar"), "euler", h, 1.0)), 1.0 / h, 1e-9);
  // A speed row has α for its rate, and h α must not pass 1 either.
  EXPECT_NEAR(chosen_root(stabilised(example_model("bicycle"), "euler", h, 1.0)), 0.5 / h, 1e-9);
  const Model model = stabilised(example_model("four-bar"), "semi_implicit_euler", h, 1.0);
  const Simulation simulation(model);
  EXPECT_NEAR(*simulation.setup().alpha, 1.0 / h, 1e-9);
  EXPECT_NEAR(*simulation.setup().beta, 1.0 / (h * h), 1e-6);
}

TEST(Baumgarte, StagesLieOffTheConstraintsByTheirTable) {
  const StageError rk4 = stage_error(RungeKutta4::table(), 4), implicit = stage_error(Implicit::table(), 4);
  EXPECT_EQ(rk4.derivative, 2);
  EXPECT_NEAR(rk4.weight, 1.0 / 96, 1e-16);  // b₄ a₄₃ a₃₂ c₂²/2
  EXPECT_EQ(stage_error(Euler::table(), 1).weight, 0.0);
  EXPECT_EQ(implicit.derivative, 3);  // all its stages have order two
}

// c(t) = sin ωt held by x = ẋ = feedback alone: what one step of rk4 leaves, by (3) of baumgarte.hpp, for large r.
TEST(Baumgarte, PushesStagesBackByTheirFormula) {
  const double w = 1.3, r = 40.0, t0 = 0.7;
  const auto left_by = [&](double h) {
    const auto rate = [&](double t, const Eigen::Vector2d& z) {
      const double c = std::sin(w * t), c1 = w * std::cos(w * t), c2 = -w * w * std::sin(w * t);
      return Eigen::Vector2d(z[1], c2 - 2.0 * r * (z[1] - c1) - r * r * (z[0] - c));
    };
    const Eigen::Vector2d z(std::sin(w * t0), w * std::cos(w * t0));
    const Eigen::Vector2d k1 = rate(t0, z), k2 = rate(t0 + h / 2, z + h / 2 * k1),
                          k3 = rate(t0 + h / 2, z + h / 2 * k2), k4 = rate(t0 + h, z + h * k3);
    const Eigen::Vector2d end = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    return Eigen::Vector2d(end - Eigen::Vector2d(std::sin(w * (t0 + h)), w * std::cos(w * (t0 + h))));
  };
  Eigen::Vector2d off(-w * w * std::sin(w * t0), -w * w * w * std::cos(w * t0));
  for (int n = 0; n < 3; ++n) off = Eigen::Vector2d(off[1], -r * r * off[0] - 2.0 * r * off[1]);
  const double h = 1e-4;
  const Eigen::Vector2d told = -std::pow(h, 5) * off / 96.0, found = left_by(h);
  EXPECT_LE((found - told).norm(), 0.05 * told.norm());
}

TEST(Baumgarte, OneConstantBringsTheOtherByCriticalDamping) {
  Model model = stabilised(example_model("four-bar"), "rk4", 0.01, 1.0);
  model.setup.alpha = 8.0;
  EXPECT_EQ(*Simulation(model).setup().beta, 16.0);
  model.setup.alpha.reset();
  model.setup.beta = 9.0;
  EXPECT_EQ(*Simulation(model).setup().alpha, 6.0);
  EXPECT_FALSE(Simulation(model).setup().chosen_constants);
}

TEST(Baumgarte, ChosenConstantsFollowTheUnits) {
  const Model model = example_model("four-bar"),
              scaled = read_model(test::in_units(model, {.length = 1e3, .mass = 7.0, .time = 1e3}), "model.json");
  const auto root_of = [](Model of) {
    of.setup.stabilisation = "baumgarte";
    of.setup.alpha.reset();
    of.setup.beta.reset();
    return chosen_root(of);
  };
  EXPECT_NEAR(1000.0 * root_of(scaled) / root_of(model), 1.0, 1e-6);
}

}  // namespace
}  // namespace tandem
