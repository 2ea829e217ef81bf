// Linkages of the gallery against what can be said about them without any engine: loops closed by circles, Bricard's
// relation of hinge angles, the governor's steady angle, the forces in a Stewart platform's legs, the modes of a chain
// of rods on springs.
#include <Eigen/Eigenvalues>
#include <complex>

#include "support/published.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/steady/steady.hpp"

namespace tandem {
namespace {

class Gallery : public test::BothCuts {};

using Point = std::complex<double>;

// Where the circles of radius `at_p` about p and `at_q` about q meet, to the left (1) or right (−1) of p → q.
Point meet(Point p, Point q, double at_p, double at_q, double side) {
  const double apart = std::abs(q - p), along = (at_p * at_p - at_q * at_q + apart * apart) / (2.0 * apart);
  return p + (q - p) / apart * Point(along, side * std::sqrt(at_p * at_p - along * along));
}

// T. Jansen's lengths, in centimetres; the crank's axle is the origin.
Point strandbeest_foot(double crank_angle) {
  const Point pin = std::polar(15.0, crank_angle), pivot(-38.0, -7.8);
  const Point top = meet(pin, pivot, 50.0, 41.5, -1.0), knee = meet(pin, pivot, 61.9, 39.3, 1.0);
  const Point back = meet(pivot, top, 40.1, 55.8, 1.0), heel = meet(back, knee, 39.4, 36.7, -1.0);
  return meet(heel, knee, 65.7, 49.0, -1.0);
}

TEST_P(Gallery, StrandbeestStepsWhereItsCirclesMeet) {
  const Model model = precise(example_model(TANDEM_SOURCE_DIR "/tests/published/strandbeest.toml"));
  Simulation simulation(model);
  const double start = 0.4, speed = 3.0;
  const Body& lower = model.bodies[static_cast<std::size_t>(model.body("lower"))];
  const Point foot_at_start = 0.01 * strandbeest_foot(start);
  const BodyFrame foot{model.body("lower"),
                       {Matrix3::Identity(), Vector3(foot_at_start.real(), 0.0, foot_at_start.imag()) - lower.X_WC.p}};
  test::Error place;
  double lowest = 1.0;
  for (int i = 0; i <= 40; ++i) {
    const double t = i * 2.0 * pi / speed / 40.0;
    go_to(simulation, t);
    const Point wanted = 0.01 * strandbeest_foot(start + speed * t);
    const Vector3 p = simulation.pose(foot).p;
    place.see(p, {wanted.real(), 0.0, wanted.imag()});
    lowest = std::min(lowest, p.z());
  }
  EXPECT_LE(place.largest(), 1e-11);
  EXPECT_NEAR(lowest, -0.918, 1e-3);
}

// Threefold symmetric with twists of 90°: cos θ cos φ + cos θ + cos φ = 0 (Y. Chen, Z. You, T. Tarnai, "Threefold-
// symmetric Bricard linkages for deployable structures", Int. J. Solids Struct. 42 (2005)). Both start at 90°.
TEST_P(Gallery, BricardKeepsItsRelationOfAngles) {
  const Model model = precise(example_model("bricard"));
  Simulation simulation(model);
  const double energy = simulation.energy().total();
  test::Error relation, alike, work;
  double farthest = 0.0;
  for (int i = 1; i <= 20; ++i) {
    go_to(simulation, 0.1 * i);
    const double odd = simulation.coordinate("hinge1"), even = simulation.coordinate("hinge2");
    relation.see(std::sin(odd) * std::sin(even), std::sin(odd) + std::sin(even));
    for (const char* hinge : {"hinge3", "hinge5"}) alike.see(simulation.coordinate(hinge), odd);
    for (const char* hinge : {"hinge4", "hinge6"}) alike.see(simulation.coordinate(hinge), even);
    work.see_relative(simulation.energy().total(), energy);
    farthest = std::max(farthest, std::abs(odd));
  }
  EXPECT_GT(farthest, 1.0) << "it moved";
  EXPECT_LE(relation.largest(), 1e-12);
  EXPECT_LE(alike.largest(), 1e-12);
  EXPECT_LE(work.largest(), 1e-11);
}

// With D = m l² + ⅔ mₐ l² − J₃ and G = m + M + 2 mₐ the energy seen from the turning spindle is
// U(θ) = −2 g l G cos θ − Ω² D sin² θ: least where cos θ = g l G / (Ω² D), with U'' = 2 Ω² D sin² θ.
struct Governor {
  double l = 0.3, m = 1.0, r = 0.04, ma = 0.1, J3 = 2e-5, M = 2.0, d = 20.0, start = 0.5, g = 9.81;
  double D = m * l * l + 2.0 / 3.0 * ma * l * l - J3, G = m + M + 2.0 * ma;
  double angle(double speed) const { return std::acos(g * l * G / (speed * speed * D)); }
  double inertia(double angle) const {  // of the angle
    const double s = std::sin(angle), c = std::cos(angle);
    return 2.0 * (ma * l * l / 3.0 + m * l * l + 0.4 * m * r * r) +
           2.0 * (ma * l * l * (0.25 * c * c + 2.25 * s * s) + ma * l * l / 12.0) + 4.0 * M * l * l * s * s;
  }
};

TEST_P(Gallery, GovernorSettlesAtItsAngle) {
  const Governor governor;
  for (const double speed : {10.5, 11.0, 12.0}) {
    if (test::shortened() && speed != 11.0) continue;
    const Model model = precise(example_model("governor", {{"speed", speed}}), 1e-11);
    Simulation simulation(model);
    go_to(simulation, 12.0);
    const double angle = governor.angle(speed);
    EXPECT_NEAR(simulation.coordinate("top1"), angle - governor.start, 1e-10) << speed;
    EXPECT_NEAR(simulation.coordinate("slide"), 2.0 * governor.l * (std::cos(governor.start) - std::cos(angle)), 1e-10);
    // About it, in the sleeve's x with dx = 2 l sin θ dθ.
    const double dx = 2.0 * governor.l * std::sin(angle);
    const double mass = governor.inertia(angle) / (dx * dx);
    const double stiffness = speed * speed * governor.D / (2.0 * governor.l * governor.l);
    const Linearization linear = linearize(model, find_steady(model));
    ASSERT_EQ(linear.A.rows(), 2);
    EXPECT_NEAR(linear.A(1, 0), -stiffness / mass, 1e-8) << speed;
    EXPECT_NEAR(linear.A(1, 1), -governor.d / mass, 1e-8) << speed;
  }
}

TEST_P(Gallery, StewartLegsShareWeightAndTwist) {
  const double a = 0.5, b = 0.3, h = 0.6, open = 40.0 * pi / 180.0, m = 10.0, Izz = 0.5, g = 9.81;
  const Model model = precise(example_model("stewart"));
  Simulation simulation(model);
  test::Error pose, force;
  for (int i = 0; i <= 10; ++i) {
    const double t = 0.5 * i;
    go_to(simulation, t);
    const double z = h + 0.05 * std::sin(2.0 * t), yaw = 0.3 * std::sin(t);
    const Pose<double> X = simulation.pose({model.body("platform"), {}});
    pose.see(X.p, {0.0, 0.0, z});
    pose.see(std::atan2(X.R(1, 0), X.R(0, 0)), yaw);
    pose.see(X.R(2, 2), 1.0);
    // Legs that lean one way and the other: three of each.
    const auto length = [&](double angle) { return std::sqrt(a * a + b * b - 2.0 * a * b * std::cos(angle) + z * z); };
    const double one = length(open - yaw), other = length(open + yaw);
    Eigen::Matrix2d balance;
    balance << 3.0 * z / one, 3.0 * z / other, -3.0 * a * b * std::sin(open - yaw) / one,
        3.0 * a * b * std::sin(open + yaw) / other;
    const Eigen::Vector2d push =
        balance.inverse() * Eigen::Vector2d(m * (g - 0.2 * std::sin(2.0 * t)), -Izz * 0.3 * std::sin(t));
    for (const char* leg : {"leg1", "leg3", "leg5"}) force.see(simulation.reaction(leg).force.norm(), push[0]);
    for (const char* leg : {"leg2", "leg4", "leg6"}) force.see(simulation.reaction(leg).force.norm(), push[1]);
  }
  EXPECT_LE(pose.largest(), 1e-12);
  EXPECT_LE(force.largest(), 1e-10);
}

// In the angles of the rods from the wall, M_ij = m l² (N − max(i, j) + ½), on the diagonal ⅓ in place of ½.
TEST_P(Gallery, SpringChainHasTheModesOfItsMatrices) {
  const int n = 6;
  const double m = 0.1, l = 0.2, k = 2.0;
  Eigen::MatrixXd M(n, n), K = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M(i, j) = m * l * l * (n - 1 - std::max(i, j) + (i == j ? 1.0 / 3.0 : 0.5));
  for (int i = 0; i < n; ++i) {
    K(i, i) = i + 1 < n ? 2.0 * k : k;
    if (i > 0) K(i, i - 1) = K(i - 1, i) = -k;
  }
  const Eigen::VectorXd wanted = Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(K, M).eigenvalues();
  Model model = example_model("spring-chain", {{"g", 0.0}, {"d", 0.0}});
  model.setup.method = GetParam();
  const Eigen::VectorXcd found = linearize_start(model).A.eigenvalues();
  std::vector<double> squares;
  for (const auto& each : found)
    if (each.imag() > 0.0) squares.push_back(each.imag() * each.imag());
  std::sort(squares.begin(), squares.end());
  ASSERT_EQ(squares.size(), 6U);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(squares[static_cast<std::size_t>(i)] / wanted[i], 1.0, 1e-9) << i;
}

TANDEM_ON_BOTH_CUTS(Gallery);

}  // namespace
}  // namespace tandem
