// Numbers of the gallery that follow from one law each: a closed loop, a mass centre that stays or falls, an impulse.
#include "support/published.hpp"

namespace tandem {
namespace {

class GalleryNumbers : public test::BothCuts {};

// F. Freudenstein, Trans. ASME 77 (1955): K₁ cos φ − K₂ cos θ + K₃ = cos(θ − φ). Hinges turn about y, angles are
// counted above the base.
TEST_P(GalleryNumbers, FourBarMeetsFreudensteinsEquation) {
  const double a = 0.4, b = 1.2, c = 0.9, d = 1.0;
  const Model model = precise(example_model("four-bar"), 1e-12);
  Simulation simulation(model);
  EXPECT_NEAR(simulation.joint_acceleration(model.joint("ground_crank"))[0], 9.22514708,
              1e-7);  // −V'(θ)/I(θ), from rest
  test::Error loop;
  double farthest = 0.0;
  for (int i = 1; i <= 25; ++i) {
    go_to(simulation, 0.1 * i);
    const double theta = 1.2 - simulation.coordinate("ground_crank");
    const double phi = 1.3031336983700856 - simulation.coordinate("ground_rocker");
    const double K3 = (a * a - b * b + c * c + d * d) / (2.0 * a * c);
    loop.see(d / a * std::cos(phi) - d / c * std::cos(theta) + K3, std::cos(theta - phi));
    farthest = std::max(farthest, std::abs(theta - 1.2));
  }
  EXPECT_GT(farthest, 3.0) << "it moved";
  EXPECT_LE(loop.largest(), 1e-11);
}

// Nothing pushes along the rail: 3.5 x = 0.5 sin s + 0.125 sin(s + e).
TEST_P(GalleryNumbers, CarriageKeepsTheMassCentreInItsPlace) {
  const Model model = precise(example_model("rail"), 1e-11);
  Simulation simulation(model);
  test::Error place;
  for (int i = 1; i <= 10; ++i) {
    go_to(simulation, 0.25 * i);
    const double s = simulation.coordinate("shoulder"), e = simulation.coordinate("elbow");
    place.see(simulation.coordinate("rail"), (0.5 * std::sin(s) + 0.125 * std::sin(s + e)) / 3.5);
  }
  EXPECT_LE(place.largest(), 1e-12);
}

// The start speeds part at the ball by u; the impulse that joins them takes ½ uᵀ A⁻¹ u (Carnot).
TEST_P(GalleryNumbers, BallJointTakesWhatCarnotSays) {
  const Vector3 I_B = Vector3(0.36 + 1.0, 0.16 + 1.0, 0.16 + 0.36) * 2.0 / 12.0;
  const Vector3 I_C = Vector3(0.09 + 0.16, 0.04 + 0.16, 0.04 + 0.09) / 5.0;
  const Vector3 w_B(0.3, -0.2, 1.5), w_C(-0.5, 0.8, -1.0);
  const double given = 0.5 * w_B.dot(I_B.cwiseProduct(w_B)) + 0.5 * w_C.dot(I_C.cwiseProduct(w_C));
  const double Ax = 1.5 + 0.25 / I_B.y() + 0.16 / I_C.y(), Ay = 1.5 + 0.25 / I_B.x() + 0.16 / I_C.x();
  const double wanted = given - 0.5 * (0.22 * 0.22 / Ax + 0.05 * 0.05 / Ay);
  EXPECT_NEAR(wanted, 0.13983882211, 1e-11);
  const Model model = precise(example_model("two-body"));
  Simulation simulation(model);
  EXPECT_NEAR(simulation.energy().total(), wanted, 1e-15);
}

TEST_P(GalleryNumbers, BoxesOnAStickFallAsAStone) {
  const Model model = precise(example_model("distance"), 1e-12);
  Simulation simulation(model);
  go_to(simulation, 2.0);
  const Vector3 first = simulation.pose({model.body("first"), {}}).p,
                second = simulation.pose({model.body("second"), {}}).p;
  test::Error place;
  place.see(Vector3((first + 2.0 * second) / 3.0), Vector3(1.0, 0.0, 0.8 / 3.0 - 2.0 * 9.81));
  EXPECT_LE(place.largest(), 1e-12);
}

TANDEM_ON_BOTH_CUTS(GalleryNumbers);

}  // namespace
}  // namespace tandem
