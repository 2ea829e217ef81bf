// Kane and Levinson's rattleback ("Realistic mathematical modeling of the rattleback", Int. J. Non-Linear Mech. 17
// (1982)): semi-axes 0.2, 0.03, 0.02 m, mass centre 0.01 m below their centre, 1 kg, moments of inertia 2e-4, 1.6e-3,
// 1.7e-3 and product -2e-5 kg m²; both tilts 0.5°, spin -5 rad/s; here without their air resistance.
// Reference: the three equations of angular momentum about the contact point with the normal force and friction
// eliminated, the point itself from Lagrange multipliers on the implicit surface; extrapolation of order 20 in 128
// bits.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "support/linear_motion.hpp"
#include "support/published.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {
namespace {

class Rattleback : public test::BothCuts {};

struct StoneState {
  double t, spin, yaw, lean, pitch;  // spin: about the vertical
  std::array<double, 3> center;
  std::array<double, 2> contact;
  std::array<double, 3> force;
};

// The time at which the spin first vanishes: it does so five times while the stone rattles most.
constexpr double reversal = 2.76110915380063132, last_reversal = 2.85548003271282461;

const StoneState stone_reference[] = {
    {0.5,
     -4.124643376801337,
     -2.393601167290421,
     0.009248611829697415,
     0.018112366975219472,
     {-0.0006025266755294499, 0.0006758904454934588, 0.01032523999797677},
     {-0.026813344908179576, -0.02321540632602858},
     {0.3331608718356083, -0.1857134455886557, 6.986406393278201}},
    {1.0,
     -3.2440022673210085,
     2.017073841768668,
     -0.006004378513555962,
     0.02316740657191777,
     {0.0011716776881986106, 0.001572203493086979, 0.010527675921258159},
     {-0.018393907333054415, 0.04200043282919775},
     {-3.0865285194692333, -2.6643347985875128, 7.369767873265135}},
    {2.0,
     -1.1890037085152658,
     -0.07437116114010288,
     -0.10491024554235437,
     0.043414216138025465,
     {-0.0002944819004034905, 0.0007197796447544815, 0.011956265879340873},
     {0.07815235477809539, -0.002046765057061619},
     {-1.0801797475796504, 0.3635874518296612, 2.622762127903137}},
    {2.5,
     -0.4215770390244757,
     -0.4633795219885994,
     0.015004931557797445,
     -0.047366964172502565,
     {-0.001435590375009442, 0.0004371343215622327, 0.0121228328324079},
     {-0.07781728972447732, 0.03812293016350052},
     {1.1129398821642347, -0.43977536281408164, 2.15947722206744}},
    {3.0,
     0.27573972517580364,
     -0.48789411953427614,
     -0.045499536788082356,
     0.051740645520531384,
     {-8.869919185140592e-05, 0.0006182829821084945, 0.01253446283090677},
     {0.0811274868222317, -0.04106729258377079},
     {-0.9808614218414874, 0.5216599048100198, 1.7352230042685375}},
    {4.0,
     2.8045315925206764,
     0.5542209786497965,
     0.07791573125571431,
     -0.004167717334470252,
     {-0.001864102108799925, 0.0025804979842373316, 0.010123035334609638},
     {-0.007438231388327504, -0.004052773857519049},
     {7.879452807323605, -9.514489034164548, 44.83519090672915}},
    {5.0,
     4.272828790110826,
     -2.7501613134490848,
     -0.046931134925628046,
     0.014452974374270094,
     {-0.0016556718678373407, 0.0017750472035694552, 0.01024454412138821},
     {-0.027291813208353354, -0.010545336799660104},
     {2.966971196898991, -5.455962998806848, 9.478502163138028}},
    {6.0,
     5.267849093042084,
     2.2019004074020883,
     0.08841100024234745,
     -0.0032025875171118605,
     {-5.9403372126665013e-05, 0.0017937982091389072, 0.01014634745758963},
     {0.0061436857136636935, -0.00149413847376088},
     {0.10612242680144182, -0.10720241468906681, 9.422500074943438}},
    {8.0,
     5.0871541127808,
     0.08128322486635509,
     -0.1333749780576124,
     0.0002203293852124061,
     {-0.00037869135945347443, 0.002558308337505801, 0.010308697039080342},
     {-0.00032282377985174934, 0.007166987188519039},
     {-0.07304394313876318, -1.3613694314107752, 9.23937426585935}},
    {10.0,
     4.6269618888164965,
     -2.709937254407009,
     0.18959437382658292,
     -0.0001658239453434776,
     {-0.0020629153543933166, 0.0027773561987622882, 0.010618364241231262},
     {-0.004457560343771739, 0.008734148598993232},
     {0.9984275473940994, -1.576101889962856, 8.826904721221922}},
};

class StoneRun {
 public:
  explicit StoneRun(const Model& model) : simulation(model), body_(model.point("stone", {0, 0, -0.01})) {}
  double yaw() { return euler312_of<double>(simulation.pose(body_).R)[0]; }
  double spin() { return simulation.velocity(body_).w.z(); }
  void compare(const StoneState& wanted, test::Error& angle, test::Error& place) {
    const Vec3<double> angles = euler312_of<double>(simulation.pose(body_).R);
    angle.see_angle(angles[0], wanted.yaw);
    angle.see(angles[1], wanted.lean);
    angle.see(angles[2], wanted.pitch);
    place.see(simulation.pose(body_).p, test::vector(wanted.center));
    place.see(simulation.reaction("contact").point, {wanted.contact[0], wanted.contact[1], 0.0});
  }
  Simulation simulation;

