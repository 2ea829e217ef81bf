// Steady motions and their eigenvalues against closed forms. No code knows any of these machines.
#include <gtest/gtest.h>

#include "support/linear_motion.hpp"
#include "support/rotating_pendulum.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;

class LinearMotions : public LinearByMethod {};

Model top(double tilt, double precession, double spin) {
  const double l = 0.05, m = 0.4;
  const Vector3 center(0, 0, l);
  const Matrix3 R = rotation_about_x(tilt);
  const Vector3 omega = R.transpose() * Vector3(0, 0, precession) + Vector3(0, 0, spin);
  Builder build("top");
  build.body({.name = "top",
              .mass = m,
              .center = center,
              .inertia = std::array{0.001, 0.001, 0.0008, 0.0, 0.0, 0.0},
              .rotation = R,
              .velocity = R * omega.cross(center),
              .angular_velocity = omega});
  build.joint({.name = "pivot", .type = Spherical{}, .bodies = {"world", "top"}, .point = Vector3(0, 0, 0)});
  return build.finish();
}

// I₁ W² cos θ − I₃ ω₃ W + m g l = 0; and small nutation about it, from the effective potential:
// I₁ θ̈ = −∂²U/∂θ² with p_φ, p_ψ fixed.
TEST_P(LinearMotions, ATopPrecessesAndNutates) {
  const double I1 = 0.002, I3 = 0.0008, mgl = 0.4 * 9.81 * 0.05, tilt = pi / 3.0, omega3 = 200.0;
  for (const double W : {1.235794931961638, 158.76420506803836}) {
    const Model model = by(top(tilt, W * 1.001, omega3 - W * std::cos(tilt)));
    const Steady found = steady(model, {{"top.lean", tilt}, {"top.pitch", 0.0}});
    const double rate = found.motion.rotation.z(), spin = found.motion.spin[0].z();
    const double w3 = rate * std::cos(tilt) + spin;
    EXPECT_LE(std::abs(I1 * rate * rate * std::cos(tilt) - I3 * w3 * rate + mgl), 1e-10 * mgl);
    const double p_phi = I1 * rate * std::pow(std::sin(tilt), 2) + I3 * w3 * std::cos(tilt), p_psi = I3 * w3;
    // U(θ) = (p_φ − p_ψ c)²/(2 I₁ s²) + m g l c; its second derivative by complex-step of the first.
    const auto slope = [&](Complex theta) {
      const Complex c = std::cos(theta), s = std::sin(theta), d = p_phi - p_psi * c;
      return d * p_psi / (I1 * s) - d * d * c / (I1 * s * s * s) - mgl * s;
    };
    const double square = slope(Complex(tilt, 1e-30)).imag() / 1e-30 / I1;
    const Linearization linear = linearize(model, found);
    std::vector<Complex> wanted = pair_of_square(-square);
    wanted.insert(wanted.end(), {0.0, 0.0});
    expect_eigenvalues(linear, wanted);
    EXPECT_EQ(linear.zeros.size(), 2U);  // yaw and spin
  }
}

// A top that stands upright: with the frame at rest λ = ±i (I₃ω ± √(I₃²ω² − 4 I₁ m g l))/(2 I₁).
TEST_P(LinearMotions, ASleepingTopWakesBelowItsCriticalSpin) {
  const double I1 = 0.002, I3 = 0.0008, mgl = 0.4 * 9.81 * 0.05;
  for (const double omega : {40.0, 49.0, 50.0, 200.0}) {
    const Linearization found =
        about(by(top(0.0, 0.0, omega)), {{"top.lean", 0.0}, {"top.pitch", 0.0}, {"top.yaw.rate", {}}});
    const Complex root = std::sqrt(Complex(I3 * I3 * omega * omega - 4.0 * I1 * mgl, 0.0));
    std::vector<Complex> wanted{0.0};
    for (const double sign : {1.0, -1.0}) {
      const Complex frequency = (I3 * omega + sign * root) / (2.0 * I1);
      wanted.push_back(Complex(0, 1) * frequency);
      wanted.push_back(Complex(0, -1) * std::conj(frequency));
    }
    if (omega < 49.522) {  // the four are ±a ± ib
      wanted = {0.0};
      const double a = std::sqrt(4.0 * I1 * mgl - I3 * I3 * omega * omega) / (2.0 * I1), b = I3 * omega / (2.0 * I1);
      wanted.insert(wanted.end(), {{a, b}, {a, -b}, {-a, b}, {-a, -b}});
    }
    expect_eigenvalues(found, wanted);
  }
}

