// Linkages with closed loops and redundant rows, linearised, against their one-coordinate equations by complex-step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

using Complex = std::complex<double>;

constexpr double tiny = 1e-40;

// The four-bar of the examples in its plane, as functions of the crank's angle that take complex numbers.
struct FourBar {
  double crank = 0.4, coupler = 1.2, rocker = 0.9, base = 1.0, g = 9.81;
  double stiffness = 0.0, rest = 0.0;  // of a spring from the middle of the coupler to a point above
  double masses[3] = {0.5, 1.0, 0.8};
  double spring_x = 0.3, spring_z = 2.0;

  struct Pose {
    Complex x[3], z[3], angle[3];  // centres and angles of crank, coupler, rocker
  };
  Pose pose(Complex theta) const {
    const Complex cx = crank * std::cos(theta), cz = crank * std::sin(theta);
    const Complex dx = base - cx, dz = -cz, d = std::sqrt(dx * dx + dz * dz);
    const Complex along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
    const Complex across = std::sqrt(coupler * coupler - along * along);
    const Complex ex = cx + (along * dx - across * dz) / d, ez = cz + (along * dz + across * dx) / d;
    // The angle of a direction, for complex numbers: from its real part on by the derivative of the logarithm.
    const auto angle = [](Complex x, Complex z) {
      return Complex(std::atan2(z.real(), x.real()),
                     (x.real() * z.imag() - z.real() * x.imag()) / (x.real() * x.real() + z.real() * z.real()));
    };
    return {{cx / 2.0, (cx + ex) / 2.0, (base + ex) / 2.0},
            {cz / 2.0, (cz + ez) / 2.0, ez / 2.0},
            {theta, angle(ex - cx, ez - cz), angle(ex - base, ez)}};
  }
  double moment(int i) const {  // of a thick rod across its axis
    const double lengths[3] = {crank, coupler, rocker}, r = 0.02;
    return masses[i] * (lengths[i] * lengths[i] / 12.0 + r * r / 4.0);
  }
  // Twice the kinetic energy at unit rate of the crank.
  double inertia(double theta) const {
    const Pose at = pose(Complex(theta, tiny));
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
      const double vx = at.x[i].imag() / tiny, vz = at.z[i].imag() / tiny, w = at.angle[i].imag() / tiny;
      sum += masses[i] * (vx * vx + vz * vz) + moment(i) * w * w;
    }
    return sum;
  }
  Complex potential(Complex theta) const {
    const Pose at = pose(theta);
    Complex sum = 0.0;
    for (int i = 0; i < 3; ++i) sum += masses[i] * g * at.z[i];
    const Complex dx = at.x[1] - spring_x, dz = at.z[1] - spring_z;
    const Complex stretch = std::sqrt(dx * dx + dz * dz) - rest;
    return sum + 0.5 * stiffness * stretch * stretch;
  }
  double slope(double theta) const { return potential(Complex(theta, tiny)).imag() / tiny; }
  double curvature(double theta) const {  // differences of a slope that is exact, of sixth order
    const double h = 1e-2;
    const auto central = [&](double step) { return (slope(theta + step) - slope(theta - step)) / (2.0 * step); };
    return (64.0 * central(h / 4.0) - 20.0 * central(h / 2.0) + central(h)) / 45.0;
  }
};

Model with_spring(const FourBar& bar, const std::string& method) {
  const Model example = example_model("four-bar");
  Model model = read_model(example.text + fmt::format(R"(
[[force]]
name = "spring"
type = "spring_damper"
bodies = ["world", "coupler"]
points = [[{}, 0, {}], ["(cx + ex)/2", 0, "(cz + ez)/2"]]
stiffness = {}
length = {}
)",
                                                      bar.spring_x, bar.spring_z, bar.stiffness, bar.rest),
                           "four-bar.toml");
  model.setup.method = method;
  return model;
}

class LinearLinkages : public ::testing::TestWithParam<const char*> {};

