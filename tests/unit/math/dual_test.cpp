// Dual numbers: every function against its closed form, nested and at the edges.
#include <functional>

#include "support/samples.hpp"

namespace tandem::test {
namespace {

using DD = Dual<D>;

// f, f', f'' by nested duals.
template <class F> Jet<double> jet_of(F f, double x) {
  const DD y = f(DD(D(x, 1.0), D(1.0, 0.0)));
  EXPECT_EQ(y.value.derivative, y.derivative.value);
  return {y.value.value, y.value.derivative, y.derivative.derivative};
}
void expect_jet(const Jet<double>& a, double value, double first, double second) {
  EXPECT_TRUE(near(a.value, value, 1e-14));
  EXPECT_TRUE(near(a.rate, first, 1e-13));
  EXPECT_TRUE(near(a.acceleration, second, 1e-13));
}

TEST(DualNumbers, FunctionsHaveTheirClosedDerivatives) {
  for (const double x : {0.3, 0.62, 0.9}) {
    const double s = std::sin(x), c = std::cos(x), t = std::tan(x), e = std::exp(x), q = 1.0 - x * x;
    expect_jet(jet_of([](auto y) { return sin(y); }, x), s, c, -s);
    expect_jet(jet_of([](auto y) { return cos(y); }, x), c, -s, -c);
    expect_jet(jet_of([](auto y) { return tan(y); }, x), t, 1 + t * t, 2 * t * (1 + t * t));
    expect_jet(jet_of([](auto y) { return exp(y); }, x), e, e, e);
    expect_jet(jet_of([](auto y) { return log(y); }, x), std::log(x), 1 / x, -1 / (x * x));
    expect_jet(jet_of([](auto y) { return sqrt(y); }, x), std::sqrt(x), 0.5 / std::sqrt(x), -0.25 * std::pow(x, -1.5));
    expect_jet(jet_of([](auto y) { return asin(y); }, x), std::asin(x), 1 / std::sqrt(q), x / std::pow(q, 1.5));
    expect_jet(jet_of([](auto y) { return acos(y); }, x), std::acos(x), -1 / std::sqrt(q), -x / std::pow(q, 1.5));
    expect_jet(jet_of([](auto y) { return atan(y); }, x), std::atan(x), 1 / (1 + x * x),
               -2 * x / ((1 + x * x) * (1 + x * x)));
    // atan2(2y, 1 − y²) = 2 atan(y)
    expect_jet(jet_of([](auto y) { return atan2(2.0 * y, 1.0 - y * y); }, x), 2 * std::atan(x), 2 / (1 + x * x),
               -4 * x / ((1 + x * x) * (1 + x * x)));
    expect_jet(jet_of([](auto y) { return pow(y, DD(2.5)); }, x), std::pow(x, 2.5), 2.5 * std::pow(x, 1.5),
               3.75 * std::sqrt(x));
    const double power = std::pow(x, x), slope = std::log(x) + 1;
    expect_jet(jet_of([](auto y) { return pow(y, y); }, x), power, power * slope, power * (slope * slope + 1 / x));
    expect_jet(jet_of([](auto y) { return (1.0 + y) / (2.0 - y); }, x), (1 + x) / (2 - x), 3 / ((2 - x) * (2 - x)),
               6 / std::pow(2 - x, 3));
    expect_jet(jet_of([](auto y) { return abs(-y * y); }, x), x * x, 2 * x, 2);
    expect_jet(jet_of([](auto y) { return abs2(y); }, x), x * x, 2 * x, 2);
    expect_jet(jet_of([](auto y) { return max(y, y * y); }, x), x, 1, 0);  // x < 1
    expect_jet(jet_of([](auto y) { return min(y, y * y); }, x), x * x, 2 * x, 2);
    expect_jet(jet_of([](auto y) { return round(3.0 * y); }, x), std::round(3 * x), 0, 0);
  }
}

TEST(DualNumbers, ArithmeticKeepsTheRules) {
  D a(3.0, 2.0);
  a += D(1.0, -1.0);
  a *= 2.0;
  a -= 1.0;
  a /= D(7.0, 1.0);  // (8 − 1, 2) / (7, 1)
  EXPECT_TRUE(near(a, D(1.0, (2.0 - 1.0) / 7.0), 1e-15));
  EXPECT_TRUE(near(-(+a), D(-1.0, -1.0 / 7.0), 1e-15));
  EXPECT_TRUE(D(1.0, 5.0) == D(1.0, -2.0));  // comparisons look at values alone
  EXPECT_TRUE(D(1.0, 5.0) < D(2.0, 0.0) && D(2.0, 0.0) > 1.0 && D(1.0) <= 1.0 && D(1.0) >= 1.0 && D(1.0) != 2.0);
  EXPECT_FALSE(isfinite(D(1.0, std::nan(""))));
  EXPECT_EQ(value_of(DD(D(3.0, 1.0), D(2.0, 0.0))), 3.0);
}

TEST(DualNumbers, PowersStartAtZero) {
  const D root = pow(D(0.0, 1.0), D(1.5));
  EXPECT_EQ(root.value, 0.0);
  EXPECT_EQ(root.derivative, 0.0);
  // Whole exponents that come as numbers, at every depth that time functions use.
  for (const double n : {0.0, 1.0, 2.0, 3.0}) {
    SCOPED_TRACE(n);
    expect_jet(jet_of([n](auto y) { return pow(y, DD(n)); }, 0.0), n == 0.0 ? 1 : 0, n == 1.0 ? 1 : 0,
               n == 2.0 ? 2 : 0);
    using DDD = Dual<DD>;
    const DDD t(DD(D(0.0, 1.0), D(1.0)), DD(D(1.0), D(0.0)));
    const DDD y = pow(t, DDD(n));
    EXPECT_EQ(y.derivative.derivative.derivative, n == 3.0 ? 6.0 : 0.0);
  }
  expect_jet(jet_of([](auto y) { return pow(y, DD(3.0)); }, -2.0), -8, 12, -12);
}

TEST(DualNumbers, TimeFunctionsGiveJets) {
  const TimeFunction f = of_time("2*sin(3*t) + t^3 - t^1.5");
  const double t = 0.7;
  const Jet<double> jet = f.jet(t);
  EXPECT_NEAR(jet.value, 2 * std::sin(2.1) + std::pow(t, 3) - std::pow(t, 1.5), 1e-14);
  EXPECT_NEAR(jet.rate, 6 * std::cos(2.1) + 3 * t * t - 1.5 * std::sqrt(t), 1e-13);
  EXPECT_NEAR(jet.acceleration, -18 * std::sin(2.1) + 6 * t - 0.75 / std::sqrt(t), 1e-13);
  const Jet<D> dual = f.jet(D(t, 1.0));
  EXPECT_NEAR(dual.value.derivative, jet.rate, 1e-13);
  EXPECT_NEAR(dual.rate.derivative, jet.acceleration, 1e-13);
  EXPECT_TRUE(TimeFunction(2.0).is_constant());
  EXPECT_EQ(TimeFunction(2.0).jet(t).value, 2.0);
  EXPECT_EQ(TimeFunction(2.0).jet(t).rate, 0.0);
}

TEST(Scalars, AnglesWrapAndUnwrap) {
  for (const double x : {-9.0, -3.0, 0.0, 1.0, 3.1, 7.0, 100.0}) {
    EXPECT_LE(std::abs(wrap_angle(x)), pi + 1e-12);
    EXPECT_NEAR(std::sin(wrap_angle(x)), std::sin(x), 1e-12);
    EXPECT_NEAR(unwrap_angle(wrap_angle(x), x + 3.0), x, 1e-12);
    EXPECT_NEAR(unwrap_angle(D(x, 2.0), 50.0).derivative, 2.0, 0.0);
  }
}

}  // namespace
}  // namespace tandem::test