// Euler: about a principal axis λ² = −Ω² (I₃ − I₁)(I₃ − I₂)/(I₁ I₂).
TEST_P(LinearMotions, AFreeBodyWobbles) {
  const Vector3 moments(1.0, 2.0, 2.5);
  const double rate = 3.0;
  for (int axis = 0; axis < 3; ++axis) {
    Builder build("free");
    build.gravity(Vector3::Zero());
    build.body({.name = "stone",
                .mass = 2.0,
                .inertia = std::array{moments[0], moments[1], moments[2], 0.0, 0.0, 0.0},
                .angular_velocity = rate * Vector3::Unit(axis)});
    const Model model = by(build.finish());
    const Steady motion = find_steady(model);
    EXPECT_NEAR(motion.motion.rotation.norm(), rate, 1e-12);
    const Linearization found = linearize(model, motion);
    const double I3 = moments[axis], I1 = moments[(axis + 1) % 3], I2 = moments[(axis + 2) % 3];
    std::vector<Complex> wanted = pair_of_square(-rate * rate * (I3 - I1) * (I3 - I2) / (I1 * I2));
    wanted.insert(wanted.end(), {0.0, 0.0, {0.0, rate}, {0.0, -rate}});  // another rate; a drift, seen as it turns
    expect_eigenvalues(found, wanted);
    EXPECT_EQ(found.zeros.size(), 6U);  // three shifts, three turns
  }
}

// n equal masses on equal strings: ω² = (g/l) x with L_n(x) = 0, Laguerre's polynomial.
TEST_P(LinearMotions, ChainsHaveTheFrequenciesOfLaguerre) {
  const std::vector<std::vector<double>> roots{
      {1.0},
      {0.585786437626905, 3.414213562373095},
      {0.415774556783479, 2.294280360279042, 6.289945082937479},
      {0.322547689619392, 1.745761101158347, 4.536620296921128, 9.395070912301133}};
  const double l = 0.7, g = 9.81;
  for (std::size_t n = 1; n <= roots.size(); ++n) {
    Builder build("chain");
    for (std::size_t i = 1; i <= n; ++i) {
      const std::string name = "mass" + std::to_string(i), before = i == 1 ? "world" : "mass" + std::to_string(i - 1);
      const double above = -l * static_cast<double>(i - 1);
      // A point mass at the end of a link without inertia of its own.
      build.body({.name = name,
                  .mass = 1.0,
                  .inertia = std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                  .position = {0.1 * static_cast<double>(i), 0.0, above - l}});
      build.joint({.name = "hinge" + std::to_string(i),
                   .type = Revolute{},
                   .bodies = {before, name},
                   .point = Vector3(0.1 * static_cast<double>(i - 1), 0, above),
                   .axis = Vector3(0, 1, 0)});
    }
    const Model model = by(build.finish());
    // The start hangs askew; it comes to rest below its pivot, with links a little longer than l.
    const double length = std::hypot(l, 0.1);
    std::vector<Complex> wanted;
    for (const double x : roots[n - 1])
      for (const Complex& each : pair_of_square(-g / length * x)) wanted.push_back(each);
    expect_eigenvalues(about(model), wanted);
  }
}

// A pendulum on a table that a drive turns at Ω: straight down up to Ω² = g/l with ω² = g/l − Ω², then out at
// cos θ = g/(l Ω²) with ω² = Ω² sin² θ.
TEST_P(LinearMotions, ARotatingPendulumBifurcates) {
  const double l = pendulum_length, g = 9.81;
  for (const double Omega : {2.0, 4.0, 5.0, 7.0}) {
    const bool out = Omega * Omega > g / l;
    const double theta = out ? std::acos(g / (l * Omega * Omega)) : 0.0, guess = out ? theta + 0.1 : 0.05;
    const Model model = by(rotating_pendulum(Omega, guess));
    const double square = out ? std::pow(Omega * std::sin(theta), 2) : g / l - Omega * Omega;
    expect_eigenvalues(about(model), pair_of_square(-square));
  }
}

// Straight on the ice at speed u: turning fades as e^(−m a u t/(I + m a²)).
TEST_P(LinearMotions, ASleighGoesStraight) {
  const double a = 0.2, m = 1.0, I = 0.13;
  for (const double u : {0.5, 2.0, -1.0}) {
    Model model = by(example_model("chaplygin-sleigh", {{"turn", 0.0}}));
    model.bodies[0].velocity = {u, 0.0, 0.0};
    const Linearization found = about(model, {{"sleigh.x.rate", u}, {"heading.rate", 0.0}});
    expect_eigenvalues(found, {0.0, -m * a * u / (I + m * a * a)});
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearMotions, linear_methods(), linear_method_name);

}  // namespace
}  // namespace tandem