 private:
  BodyFrame body_;  // at the mass centre
};

TEST_P(Rattleback, FollowsTheReference) {
  const Model model = precise(example_model("rattleback"));
  StoneRun run(model);
  test::Error angle, place, spin, force, energy;
  EXPECT_NEAR(run.spin(), -4.9996192378909781, 1e-14);
  for (const StoneState& wanted : stone_reference) {
    go_to(run.simulation, wanted.t);
    run.compare(wanted, angle, place);
    spin.see(run.spin(), wanted.spin);
    force.see(run.simulation.reaction("contact").force, test::vector(wanted.force));
    energy.see(run.simulation.energy().total(), 0.123885313673552792);
  }
  EXPECT_LE(angle.largest(), 1e-10);
  EXPECT_LE(place.largest(), 1e-11);
  EXPECT_LE(spin.largest(), 1e-9);
  EXPECT_LE(force.largest(), 1e-8);
  EXPECT_LE(energy.largest(), 1e-13);
}

TEST_P(Rattleback, TurnsBackWhenTheReferenceDoes) {
  const Model model = precise(example_model("rattleback"));
  StoneRun run(model);
  for (const double t : {reversal, last_reversal}) {
    go_to(run.simulation, t - 1e-4);
    EXPECT_LT(run.spin(), 0.0) << t;
    go_to(run.simulation, t);
    EXPECT_NEAR(run.spin(), 0.0, 1e-9) << t;
    go_to(run.simulation, t + 1e-4);
    EXPECT_GT(run.spin(), 0.0) << t;
  }
}

// By fixed steps: with half the step a sixteenth of the error of the yaw, which grows steadily.
TEST_P(Rattleback, ConvergesWithOrderFour) {
  const StoneState& wanted = stone_reference[0];
  const auto error = [&](double h) {
    Model model = example_model("rattleback");
    model.setup.method = GetParam();
    model.setup.integrator = "rk4";
    StoneRun run(model);
    for (int i = 1; i <= static_cast<int>(std::lround(wanted.t / h)); ++i) run.simulation.step(h);
    return std::abs(std::remainder(run.yaw() - wanted.yaw, 2.0 * pi));
  };
  const double coarse = error(5e-4), fine = error(2.5e-4);
  EXPECT_GT(fine, 1e-10);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.3);
}

// The residual that a step leaves before it is projected, of order 5: with another bias it would be of order 2.
TEST_P(Rattleback, LeavesItsConstraintsByTheErrorOfAStepOnly) {
  const auto residual = [&](double h) {
    Model model = example_model("rattleback");
    model.setup.method = GetParam();
    model.setup.integrator = "rk4";
    Simulation simulation(model);
    double most = 0.0;
    for (int i = 0; i < 20; ++i) keep_larger(most, simulation.step(h).before.velocity);
    return most;
  };
  EXPECT_NEAR(std::log2(residual(2e-3) / residual(1e-3)), 5.0, 0.5);
}