TEST_P(LinearLinkages, AFourBarOnASpringSwingsAsItsOwnEquationSays) {
  FourBar bar;
  bar.stiffness = 60.0;
  bar.rest = 0.5;
  const Model model = with_spring(bar, GetParam());
  const Steady steady = find_steady(model);
  EXPECT_TRUE(steady.rests());
  const Linearization found = linearize(model, steady);
  Kinematics<double> at(model);
  at.update(model, 0.0, steady.bodies.q(), steady.bodies.v(), steady.bodies.angles());
  const Matrix3 R = at.body(model.body("crank")).X_WC.R;
  const double theta = std::atan2(R(2, 0), R(0, 0));
  EXPECT_LE(std::abs(bar.slope(theta)), 1e-10);
  ASSERT_EQ(found.modes.size(), 2U);
  const Complex square = found.modes[0].eigenvalue * found.modes[0].eigenvalue;
  const double wanted = -bar.curvature(theta) / bar.inertia(theta);
  EXPECT_NEAR(square.real(), wanted, 1e-10 * std::abs(wanted));
  EXPECT_NEAR(square.imag(), 0.0, 1e-12);
  ASSERT_TRUE(found.second_order);
  EXPECT_NEAR(found.second_order->M(0, 0), bar.inertia(theta), 1e-10);
}

// A parallelogram with a third parallel bar: the bar repeats what the others say.
TEST_P(LinearLinkages, ARedundantParallelogramSwingsLikeAPendulum) {
  const double l = 0.8, w = 1.5, m = 2.0;
  Builder build("parallelogram");
  build.body(
      {.name = "beam", .mass = m, .inertia = std::array{0.1, 0.4, 0.4, 0.0, 0.0, 0.0}, .position = {0.0, 0.0, -l}});
  for (int i = 0; i < 3; ++i) {
    const double x = w * (i - 1) / 2.0;
    const std::string name = "bar" + std::to_string(i);
    build.body({.name = name,
                .mass = 0.3,
                .inertia = std::array{0.016, 0.016, 0.001, 0.0, 0.0, 0.0},
                .position = {x, 0.0, -0.5 * l}});
    build.joint({.name = "upper" + std::to_string(i),
                 .type = Revolute{},
                 .bodies = {"world", name},
                 .point = Vector3(x, 0, 0),
                 .axis = Vector3(0, 1, 0)});
    build.joint({.name = "lower" + std::to_string(i),
                 .type = Revolute{},
                 .bodies = {name, "beam"},
                 .point = Vector3(x, 0, -l),
                 .axis = Vector3(0, 1, 0)});
  }
  Model model = build.finish();
  model.setup.method = GetParam();
  const Linearization found = linearize(model, find_steady(model));
  ASSERT_EQ(found.modes.size(), 2U);
  // The beam moves without turning; each bar turns about its upper end.
  const double inertia = m * l * l + 3.0 * (0.3 * 0.25 * l * l + 0.016);
  const double stiffness = 9.81 * (m * l + 3.0 * 0.3 * 0.5 * l);
  EXPECT_NEAR(found.modes[0].eigenvalue.imag(), std::sqrt(stiffness / inertia), 1e-10);
  EXPECT_NEAR(found.modes[0].eigenvalue.real(), 0.0, 1e-12);
}

// A damper on a hinge: λ² + 2 ζ ω λ + ω² = 0, with the damping ratio the mode reports.
TEST_P(LinearLinkages, ADampedPendulumHasItsDampingRatio) {
  const double l = 0.6, m = 1.2, damping = 0.5;
  Builder build("pendulum");
  build.body({.name = "bob", .mass = m, .inertia = std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, .position = {0, 0, -l}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "bob"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 1, 0)});
  build.force({.name = "oil", .type = JointEffort{.damping = damping}, .coordinates = {{"hinge", ""}}});
  Model model = build.finish();
  model.setup.method = GetParam();
  const Linearization found = linearize(model, find_steady(model));
  const double I = m * l * l, omega = std::sqrt(9.81 / l), zeta = damping / (2.0 * I * omega);
  ASSERT_EQ(found.modes.size(), 2U);
  EXPECT_NEAR(found.modes[0].damping_ratio(), zeta, 1e-12);
  EXPECT_NEAR(std::abs(found.modes[0].eigenvalue), omega, 1e-12);
  ASSERT_TRUE(found.second_order);
  EXPECT_NEAR(found.second_order->M(0, 0), I, 1e-12);
  EXPECT_NEAR(found.second_order->C(0, 0), damping, 1e-12);
  EXPECT_NEAR(found.second_order->K(0, 0), m * 9.81 * l, 1e-11);
  ASSERT_EQ(found.inputs.size(), 1U);
  EXPECT_EQ(found.inputs[0].unit, "N m");
  EXPECT_NEAR(found.B(1, 0), 1.0 / I, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, LinearLinkages,
                         ::testing::Values("lagrange", "articulated", "null_space", "udwadia_kalaba"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace
}  // namespace tandem
