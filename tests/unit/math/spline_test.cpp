// Cubic splines against the dense solution of the same conditions.
#include "tandem/math/spline.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

namespace tandem {
namespace {

// The second derivatives at all points, by one dense system: continuity of the slope, and the conditions at the ends.
Eigen::VectorXd dense_second_derivatives(const std::vector<double>& x, const std::vector<double>& y, SplineEnds ends) {
  const auto n = static_cast<Eigen::Index>(x.size()) - 1;
  const auto at = [](const std::vector<double>& v, Eigen::Index i) { return v[static_cast<std::size_t>(i)]; };
  const auto h = [&](Eigen::Index i) { return at(x, i + 1) - at(x, i); };
  const auto slope = [&](Eigen::Index i) { return (at(y, i + 1) - at(y, i)) / h(i); };
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + 1, n + 1);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + 1);
  for (Eigen::Index i = 1; i < n; ++i) {
    system(i, i - 1) = h(i - 1);
    system(i, i) = 2.0 * (h(i - 1) + h(i));
    system(i, i + 1) = h(i);
    right[i] = 6.0 * (slope(i) - slope(i - 1));
  }
  system(0, 0) = 1.0;
  if (ends == SplineEnds::periodic) {
    system(0, n) = -1.0;
    system(n, 0) = 2.0 * h(0);
    system(n, 1) += h(0);
    system(n, n - 1) += h(n - 1);
    system(n, n) += 2.0 * h(n - 1);
    right[n] = 6.0 * (slope(0) - slope(n - 1));
  } else {
    system(n, n) = 1.0;
  }
  return system.partialPivLu().solve(right);
}

class SplineOracle : public testing::TestWithParam<std::tuple<SplineEnds, int>> {};

TEST_P(SplineOracle, IsMetAtEveryPoint) {
  const auto [ends, points] = GetParam();
  std::vector<double> x, y;
  for (int i = 0; i < points; ++i) {
    x.push_back(i + 0.4 * std::sin(3.0 * i));  // uneven
    y.push_back(std::sin(1.7 * i) + 0.1 * i);
  }
  if (ends == SplineEnds::periodic) y.back() = y.front();
  const Eigen::VectorXd m = dense_second_derivatives(x, y, ends);
  const CubicSpline spline(x, y, ends);
  const double size = 1.0 + m.cwiseAbs().maxCoeff();
  for (int i = 0; i < points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Jet<double> jet = spline.jet<double>(x[k]);
    EXPECT_NEAR(jet.value, y[k], 1e-12 * size) << i;
    EXPECT_NEAR(jet.acceleration, m[i], 1e-12 * size) << i;
    if (i + 1 == points) continue;
    const double h = x[k + 1] - x[k];
    EXPECT_NEAR(jet.rate, (y[k + 1] - y[k]) / h - h * (2.0 * m[i] + m[i + 1]) / 6.0, 1e-12 * size) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(BothEnds, SplineOracle,
                         testing::Combine(testing::Values(SplineEnds::natural, SplineEnds::periodic),
                                          testing::Values(3, 4, 5, 6, 20, 101)));

TEST(Spline, OfTwoPointsIsALine) {
  const CubicSpline spline({0.0, 2.0}, {1.0, 5.0}, SplineEnds::natural);
  for (const double at : {-1.0, 0.0, 0.7, 2.0, 3.0}) {
    EXPECT_NEAR(spline.jet<double>(at).value, 1.0 + 2.0 * at, 1e-14);
    EXPECT_NEAR(spline.jet<double>(at).rate, 2.0, 1e-14);
    EXPECT_NEAR(spline.jet<double>(at).acceleration, 0.0, 1e-14);
  }
}

// As many rows as a table may have: anything that grows with their square would not fit into memory.
TEST(Spline, GoesThroughAMillionPoints) {
  for (const SplineEnds ends : {SplineEnds::natural, SplineEnds::periodic}) {
    constexpr int count = 1000000;
    std::vector<double> x, y;
    for (int i = 0; i <= count; ++i) {
      x.push_back(2e-5 * M_PI * i);
      y.push_back(std::sin(x.back()));
    }
    y.back() = y.front();
    const CubicSpline spline(x, y, ends);
    for (const double at : {1.0, 20.0, 61.8}) {
      const Jet<double> jet = spline.jet<double>(at);
      EXPECT_NEAR(jet.value, std::sin(at), 1e-12);
      EXPECT_NEAR(jet.rate, std::cos(at), 1e-8);
      EXPECT_NEAR(jet.acceleration, -std::sin(at), 1e-5);
    }
  }
}

}  // namespace
}  // namespace tandem
