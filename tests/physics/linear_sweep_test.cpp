// Sweeps: where growth begins and ends, driven machines included.
#include <gtest/gtest.h>

#include "support/linear_motion.hpp"
#include "support/rotating_pendulum.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/sweep.hpp"

namespace tandem {
namespace {

std::vector<double> between(double from, double to, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(from + (to - from) * i / (count - 1.0));
  return values;
}

// Conservative machines do not decay: growth ends where two modes meet. Sweeps find the place.
TEST(LinearEdges, ADiscIsStableFromItsCriticalSpeedOn) {
  LinearFamily family;
  const Sweep found = sweep("u2", between(0.0, 6.0, 13), [&](double u2) {
    Model model = example_model("rolling-disc", {{"lean", 0.0}, {"u1", 0.0}, {"u2", u2}, {"u3", 0.0}});
    model.held_steady.push_back({find_reading(model, "disc.pitch.rate"), {}});
    return family.at(model);
  });
  const double critical = std::sqrt(9.81 * 0.5 / 3.0) / 0.5;
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_NEAR(found.crossings[0].value, critical, 1e-12);
  EXPECT_FALSE(found.crossings[0].loses_stability);
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_NEAR(found.stable[0].first, critical, 1e-12);
  EXPECT_EQ(found.stable[0].second, 6.0);
}

TEST(LinearEdges, ATopWakesAtItsCriticalSpin) {
  LinearFamily family;
  const Sweep found = sweep("spin", between(25.0, 10.0, 11), [&](double spin) {
    Model model = example_model("top", {{"tilt", 0.0}, {"precession", 0.0}, {"spin", spin}});
    for (const char* name : {"top.pitch", "top.yaw.rate"}) model.held_steady.push_back({find_reading(model, name), {}});
    return family.at(model);
  });
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_NEAR(found.crossings[0].value, 2.0 * std::sqrt(2.0 * 4.0 * 9.81 * 0.5) / 0.8, 1e-11);
  EXPECT_FALSE(found.crossings[0].loses_stability);  // with growing spin
  EXPECT_NEAR(found.crossings[0].eigenvalue.imag(), std::sqrt(4.0 * 9.81 * 0.5 / 2.0), 1e-10);
}

// Either frequency may be what a growing mode becomes: it is the lower one, however the sweep is divided.
TEST(LinearEdges, TheGrowingModeGoesOnAsTheSlowOne) {
  const double root = std::sqrt(0.64 * 25.0 * 25.0 - 4.0 * 2.0 * 4.0 * 9.81 * 0.5);  // (I₃ω ± root)/(2 I₁)
  for (const int count : {4, 7, 11, 16, 31, 76}) {
    LinearFamily family;
    const Sweep found = sweep("spin", between(10.0, 25.0, count), [&](double spin) {
      Model model = example_model("top", {{"tilt", 0.0}, {"precession", 0.0}, {"spin", spin}});
      for (const char* name : {"top.pitch", "top.yaw.rate"})
        model.held_steady.push_back({find_reading(model, name), {}});
      return family.at(model);
    });
    for (const SweepMode& mode : found.modes) {
      if (mode.neutral) continue;
      const bool slow = mode.eigenvalues.front().real() > 0.0;
      EXPECT_NEAR(std::abs(mode.eigenvalues.back().imag()), 0.25 * (slow ? 20.0 - root : 20.0 + root), 1e-10) << count;
      EXPECT_EQ(mode.name, slow ? "mode 1" : "mode 2") << count;
      EXPECT_GT(mode.eigenvalues.back().imag() * mode.eigenvalues.front().imag(), 0.0) << count;
    }
  }
}

// A point of the sweep that all but lies on the edge is no good place to measure from.
TEST(LinearEdges, APointOfTheSweepMayLieNextToTheEdge) {
  const double critical = std::sqrt(9.81 * 0.5 / 3.0) / 0.5;
  for (const double off : {-1e-5, 1e-5, -1e-9, 1e-9}) {
    LinearFamily family;
    const Sweep found = sweep("u2", {1.0, 2.0, critical + off, 3.0, 4.0}, [&](double u2) {
      Model model = example_model("rolling-disc", {{"lean", 0.0}, {"u1", 0.0}, {"u2", u2}, {"u3", 0.0}});
      model.held_steady.push_back({find_reading(model, "disc.pitch.rate"), {}});
      return family.at(model);
    });
    ASSERT_EQ(found.crossings.size(), 1U) << off;
    EXPECT_NEAR(found.crossings[0].value, critical, 1e-11) << off;
  }
}

// Held straight down on its turning post: s² = Ω² − g/l.
TEST(LinearEdges, ARotatingPendulumBifurcatesAtItsCriticalRate) {
  LinearFamily family;
  const Sweep found = sweep("Omega", between(1.0, 7.0, 13), [&](double Omega) {
    Model model = rotating_pendulum(Omega, 0.0);
    model.held_steady.push_back({find_reading(model, "hinge"), 0.0});
    return family.at(model);
  });
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_NEAR(found.crossings[0].value, std::sqrt(9.81 / pendulum_length), 1e-11);
  EXPECT_TRUE(found.crossings[0].loses_stability);
  EXPECT_FALSE(found.crossings[0].jumps);
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_EQ(found.stable[0].first, 1.0);
}

// Left alone it hangs down or flies out, whichever is nearer to the start: the growth of the first begins with a jump.
TEST(LinearEdges, AnotherMotionIsTold) {
  LinearFamily family;
  const Sweep found =
      sweep("Omega", between(1.0, 7.0, 13), [&](double Omega) { return family.at(rotating_pendulum(Omega, 0.05)); });
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_TRUE(found.crossings[0].jumps);
  EXPECT_GT(found.crossings[0].value, std::sqrt(9.81 / pendulum_length));
}

// The rate of a driven post is part of its symmetry: no point may take that of another.
TEST(DrivenSweeps, HaveAtEveryPointWhatThePointHasAlone) {
  LinearFamily family;
  for (const double Omega : between(1.0, 7.0, 13)) {
    const Model model = rotating_pendulum(Omega, 0.05);
    const Linearization swept = family.at(model), alone = linearize(model, find_steady(model));
    ASSERT_EQ(swept.modes.size(), alone.modes.size());
    for (std::size_t i = 0; i < alone.modes.size(); ++i)
      EXPECT_LE(std::abs(swept.modes[i].eigenvalue - alone.modes[i].eigenvalue), 1e-12) << Omega;
    EXPECT_NEAR(family.last()->motion.rotation.z(), Omega, 1e-12);
  }
}

State assembled(const Model& model) { return assemble(model, start_state(model), {.allow_large = false}).bodies; }

Symmetry symmetry_of(const Model& model) { return find_symmetry(model, assembled(model)); }

std::string refusal_of(const Model& model, const Symmetry& symmetry) {
  try {
    find_steady(model, assembled(model), {.hold = model.held_steady, .symmetry = &symmetry});
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DrivenSweeps, TheSymmetryOfAnotherSpeedIsRefused) {
  const Symmetry slow = symmetry_of(rotating_pendulum(2.0, 0.05));
  EXPECT_EQ(slow.names.front(), "time + 2 yaw");
  EXPECT_EQ(refusal_of(rotating_pendulum(2.0, 0.05), slow), "accepted");
  EXPECT_NE(refusal_of(rotating_pendulum(3.0, 0.05), slow).find("leave the rows of the model"), std::string::npos);
}

// A ball on a spring, pushed by a force that turns: no row knows its rate. It goes round at r = F/(k − m w²).
constexpr const char* pushed_ball_text = R"toml(format = 1
gravity = [0, 0, 0]

[parameters]
F = 1
w = 2

[[body]]
name = "ball"
mass = 1
point_mass = true
position = [0.2, 0, 0]
velocity = [0, "0.2*w", 0]

[[force]]
type = "spring_damper"
bodies = ["world", "ball"]
points = [[0, 0, 0], [0.2, 0, 0]]
stiffness = 10
length = 0

[[force]]
type = "force"
body = "ball"
value = ["F*cos(w*t)", "F*sin(w*t)", 0]
)toml";

Model pushed_ball(double F, double w) {
  ReadOptions options;
  options.set = {{"F", F}, {"w", w}};
  return read_model(pushed_ball_text, "ball.toml", options);
}

TEST(DrivenSweeps, AForceThatTurnsAtAnotherRateIsNoticed) {
  const Symmetry slow = symmetry_of(pushed_ball(1.0, 2.0));
  EXPECT_EQ(slow.names.front(), "time + 2 yaw");
  EXPECT_EQ(refusal_of(pushed_ball(1.0, 2.0), slow), "accepted");
  EXPECT_EQ(refusal_of(pushed_ball(1.0, 2.5), slow), "the symmetries are others here");
  // Without the force nothing depends on time; with it, something does.
  EXPECT_EQ(refusal_of(pushed_ball(1.0, 2.0), symmetry_of(pushed_ball(0.0, 2.0))), "the symmetries are others here");
  LinearFamily family;
  EXPECT_EQ(slow.names.size(), 1U);
  for (const double w : {1.0, 2.0, 4.0}) {
    expect_eigenvalues(family.at(pushed_ball(1.0, w)), [&] {
      const double own = std::sqrt(10.0);
      std::vector<std::complex<double>> wanted;
      for (const double each : {own, own + w, own - w})
        for (const double sign : {1.0, -1.0}) wanted.emplace_back(0.0, sign * each);
      return wanted;
    }());
    EXPECT_NEAR(family.last()->bodies.q().norm(), std::abs(1.0 / (10.0 - w * w)), 1e-10);
  }
}

// A force that swings along a line is at its peak at the start, where its derivative by time is zero.
TEST(DrivenSweeps, AForceAtItsPeakIsNoEquilibrium) {
  std::string text = pushed_ball_text;
  text.replace(text.find("\"F*sin(w*t)\""), 12, "0");
  const auto swinging = [&](double F) {
    ReadOptions options;
    options.set = {{"F", F}};
    return read_model(text, "ball.toml", options);
  };
  EXPECT_THROW(find_steady(swinging(1.0)), NumericalError);
  EXPECT_EQ(refusal_of(swinging(1.0), symmetry_of(swinging(0.0))), "the symmetries are others here");
}

}  // namespace
}  // namespace tandem
