// Kinks, jumps and peaks of functions of time: all of them found where they are, none where there is none.
#include "tandem/base/time_scan.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

Expression of_time(const std::string& text) {
  static const std::vector<std::string> of_what{"t"};
  return std::get<Expression>(Expression::parse(text, of_what));
}

Levels force_levels(const Expression& expression) {
  return [expression](double t) {
    return Jet<double>{expression.evaluate<double>(std::span<const double>(&t, 1)), 0.0, 0.0};
  };
}

std::vector<TimeBreak> breaks_of(const std::string& text, double to = 10.0) {
  const Expression expression = of_time(text);
  return find_breaks(expression, force_levels(expression), 0.0, to);
}

TimePeaks peaks_of(const std::string& text, double to = 10.0) {
  const Expression expression = of_time(text);
  const auto value = [&](double t) { return expression.evaluate<double>(std::span<const double>(&t, 1)); };
  const std::vector<TimeBreak> breaks = find_breaks(expression, force_levels(expression), 0.0, to);
  return find_peaks(value, 0.0, to, breaks);
}

void expect_at(const std::string& text, const std::vector<double>& moments, double to = 10.0) {
  const std::vector<TimeBreak> found = breaks_of(text, to);
  ASSERT_EQ(found.size(), moments.size()) << text;
  for (std::size_t i = 0; i < moments.size(); ++i) {
    EXPECT_LE(found[i].before, moments[i] * (1.0 + 4e-16)) << text;
    EXPECT_GE(found[i].after, moments[i] * (1.0 - 4e-16)) << text;
    EXPECT_LE(found[i].after - found[i].before, 1e-14 * moments[i]) << text;
  }
}

TEST(TimeBreaks, OfABoxPulse) {
  const std::string box = "1000*min(1,max(0,(t-5.0005)*1e9))*min(1,max(0,(5.0015-t)*1e9))";
  expect_at(box, {5.0005, 5.0005 + 1e-9, 5.0015 - 1e-9, 5.0015});
}

// Straight lines need no samples: these are a billion times shorter than the time between two.
TEST(TimeBreaks, OfStraightLinesHoweverShort) {
  const std::vector<TimeBreak> tent = breaks_of("max(0, 1 - abs(t - pi)/1e-13)");
  ASSERT_EQ(tent.size(), 3U);
  EXPECT_NEAR(tent[0].before, M_PI - 1e-13, 6e-15);
  EXPECT_NEAR(tent[1].before, M_PI, 6e-15);
  EXPECT_NEAR(tent[2].before, M_PI + 1e-13, 6e-15);
  expect_at("min(t, 3)", {3.0});
  expect_at("2*max(min(t, 3), 1)", {1.0, 3.0});
  expect_at("abs(abs(t - 5) - 1)", {4.0, 5.0, 6.0});
}

TEST(TimeBreaks, OfWaves) {
  expect_at("abs(sin(t))", {M_PI, 2.0 * M_PI, 3.0 * M_PI});
  expect_at("max(0, cos(t))", {0.5 * M_PI, 1.5 * M_PI, 2.5 * M_PI});
  expect_at("asin(sin(t))", {0.5 * M_PI, 1.5 * M_PI, 2.5 * M_PI});
}

// Both crossings lie between two samples of 1e-4 s.
TEST(TimeBreaks, BetweenTwoSamples) {
  const double half = 3e-5 * std::sqrt(-std::log(0.9));
  const std::vector<TimeBreak> found = breaks_of("max(0, exp(-((t - 5.00003)/3e-5)^2) - 0.9)");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].before, 5.00003 - half, 1e-14);
  EXPECT_NEAR(found[1].before, 5.00003 + half, 1e-14);
}