TANDEM_ON_BOTH_CUTS(Rattleback);

// Spinning upright. The stone's reduced equations: n the vertical and ω, both in its axes.
class LinearRattleback : public LinearByMethod {};
using Complex = std::complex<double>;
using Complex3 = Eigen::Matrix<Complex, 3, 1>;
using StoneRates = Eigen::Matrix<Complex, 6, 1>;

Complex3 cross(const Complex3& a, const Complex3& b) {  // Eigen's conjugates
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Complex dot(const Complex3& a, const Complex3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// x = −A n/√(nᵀA n) is the lowest point, A = diag(a², b², c²); r leads to it from the mass centre, where v = r × ω.
StoneRates reduced_stone(const Complex3& n, const Complex3& w) {
  const double m = 1.0, g = 9.81;
  const Eigen::Vector3cd A(0.04, 0.0009, 0.0004);
  Eigen::Matrix3cd inertia = Eigen::Vector3cd(2e-4, 1.6e-3, 1.7e-3).asDiagonal();
  inertia(0, 1) = inertia(1, 0) = -2e-5;
  const Complex3 n_dot = cross(n, w);
  const Complex k = 1.0 / std::sqrt(dot(n, A.cwiseProduct(n)));
  const Complex k_dot = -k * k * k * dot(n_dot, A.cwiseProduct(n));
  const Complex3 x_dot = -k_dot * A.cwiseProduct(n) - k * A.cwiseProduct(n_dot);
  const Complex3 r = -k * A.cwiseProduct(n) + Complex3(0.0, 0.0, 0.01);
  const Complex3 known = -cross(w, x_dot) - cross(w, cross(w, r));
  const Complex3 right = m * cross(r, known + g * n) - cross(w, inertia * w);
  const Eigen::Matrix3cd about = inertia + m * (dot(r, r) * Eigen::Matrix3cd::Identity() - r * r.transpose());
  StoneRates rates;
  rates << n_dot, about.inverse() * right;
  return rates;
}

// Of the tilts and their rates, by complex-step.
std::vector<Complex> reduced_eigenvalues(double spin) {
  Eigen::Matrix4d J;
  constexpr Eigen::Index kept[4] = {0, 1, 3, 4};
  for (Eigen::Index column = 0; column < 4; ++column) {
    Complex3 n(0.0, 0.0, 1.0), w(0.0, 0.0, spin);
    (column < 2 ? n[column] : w[column - 2]) += Complex(0.0, 1e-30);
    const StoneRates change = reduced_stone(n, w);
    for (Eigen::Index row = 0; row < 4; ++row) J(row, column) = change[kept[row]].imag() / 1e-30;
  }
  const Eigen::Vector4cd values = J.eigenvalues();
  return {values.begin(), values.end()};
}

// Spun the wrong way it begins to pitch, spun the other way to roll, ten times more slowly. The zero is the spin's own
// rate: there is a steady motion for each.
TEST_P(LinearRattleback, BeginsToPitchOneWayAndToRollTheOther) {
  for (const double spin : {-8.0, -5.0, -2.0, 2.0, 5.0}) {
    const Model model = by(example_model("rattleback", {{"alpha", 0.0}, {"beta", 0.0}, {"spin", spin}}));
    std::vector<Complex> wanted = reduced_eigenvalues(spin);
    wanted.emplace_back(0.0);
    expect_eigenvalues(about(model, {{"stone.yaw.rate", spin}}), wanted);
  }
  const auto growth = [](double spin) {
    double most = 0.0;
    for (const Complex& value : reduced_eigenvalues(spin)) most = std::max(most, value.real());
    return most;
  };
  EXPECT_NEAR(growth(-5.0), 2.120692397891901, 1e-10);  // in 40 digits; Eigen's solver leaves 5e-11
  EXPECT_NEAR(growth(5.0), 0.202521283292215, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearRattleback, linear_methods(), linear_method_name);

}  // namespace
}  // namespace tandem
