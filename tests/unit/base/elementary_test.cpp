// The functions of the library against those of the C library in extended precision.
#include "tandem/base/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tandem/base/dual.hpp"

namespace tandem {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// In units in the last place of the right value.
double off_by(double value, long double right) {
  const int exponent = right == 0.0L ? -1022 : std::max(-1022, std::ilogb(static_cast<double>(right)));
  return static_cast<double>(std::abs(value - right)) / std::ldexp(1.0, exponent - 52);
}

using Function = double (*)(double);
using Right = long double (*)(long double);

double worst_of(Function f, Right right, const std::vector<double>& numbers) {
  double most = 0.0;
  for (const double x : numbers) most = std::max(most, off_by(f(x), right(x)));
  return most;
}
std::vector<double> between(double low, double high, std::size_t count = 50000) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(low, high);
  std::vector<double> out(count);
  for (double& x : out) x = number(random);
  return out;
}
// Of all sizes and both signs.
std::vector<double> of_any_size(double least, double most) {
  std::vector<double> out = between(std::log(least), std::log(most));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::exp(out[i]) * (i % 2 == 0 ? 1.0 : -1.0);
  return out;
}

TEST(Elementary, TurnsAreRightToTheLastPlace) {
  std::vector<std::vector<double>> sets{of_any_size(1e-300, 1.7e308)};
  for (const double range : {1e-8, 0.8, 4.0, 100.0, 1e6, 1e9, 1e22}) sets.push_back(between(-range, range));
  for (const std::vector<double>& angles : sets) {
    EXPECT_LT(worst_of(sin, std::sin, angles), 0.8) << angles[0];
    EXPECT_LT(worst_of(cos, std::cos, angles), 0.8) << angles[0];
    EXPECT_LT(worst_of(tan, std::tan, angles), 1.0) << angles[0];
  }
}

// There one of the two is small, and all its digits come from the last digits of π.
TEST(Elementary, TurnsAreRightNextToWholeQuarters) {
  std::vector<double> angles(1000000);
  for (std::size_t k = 0; k < angles.size(); ++k)
    angles[k] = static_cast<double>(static_cast<long double>(k + 1) * 1.57079632679489661923132169163975144L);
  angles.push_back(6381956970095103.0 * 0x1p797);  // of all doubles the nearest to a whole number of quarters
  EXPECT_LT(worst_of(sin, std::sin, angles), 0.6);
  EXPECT_LT(worst_of(cos, std::cos, angles), 0.6);
  EXPECT_LT(worst_of(tan, std::tan, angles), 0.6);
}

TEST(Elementary, PacksOfAnglesGiveTheSameBits) {
  std::vector<double> all = between(-1000.0, 1000.0);
  for (const double x : {0.0, -0.0, 1e5, 2e6, 1e300, 0.5 * M_PI, 5.0e5 * M_PI, std::nan(""), infinity})
    all.push_back(x);
  const Eigen::ArrayXd angles = Eigen::Map<const Eigen::ArrayXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  Eigen::ArrayXd sines(angles.size()), cosines(angles.size());
  sines_and_cosines(angles, sines, cosines);
  for (Eigen::Index i = 0; i < angles.size(); ++i) {
    if (!std::isfinite(angles[i])) {
      EXPECT_TRUE(std::isnan(sines[i]) && std::isnan(cosines[i]));
      continue;
    }
    EXPECT_EQ(sines[i], sin(angles[i])) << angles[i];
    EXPECT_EQ(std::signbit(sines[i]), std::signbit(sin(angles[i]))) << angles[i];
    EXPECT_EQ(cosines[i], cos(angles[i])) << angles[i];
  }
}

TEST(Elementary, ArcsAreRightToTheLastPlace) {
  for (const auto& [low, high] : {std::pair(-1e-6, 1e-6), {-1.0, 1.0}, {0.99, 1.0}, {-1.0, -0.9999}}) {
    EXPECT_LT(worst_of(asin, std::asin, between(low, high)), 0.6) << low;
    EXPECT_LT(worst_of(acos, std::acos, between(low, high)), 0.6) << low;
  }
  for (const auto& numbers : {between(-1.0, 1.0), between(-20.0, 20.0), of_any_size(1e-300, 1e300)})
    EXPECT_LT(worst_of(atan, std::atan, numbers), 0.6);
  for (const auto& [y, x] : {std::pair(1.0, 1.0), {1e-8, 1.0}, {1.0, 1e-3}, {1e307, 1e307}, {1e-305, 1e-305}}) {
    const std::vector<double> ys = between(-y, y), xs = between(-0.9 * x, x);
    double most = 0.0;
    for (std::size_t i = 0; i < ys.size(); ++i)
      for (const double across : {xs[i], -xs[ys.size() - 1 - i]})
        most = std::max(most, off_by(atan2(ys[i], across),
                                     std::atan2(static_cast<long double>(ys[i]), static_cast<long double>(across))));
    EXPECT_LT(most, 0.6) << y << " " << x;
  }
}

