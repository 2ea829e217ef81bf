// Steady motions of a rolling disc and their eigenvalues against closed forms and its reduced equations.
#include <gtest/gtest.h>

#include "support/linear_motion.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;

class LinearDisc : public LinearByMethod {};

// Straight ahead: s² = 4g/(5r) − (12/5)(v/r)²; two zeros are the turning and the speed of the steady motions nearby.
TEST_P(LinearDisc, ADiscRollsStraightAheadAboveItsCriticalSpeed) {
  const double r = 0.5, g = 9.81;
  for (const double v : {0.5, 1.0, 1.5, 2.0, 3.0}) {
    const Model model = by(example_model("rolling-disc", {{"lean", 0.0}, {"u1", 0.0}, {"u2", v / r}, {"u3", 0.0}}));
    const Linearization found = about(model, {{"lean", 0.0}, {"yaw.rate", 0.0}, {"disc.pitch.rate", v / r}});
    std::vector<Complex> wanted = pair_of_square(4.0 * g / (5.0 * r) - 12.0 / 5.0 * v * v / (r * r));
    wanted.insert(wanted.end(), {0.0, 0.0});
    expect_eigenvalues(found, wanted);
    EXPECT_EQ(found.zeros.size(), 4U);  // x, y, yaw, spin
  }
}

// On its edge about the vertical: s² = 4g/(5r) − Ω².
TEST_P(LinearDisc, ADiscSpinsOnItsEdgeAboveItsCriticalRate) {
  const double r = 0.5, g = 9.81, critical = 3.9618177646126025;
  for (const double rate : {1.0, 0.99 * critical, 1.01 * critical, 10.0}) {
    const Model model = by(example_model("rolling-disc", {{"lean", 0.0}, {"u1", 0.0}, {"u2", 0.0}, {"u3", rate}}));
    const Linearization found = about(model, {{"lean", 0.0}, {"yaw.rate", rate}, {"disc.pitch.rate", 0.0}});
    std::vector<Complex> wanted = pair_of_square(4.0 * g / (5.0 * r) - rate * rate);
    wanted.insert(wanted.end(), {0.0, 0.0});
    expect_eigenvalues(found, wanted);
  }
}

// The disc's reduced equations (Neimark and Fufaev) in lean, u1, u2, u3: the last three are the angular velocity along
// the heading, the axis, and across both.
using DiscState = Eigen::Matrix<Complex, 4, 1>;

DiscState reduced_disc(const DiscState& z) {
  const double m = 4.0, r = 0.5, g = 9.81, A = 0.25, C = 0.5, mrr = m * r * r;
  const Complex s = std::sin(z[0]), t = std::tan(z[0]), u1 = z[1], u2 = z[2], u3 = z[3];
  return {u1, ((C + mrr) * u2 * u3 - A * u3 * u3 * t + m * g * r * s) / (A + mrr), -mrr * u1 * u3 / (C + mrr),
          (-C * u1 * u2 + A * u1 * u3 * t) / A};
}

// Its eigenvalues about a steady motion are 0, 0, ±s; so s² is half the trace of the squared Jacobian. That is made by
// complex-step.
double reduced_square(double lean, double u2, double u3) {
  Eigen::Matrix4d J;
  for (int k = 0; k < 4; ++k) {
    DiscState z(lean, 0.0, u2, u3);
    z[k] += Complex(0.0, 1e-30);
    const DiscState change = reduced_disc(z);
    for (int i = 0; i < 4; ++i) J(i, k) = change[i].imag() / 1e-30;
  }
  return 0.5 * (J * J).trace();
}

TEST_P(LinearDisc, ADiscRollsInACircle) {
  const double lean = 20.0 * pi / 180.0;
  const Model model = by(example_model("rolling-disc"));
  const Steady found = steady(model, {{"lean", lean}, {"yaw.rate", 1.5}});
  const GroupMotion& xi = found.motion;
  EXPECT_NEAR(xi.rotation.z(), 1.5, 1e-12);
  EXPECT_NEAR(std::abs(xi.spin[0].y()), 3.6013456219583704, 1e-10);
  const double square = reduced_square(lean, -3.0883154069698673, 1.5 * std::cos(lean));
  EXPECT_NEAR(std::sqrt(-square), 3.668046317176752, 1e-12);
  std::vector<Complex> wanted = pair_of_square(square);
  wanted.insert(wanted.end(), {0.0, 0.0});
  expect_eigenvalues(linearize(model, found), wanted);
}

// The centre at rest, tilted by α from the ground: W² = 4g/(r sin α).
TEST_P(LinearDisc, EulersDiscWhirls) {
  for (const auto& [alpha, rate] : {std::pair(0.1, 28.03764482995491), std::pair(0.05, 39.62643298103295)}) {
    const double lean = pi / 2.0 - alpha;
    // ω is along the diameter to the contact: u2 = 0 after taking off the spin that precession brings.
    const double u3 = rate * std::cos(lean), u2 = 0.0;
    const Model model = by(example_model("rolling-disc", {{"lean", lean}, {"u1", 0.0}, {"u2", u2}, {"u3", u3}}));
    const Steady found = steady(model, {{"lean", lean}, {"disc.x.rate", 0.0}});
    EXPECT_NEAR(std::abs(found.motion.rotation.z()), rate, 1e-13 * rate);
    EXPECT_LE(found.bodies.v().tail<3>().norm(), 1e-9 * rate);  // the centre rests
    const double square = reduced_square(lean, u2, u3);
    if (alpha == 0.1) {
      EXPECT_NEAR(std::sqrt(-square), 21.75391233489064, 1e-10);
    }
    std::vector<Complex> wanted = pair_of_square(square);
    wanted.insert(wanted.end(), {0.0, 0.0});
    expect_eigenvalues(linearize(model, found), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearDisc, linear_methods(), linear_method_name);

}  // namespace
}  // namespace tandem
