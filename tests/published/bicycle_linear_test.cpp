// The benchmark bicycle, linearised: eigenvalues, matrices, stable range and hands-free circles.
// References: Meijaard, Papadopoulos, Ruina, Schwab (2007), tables 1 and 2; circles of Basu-Mandal, Chatterjee and
// Papadopoulos (2007), computed for the benchmark bicycle.
#include "support/published.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/sweep.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;

Model riding(double v, const std::string& method = "lagrange") {
  Model model = example_model("bicycle", {{"v", v}});
  model.setup.method = method;
  return model;
}

Linearization linearized(const Model& model) { return linearize(model, find_steady(model)); }

double nearest(const Linearization& found, Complex wanted) {
  double least = std::numeric_limits<double>::infinity();
  for (const LinearMode& mode : found.modes) least = std::min(least, std::abs(mode.eigenvalue - wanted));
  return least;
}

struct Row {
  double v;
  Complex weave;
  double capsize, castering;
};
constexpr Row table[] = {
    {1, {3.5269617099007, 0.8077402751993}, -3.13423125066578, -7.11008014637442},
    {2, {2.68234517512745, 1.68066296590675}, -3.07158645641514, -8.67387984831735},
    {3, {1.70675605663975, 2.31582447384325}, -2.63366137253667, -10.3510146724592},
    {4, {0.41325331521125, 3.07910818603206}, -1.42944427361326, -12.1586142657645},
    {5, {-0.77534188219585, 4.46486771378823}, -0.32286642900409, -14.0783896927982},
    {6, {-1.52644486584142, 5.87673060598709}, -0.0040669007697, -16.0853712309803},
    {7, {-2.13875644258362, 7.19525913329805}, 0.10268170574766, -18.15788466125262},
    {8, {-2.69348683581097, 8.46037971396931}, 0.14327879765713, -20.27940894394569},
    {9, {-3.21675402252485, 9.69377351531791}, 0.15790184030917, -22.43788559040858},
    {10, {-3.72016840437287, 10.90681139476287}, 0.16105338653172, -24.62459635017404},
};

class BicycleLinear : public test::BothCuts {};

TEST_P(BicycleLinear, HasTheTabulatedEigenvalues) {
  const Linearization rest = linearized(riding(0.0, GetParam()));
  for (const double wanted : {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393})
    EXPECT_LE(nearest(rest, wanted), 1e-11 * std::abs(wanted)) << wanted;
  for (const Row& row : table) {
    const Linearization found = linearized(riding(row.v, GetParam()));
    ASSERT_EQ(found.modes.size(), 5U);  // and the speed
    EXPECT_EQ(found.zeros.size(), 5U);
    for (const Complex wanted : {row.weave, std::conj(row.weave), Complex(row.capsize), Complex(row.castering)})
      EXPECT_LE(nearest(found, wanted), 1e-11 * std::abs(wanted)) << row.v << " m/s: " << wanted;
  }
}

TEST_P(BicycleLinear, HasThePublishedMatrices) {
  const Linearization rest = linearized(riding(0.0, GetParam())), fast = linearized(riding(5.0, GetParam()));
  ASSERT_TRUE(rest.second_order && fast.second_order);
  ASSERT_EQ(fast.second_order->coordinates, (std::vector<std::string>{"lean", "steer"}));
  const auto matrix = [](double a, double b, double c, double d) {
    return (Eigen::Matrix2d() << a, b, c, d).finished();
  };
  const Eigen::Matrix2d M = matrix(80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686);
  const Eigen::Matrix2d C1 = matrix(0.0, 33.86641391492494, -0.85035641456978, 1.6854039739756);
  const Eigen::Matrix2d K0 = matrix(-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618);
  const Eigen::Matrix2d K2 = matrix(0.0, 76.59734589573222, 0.0, 2.65431523794604);
  const auto off = [](const Eigen::MatrixXd& got, const Eigen::Matrix2d& wanted) {
    return (got - wanted).cwiseAbs().maxCoeff() / wanted.cwiseAbs().maxCoeff();
  };
  EXPECT_LE(off(fast.second_order->M, M), 1e-10);
  EXPECT_LE(off(fast.second_order->C / 5.0, C1), 1e-10);
  EXPECT_LE(off(rest.second_order->K / 9.81, K0), 1e-10);
  EXPECT_LE(off((fast.second_order->K - rest.second_order->K) / 25.0, K2), 1e-10);
  EXPECT_LE(rest.second_order->C.cwiseAbs().maxCoeff(), 1e-10);
}