TEST(TimeBreaks, JumpsHaveTwoSides) {
  for (const std::string text : {"(t - 1)/abs(t - 1)", "atan2(1 - t, -1)", "atan(1/(t - 1))"}) {
    const Expression expression = of_time(text);
    const std::vector<TimeBreak> found = breaks_of(text);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_TRUE(found[0].is_jump()) << text;
    EXPECT_LT(found[0].before, 1.0) << text;
    EXPECT_GT(found[0].after, 1.0) << text;
    EXPECT_LE(found[0].after - found[0].before, 1e-14) << text;
    const auto at = [&](double t) { return expression.evaluate<double>(std::span<const double>(&t, 1)); };
    EXPECT_GE(std::abs(at(found[0].after) - at(found[0].before)), 1.9) << text;
  }
  EXPECT_TRUE(breaks_of("atan2(t - 1, 1)").empty());
  EXPECT_FALSE(breaks_of("min(t, 3)").front().is_jump());
}

// Of a motion, a kink is a jump of the speed.
TEST(TimeBreaks, AMotionJumpsInItsSpeed) {
  const Expression expression = of_time("min(t, 3)");
  const TimeFunction motion(expression);
  const std::vector<TimeBreak> found = find_breaks(
      expression, [&](double t) { return motion.jet<double>(t); }, 0.0, 10.0);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].is_jump());
  EXPECT_EQ(motion.jet(found[0].before).rate, 1.0);
  EXPECT_EQ(motion.jet(found[0].after).rate, 0.0);
}

TEST(TimeBreaks, WhatTouchesZero) {
  expect_at("sqrt((t - 2)^2)", {2.0});
  EXPECT_TRUE(breaks_of("sqrt(1 + (t - 2)^2)").empty());
  EXPECT_TRUE(breaks_of("abs(2 + sin(t))").empty());
}

TEST(TimeBreaks, NoneWhereAllIsSmooth) {
  for (const std::string text : {"sin(3*t)", "exp(-t)", "t^3 - 2*t", "1/(1 + t)", "5"})
    EXPECT_TRUE(breaks_of(text).empty()) << text;
}

TEST(TimePeaks, OfAGaussBell) {
  const TimePeaks found = peaks_of("3000*exp(-((t-5.0005)/0.0003)^2)");
  EXPECT_TRUE(found.resolved);
  ASSERT_FALSE(found.limits.empty());
  EXPECT_LT(found.limits.front().from, 5.0005 - 0.0006);
  EXPECT_GT(found.limits.back().to, 5.0005 + 0.0006);
  for (const TimeLimit& each : found.limits) {
    const double away = std::max({0.0, each.from - 5.0015, 4.9995 - each.to});
    EXPECT_GE(each.step, 0.2 * away);  // no shorter than the bell needs
    if (std::abs(each.from - 5.0005) < 4e-4) {
      EXPECT_LE(each.step, 4e-4);
    }
  }
}

TEST(TimePeaks, OnTopOfASlowWave) {
  const TimePeaks found = peaks_of("100*sin(t) + 1*exp(-((t-3)/0.001)^2)");
  ASSERT_FALSE(found.limits.empty());
  for (const TimeLimit& each : found.limits) EXPECT_NEAR(each.from, 3.0, 0.1);
}

TEST(TimePeaks, NoneInWhatIsSlow) {
  for (const std::string text :
       {"sin(2*pi*t)", "exp(-t)", "exp(sin(t))", "t*exp(-t/3)", "sin(t)*exp(-0.1*t)", "1e9 + exp(-t)"})
    EXPECT_TRUE(peaks_of(text).limits.empty()) << text;
}

TEST(TimePeaks, GivesUpWhereEverythingIsTooFast) {
  const TimePeaks found = peaks_of("exp(sin(1e7*t))");
  EXPECT_FALSE(found.resolved);
  EXPECT_TRUE(found.limits.empty());
}

TEST(TimePeaks, StraightLinesAndSinesAreNotLookedAt) {
  for (const std::string text : {"min(t, 3)", "sin(3*t) + 2*t", "2*cos(t)*sin(t)", "abs(t - 1)/2"})
    EXPECT_FALSE(may_have_peaks(of_time(text))) << text;
  for (const std::string text : {"exp(-t)", "sin(t)^20", "1/(1 + t)", "sin(t^2)"})
    EXPECT_TRUE(may_have_peaks(of_time(text))) << text;
}

}  // namespace
}  // namespace tandem
