#include "tandem/math/sines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tandem {
namespace {

struct Both {
  Eigen::ArrayXd sines, cosines;
};
Both both(const Eigen::ArrayXd& angles) {
  Both out{Eigen::ArrayXd(angles.size()), Eigen::ArrayXd(angles.size())};
  sines_and_cosines(angles, out.sines, out.cosines);
  return out;
}

// In units in the last place of the right value.
double off_by(double value, long double right) {
  const double unit = std::ldexp(1.0, std::ilogb(static_cast<double>(right)) - 52);
  return static_cast<double>(std::abs(value - right)) / unit;
}
double largest_error(const Eigen::ArrayXd& angles) {
  const Both found = both(angles);
  double most = 0.0;
  for (Eigen::Index i = 0; i < angles.size(); ++i) {
    const long double x = angles[i];
    most = std::max({most, off_by(found.sines[i], std::sin(x)), off_by(found.cosines[i], std::cos(x))});
  }
  return most;
}

TEST(Sines, AreRightToTheLastPlace) {
  std::mt19937_64 random(1);
  for (const double range : {1e-8, 0.8, 4.0, 100.0, 1e5, 1e6, 1e9}) {
    std::uniform_real_distribution<double> number(-range, range);
    Eigen::ArrayXd angles(100003);  // not a whole number of packs
    for (double& angle : angles) angle = number(random);
    EXPECT_LT(largest_error(angles), 0.8) << range;
  }
}

// There one of the two is small, and all its digits come from the last part of π/2.
TEST(Sines, AreRightNextToWholeQuarters) {
  Eigen::ArrayXd angles(600000);
  for (Eigen::Index k = 0; k < angles.size(); ++k)
    angles[k] = static_cast<double>(static_cast<long double>(k + 1) * 1.57079632679489661923132169163975144L);
  EXPECT_LT(largest_error(angles), 1.1);
}

TEST(Sines, AreExactAtZeroAndKeepWhatIsNotANumber) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Eigen::ArrayXd angles(5);
  angles << 0.0, 2e6, std::nan(""), infinity, 1.0;
  const Both found = both(angles);
  EXPECT_EQ(found.sines[0], 0.0);
  EXPECT_EQ(found.cosines[0], 1.0);
  EXPECT_EQ(found.sines[1], std::sin(2e6));
  for (const Eigen::Index i : {2, 3}) {
    EXPECT_TRUE(std::isnan(found.sines[i]));
    EXPECT_TRUE(std::isnan(found.cosines[i]));
  }
  EXPECT_EQ(found.sines[4], std::sin(1.0));
}

}  // namespace
}  // namespace tandem