TEST(Elementary, PowersAreRightToTheLastPlace) {
  for (const double range : {1e-6, 0.5, 10.0, 700.0})
    EXPECT_LT(worst_of(exp, std::exp, between(-range, range)), 0.7) << range;
  for (const auto& numbers : {between(0.0, 2.0), between(0.999, 1.001), between(0.0, 1e300)})
    EXPECT_LT(worst_of(log, std::log, numbers), 0.6);
  for (const auto& [low, high, most_y] :
       {std::tuple(0.0, 2.0, 3.0), {0.0, 10.0, 290.0}, {0.9, 1.1, 6500.0}, {1e-9, 1e9, 0.2}}) {
    const std::vector<double> xs = between(low, high), ys = between(-most_y, most_y);
    double most = 0.0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double y = ys[ys.size() - 1 - i];
      const long double right = std::pow(static_cast<long double>(xs[i]), static_cast<long double>(y));
      if (right > 1e-307L && right < 1e307L) most = std::max(most, off_by(pow(xs[i], y), right));
    }
    EXPECT_LT(most, 0.7) << high;
  }
  // What has no digits after the point stays so.
  EXPECT_EQ(pow(3.0, 5.0), 243.0);
  EXPECT_EQ(pow(10.0, 22.0), 1e22);
  EXPECT_EQ(pow(2.0, -1074.0), 0x1p-1074);
  EXPECT_EQ(pow(1024.0, 0.1), 2.0);
}

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::signbit(a) == std::signbit(b) && (a == b || std::abs(a - b) <= 2.3e-16 * std::abs(b));
}

TEST(Elementary, ZerosInfinitiesAndWhatIsNotANumberAreAsInC) {
  const std::vector<double> numbers{0.0,   -0.0,  1.0,    -1.0,     0.5,       -0.5,        2.0, -2.0,
                                    3.0,   -3.0,  1e300,  -1e300,   1e-300,    5e-324,      2.5, -0x1p53,
                                    1e308, 709.5, -740.0, infinity, -infinity, std::nan("")};
  for (const double x : numbers) {
    EXPECT_TRUE(same(sin(x), std::sin(x))) << x;
    EXPECT_TRUE(same(cos(x), std::cos(x))) << x;
    EXPECT_TRUE(same(tan(x), std::tan(x))) << x;
    EXPECT_TRUE(same(asin(x), std::asin(x))) << x;
    EXPECT_TRUE(same(acos(x), std::acos(x))) << x;
    EXPECT_TRUE(same(atan(x), std::atan(x))) << x;
    EXPECT_TRUE(same(exp(x), std::exp(x))) << x;
    EXPECT_TRUE(same(log(x), std::log(x))) << x;
    for (const double y : numbers) {
      EXPECT_TRUE(same(pow(x, y), std::pow(x, y))) << x << " " << y;
      EXPECT_TRUE(same(atan2(x, y), std::atan2(x, y))) << x << " " << y;
    }
  }
}

TEST(Elementary, DualsTakeTheSameFunctions) {
  for (const double x : between(0.1, 0.9, 1000)) {
    const Dual<double> number{x, 1.0};
    EXPECT_EQ(sin(number).value, sin(x));
    EXPECT_EQ(sin(number).derivative, cos(x));
    EXPECT_EQ(tan(number).value, tan(x));
    EXPECT_EQ(asin(number).value, asin(x));
    EXPECT_EQ(acos(number).value, acos(x));
    EXPECT_EQ(atan2(number, Dual<double>(0.3)).value, atan2(x, 0.3));
    EXPECT_EQ(exp(number).value, exp(x));
    EXPECT_EQ(log(number).value, log(x));
    EXPECT_EQ(pow(number, Dual<double>(1.7)).value, pow(x, 1.7));
  }
}

}  // namespace
}  // namespace tandem
