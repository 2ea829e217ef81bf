// The tumbling T-handle by elliptic integrals, and the snakeboard by its one reduced equation.
#include "support/published.hpp"

namespace tandem {
namespace {

class GalleryFree : public test::BothCuts {};

double arithmetic_geometric_mean(double a, double b) {
  for (int i = 0; i < 40; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return a;
}

// Two steel cylinders; x along the bar, z along the stem, about the common mass centre.
struct Handle {
  Vector3 inertia;
  Handle() {
    const double r = 0.01, bar = 0.12, stem = 0.06, line = 7800.0 * pi * r * r;
    const double m1 = line * bar, m2 = line * stem, center = m2 * 0.5 * stem / (m1 + m2);
    const double across = m2 * (3.0 * r * r + stem * stem) / 12.0 + m2 * std::pow(0.5 * stem - center, 2);
    const double bar_across = m1 * (3.0 * r * r + bar * bar) / 12.0, shift = m1 * center * center;
    inertia = {0.5 * m1 * r * r + shift + across, bar_across + shift + across, bar_across + 0.5 * m2 * r * r};
  }
};

// Euler's equations: ω_z is a sine amplitude function of period 4 K(k) / λ. It starts at its largest value, so it turns
// over in half of that. K by the arithmetic-geometric mean, from 1 − k² without cancellation.
TEST_P(GalleryFree, THandleTurnsOverInHalfAPeriod) {
  const double spin = 10.0, wobble = 0.01;
  const Vector3 I = Handle().inertia;
  ASSERT_LT(I.x(), I.z());
  ASSERT_LT(I.z(), I.y());
  const double twice_energy = I.x() * wobble * wobble + I.z() * spin * spin;
  const double momentum = std::pow(I.x() * wobble, 2) + std::pow(I.z() * spin, 2);
  const double speed = std::sqrt((I.z() - I.x()) * (twice_energy * I.y() - momentum) / (I.x() * I.y() * I.z()));
  const double rest = (I.y() - I.x()) * I.x() * (I.z() - I.x()) * wobble * wobble /
                      ((I.z() - I.x()) * (twice_energy * I.y() - momentum));  // 1 − k²
  const double half = pi / arithmetic_geometric_mean(1.0, std::sqrt(rest)) / speed;
  EXPECT_GT(half, 0.5);
  EXPECT_LT(half, 5.0);

  const Model model = precise(example_model("t-handle"));
  Simulation simulation(model);
  const BodyFrame body{model.body("handle"), {}};
  const double energy = simulation.energy().total();
  const auto body_spin = [&] { return Vector3(simulation.pose(body).R.transpose() * simulation.velocity(body).w); };
  const auto world_momentum = [&] {
    return Vector3(simulation.pose(body).R * I.cwiseProduct(body_spin()) * 1e3);  // 1e-3 kg m²/s
  };
  const Vector3 start = world_momentum();
  EXPECT_NEAR(energy, 0.5 * twice_energy, 1e-15);
  test::Error turned, kept;
  for (int i = 1; i <= 3; ++i) {
    go_to(simulation, i * half);
    turned.see(body_spin(), {wobble, 0.0, i % 2 == 1 ? -spin : spin});
    kept.see(world_momentum(), start);
    kept.see_relative(simulation.energy().total(), energy);
  }
  EXPECT_LE(turned.largest(), 1e-7);
  EXPECT_LE(kept.largest(), 1e-11);
}

// The wheels leave one speed u along the board: θ̇ = u tan φ / l, and along that motion
// (m + J tan² φ / l²) u̇ = −(tan φ / l) (J u φ̇ / (l cos² φ) + J_r ψ̈).
struct Snakeboard {
  double l = 0.3, swing = 0.7, steer = 0.3, w = 2.0 * pi, Jr = 0.15;
  double m = 2.0 + 3.0 + 2.0 * 0.5, J = 0.1 + Jr + 2.0 * 0.002 + 2.0 * 0.5 * l * l;
  using State = Eigen::Vector4d;  // u, θ, x, y
  State rate(double t, const State& s) const {
    const double phi = steer * std::sin(w * t), phi_rate = steer * w * std::cos(w * t);
    const double psi_change = -swing * w * w * std::sin(w * t);
    const double tangent = std::tan(phi) / l, cosine = std::cos(phi);
    const double push = -tangent * (J * s[0] * phi_rate / (l * cosine * cosine) + Jr * psi_change);
    return {push / (m + J * tangent * tangent), s[0] * tangent, s[0] * std::cos(s[1]), s[0] * std::sin(s[1])};
  }
  State at(double end) const {
    State s = State::Zero();
    const int steps = 20000;
    const double h = end / steps;
    for (int i = 0; i < steps; ++i) {
      const double t = h * i;
      const State a = rate(t, s), b = rate(t + 0.5 * h, s + 0.5 * h * a), c = rate(t + 0.5 * h, s + 0.5 * h * b);
      s += h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(t + h, s + h * c));
    }
    return s;
  }
};

TEST_P(GalleryFree, SnakeboardFollowsItsReducedEquation) {
  const Snakeboard reference;
  const Model model = precise(example_model("snakeboard"));
  Simulation simulation(model);
  test::Error place, speed;
  for (const double t : {0.7, 1.5, 3.0, 5.0}) {
    go_to(simulation, t);
    const Snakeboard::State wanted = reference.at(t);
    speed.see(simulation.velocity({model.body("board"), {}}).v.norm(), std::abs(wanted[0]));
    place.see(simulation.coordinate("ground", "angle"), wanted[1]);
    place.see(simulation.coordinate("ground", "x"), wanted[2]);
    place.see(simulation.coordinate("ground", "y"), wanted[3]);
  }
  EXPECT_LE(place.largest(), 1e-10);
  EXPECT_LE(speed.largest(), 1e-10);
}

TANDEM_ON_BOTH_CUTS(GalleryFree);

}  // namespace
}  // namespace tandem