TEST(BicycleSweep, FindsTheStableRange) {
  std::vector<double> speeds;
  for (int i = 0; i <= 20; ++i) speeds.push_back(0.5 * i);
  LinearFamily family;
  const Sweep found =
      sweep("v", speeds, [&](double v) { return family.at(riding(v)); }, {"capsize", "weave", "castering"});
  ASSERT_EQ(found.crossings.size(), 2U);
  EXPECT_NEAR(found.crossings[0].value, 4.29238253634111, 1e-10);
  EXPECT_NEAR(found.crossings[0].eigenvalue.imag(), 3.43503384866144, 1e-9);
  EXPECT_FALSE(found.crossings[0].loses_stability);
  EXPECT_NEAR(found.crossings[1].value, 6.02426201538837, 1e-10);
  EXPECT_TRUE(found.crossings[1].loses_stability);
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_NEAR(found.stable[0].first, 4.29238253634111, 1e-10);
  EXPECT_NEAR(found.stable[0].second, 6.02426201538837, 1e-10);
  // Each mode keeps its identity from rest to 10 m/s, through the split of the weave at 0.684 m/s.
  for (const SweepMode& mode : found.modes) {
    const double first = mode.eigenvalues.front().real();
    if (mode.name == "capsize") {
      EXPECT_NEAR(first, -3.13164324790656, 1e-10);
    } else if (mode.name == "castering") {
      EXPECT_NEAR(first, -5.53094371765393, 1e-10);
    } else if (mode.name == "weave") {
      EXPECT_GT(first, 3.0);
    } else {
      EXPECT_TRUE(mode.neutral);
    }
  }
}

Model circling(double lean, const std::string& method = "lagrange") {
  Model model = riding(4.6, method);
  model.held_steady = {{find_reading(model, "lean"), lean}};
  return model;
}

struct Circle {
  double steer, speed, yaw_rate, radius;
};

// The speed and radius are those of the point where the rear wheel touches the ground.
Circle circle_of(const Model& model, const Steady& steady) {
  Kinematics<double> at(model);
  at.update(model, steady.bodies.t, steady.bodies.q(), steady.bodies.v(), steady.bodies.angles());
  Workspace workspace(model);
  workspace.update(model, steady.bodies);
  const Vector3 contact =
      constraint_reaction(model, workspace, steady.solution, model.constraint("rear_contact")).point;
  const Vector3 velocity = steady.motion.translation + steady.motion.rotation.cross(contact);
  const double yaw_rate = std::abs(steady.motion.rotation.z());
  return {std::abs(at.joint(model.joint("steer")).q[0]), velocity.norm(), yaw_rate, velocity.norm() / yaw_rate};
}

TEST_P(BicycleLinear, RidesThePublishedCircles) {
  const Model slight = circling(pi / 180.0, GetParam());
  const Circle one = circle_of(slight, find_steady(slight));
  EXPECT_NEAR(one.steer, 0.0050334631, 1e-8 * 0.005 + 5e-11);
  EXPECT_NEAR(one.speed, 6.0234778649, 6e-8);
  EXPECT_NEAR(one.yaw_rate, 0.0282741902, 2.8e-10);
  EXPECT_NEAR(one.radius, 213.0380, 5e-5);  // as many digits as are given
  const Model steep = circling(pi / 18.0, GetParam());
  const Circle ten = circle_of(steep, find_steady(steep));
  EXPECT_NEAR(ten.speed, 5.9385976855, 5.9e-8);
  EXPECT_NEAR(ten.radius, 20.32698, 5e-6);
}

// The circle with 10° of lean has a mode that grows slowly. A run that starts on the circle stays on it for a minute;
// one that is pushed along that mode leaves at its rate.
TEST(BicycleCircle, IsLeftAtTheRateOfItsEigenvalues) {
  Model model = circling(pi / 18.0);
  const Steady steady = find_steady(model);
  const Linearization linear = linearize(model, steady);
  const LinearMode& mode = linear.modes.front();
  ASSERT_GT(mode.eigenvalue.real(), 0.01);
  ASSERT_EQ(mode.eigenvalue.imag(), 0.0);
  ASSERT_EQ(linear.states.front().name, "lean");
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-12;
  const auto lean_after = [&](double push, double time) {
    State start = steady.bodies;
    retract(model, push * mode.bodies.real(), start.q());
    start.v() += push * mode.speeds.real();
    Simulation simulation(model);
    simulation.set_bodies(assemble(model, start).bodies);
    simulation.step(time);
    return read<double>(model, find_reading(model, "lean"), simulation.workspace().kinematics);
  };
  // Of a mode whose largest part is 1 in the machine's sizes, here lean. What is not linear goes with the square of the
  // push: 2e-6 of it at 1e-5 after a minute.
  const double push = 3e-6, time = test::how_many(3.0, 60.0, 60.0);
  const double unpushed = lean_after(0.0, time);
  EXPECT_NEAR(unpushed, pi / 18.0, 1e-9);
  const double wanted = push * mode.shape[0].real() * std::exp(mode.eigenvalue.real() * time);
  EXPECT_NEAR((lean_after(push, time) - lean_after(-push, time)) / 2.0, wanted, 1e-6 * std::abs(wanted));
}

TANDEM_ON_BOTH_CUTS(BicycleLinear);

}  // namespace
}  // namespace tandem
