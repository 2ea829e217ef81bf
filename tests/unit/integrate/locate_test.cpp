// Events within a step: the first one, however short, and none that is not there.
#include "tandem/integrate/locate.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

std::optional<double> first(const OfMoment& of, double from, double to, int parts) {
  const std::optional<Rise> rise = first_rise(of, {from, of(from)}, {to, of(to)}, parts);
  if (!rise) return std::nullopt;
  EXPECT_LE(rise->below.value, 0.0);
  EXPECT_GT(rise->above.value, 0.0);
  return find_moment(of, *rise).t;
}

TEST(Locate, TheFirstOfSeveralCrossings) {  // a spring that swings one and a half times in the step
  const auto of = [](double t) { return -0.999 - std::cos(100.0 * t); };
  const std::optional<double> t = first(of, 0.0, 0.0938, 12);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 0.01 * std::acos(-0.999), 1e-15);
}

TEST(Locate, APeakThatIsBelowZeroAtAllParts) {
  for (const double x : {0.0, 0.13, 0.25, 0.31, 0.499, 0.77, 0.9, 0.99})
    for (const int parts : {2, 4, 12}) {
      const auto of = [x](double t) { return 1e-6 - (t - x) * (t - x); };
      const std::optional<double> t = first(of, x < 0.01 ? -0.5 : -0.01, 1.01, parts);
      ASSERT_TRUE(t) << x << " in " << parts;
      EXPECT_NEAR(*t, x - 1e-3, 1e-12) << x;
    }
}

TEST(Locate, ATentIsFoundToo) {
  for (const double x : {0.13, 0.31, 0.49, 0.77, 0.9}) {
    const auto of = [x](double t) { return 1e-6 - std::abs(t - x); };
    const std::optional<double> t = first(of, 0.0, 1.0, 4);
    ASSERT_TRUE(t) << x;
    EXPECT_NEAR(*t, x - 1e-6, 1e-12) << x;
  }
}

TEST(Locate, NothingWhereNothingRises) {
  EXPECT_FALSE(first([](double t) { return -1e-9 - (t - 0.3) * (t - 0.3); }, 0.0, 1.0, 4));
  EXPECT_FALSE(first([](double t) { return -1.001 - std::cos(9.0 * t); }, 0.0, 1.0, 12));
  EXPECT_FALSE(first([](double t) { return 1.0 - t; }, 0.0, 0.9, 4));  // above all the time: it has to fall first
}

TEST(Locate, WhatIsAboveHasToFallFirst) {
  const std::optional<double> t = first([](double x) { return std::cos(9.0 * x); }, 0.0, 1.0, 12);
  ASSERT_TRUE(t);
  EXPECT_NEAR(*t, 1.5 * M_PI / 9.0, 1e-14);
}

TEST(Locate, TheLargestValueToTheRootOfRoundOff) {
  const auto of = [](double t) { return -1.0 + std::sin(t) - 0.1 * t; };
  const Moment top = find_largest(of, {0.0, of(0.0)}, {3.0, of(3.0)});
  EXPECT_NEAR(top.t, std::acos(0.1), 1e-6);
  EXPECT_NEAR(top.value, -1.0 + std::sin(std::acos(0.1)) - 0.1 * std::acos(0.1), 1e-14);
}

TEST(Locate, AnyParabolaIsSeenFromItsValues) {
  for (int i = 0; i <= 20; ++i) {
    const double x = i / 20.0, before = -(1.0 + x) * (1.0 + x), from = -x * x, to = -(1.0 - x) * (1.0 - x);
    EXPECT_TRUE(may_rise(before + 1e-6, from + 1e-6, to + 1e-6)) << x;
  }
  EXPECT_FALSE(may_rise(-12.0, -11.0, -10.0));
}

}  // namespace
}  // namespace tandem
