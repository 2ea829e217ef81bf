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
  for (const std::string text : {"(t - 1)/abs(t - 1)", "atan2(1 - t, -1)", "atan(1/(t - 1))", "atan2(0, 1 - t)",
                                 "atan2(min(0, t - 1), -1)", "atan2((t - 1)^2, t - 1)", "atan2(t - 1, t - 1)"}) {
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
  for (const std::string text : {"atan2(t - 1, 1)", "atan2(1, t - 1)", "atan2(0, 1 + t)", "atan2((t - 1)^2, -1)"})
    EXPECT_TRUE(breaks_of(text).empty()) << text;
  EXPECT_FALSE(breaks_of("min(t, 3)").front().is_jump());
}

// atan2(0, -1) is π, and negative on both sides of it.
TEST(TimeBreaks, OfAValueAtOneMomentAlone) {
  const std::vector<TimeBreak> found = breaks_of("atan2(0 - (t - 1)^2, -1)");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].before, 1.0);
  EXPECT_GT(found[0].after, 1.0);
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

// Where all parts are of one length none is a peak, and a step of a period sees nothing of the wave.
TEST(TimePeaks, FastWavesLimitTheStepEverywhere) {
  for (const std::string text : {"sin(2*pi*100*t)", "exp(sin(2*pi*100*t))"}) {
    const TimePeaks found = peaks_of(text, 2.0);
    ASSERT_TRUE(found.resolved) << text;
    ASSERT_FALSE(found.limits.empty()) << text;
    EXPECT_LE(found.limits.front().from, 0.01) << text;
    EXPECT_GE(found.limits.back().to, 1.99) << text;
    for (const TimeLimit& each : found.limits) EXPECT_LE(each.step, 0.25 * 0.01) << text;
  }
  EXPECT_LE(peaks_of("sin(2*pi*100*t)", 2.0).limits.size(), 1U);  // parts of one length are one limit
}

TEST(TimePeaks, StraightLinesAreNotLookedAt) {
  for (const std::string text : {"min(t, 3)", "abs(t - 1)/2"}) EXPECT_FALSE(may_have_peaks(of_time(text))) << text;
  for (const std::string text : {"exp(-t)", "sin(t)^20", "1/(1 + t)", "sin(t^2)", "sin(3*t) + 2*t", "2*cos(t)*sin(t)"})
    EXPECT_TRUE(may_have_peaks(of_time(text))) << text;
}

std::optional<TimeEnd> end_of(const std::string& text, bool is_motion) {
  const Expression expression = of_time(text);
  const TimeFunction motion(expression);
  const Levels levels =
      is_motion ? Levels([motion](double t) { return motion.jet<double>(t); }) : force_levels(expression);
  const std::vector<TimeBreak> breaks = find_breaks(expression, levels, 0.0, 2.0);
  return find_end(levels, 0.0, 2.0, breaks);
}

TEST(TimeEnds, OfForces) {
  using What = TimeEnd::What;
  for (const auto& [text, what] :
       std::vector<std::pair<std::string, What>>{{"1/(t - 1.0037)", What::grows},
                                                 {"1/(t - 1.0037)^2", What::grows},
                                                 {"(t - 1.0037)^(-2)", What::grows},
                                                 {"abs(t - 1.0037)^(-0.5)", What::grows},
                                                 {"log(abs(t - 1.0037))", What::grows},
                                                 {"log((t - 1.0037)^2)", What::grows},
                                                 {"log(1.0037 - t)", What::grows},
                                                 {"tan(t*pi/2/1.0037)", What::grows},
                                                 {"5 + 1e-3/(t - 1.0037)", What::grows},
                                                 {"sqrt(1.0037 - t)", What::no_number_after},
                                                 {"(1.0037 - t)^0.5", What::no_number_after},
                                                 {"asin(t/1.0037)", What::no_number_after}}) {
    const std::optional<TimeEnd> end = end_of(text, false);
    ASSERT_TRUE(end) << text;
    EXPECT_EQ(end->what, what) << text;
    EXPECT_NEAR(end->t, 1.0037, 1e-14) << text;
  }
}

TEST(TimeEnds, OfMotions) {
  using Level = TimeEnd::Level;
  for (const auto& [text, level] :
       std::vector<std::pair<std::string, Level>>{{"1/(t - 1.0037)", Level::value},
                                                  {"log(1.0037 - t)", Level::value},
                                                  {"sqrt(1.0037 - t)", Level::rate},
                                                  {"sqrt(abs(t - 1.0037))", Level::rate},
                                                  {"t*log(abs(t - 1.0037))*(t - 1.0037)", Level::rate},
                                                  {"5*t + abs(t - 1.0037)^1.5", Level::acceleration}}) {
    const std::optional<TimeEnd> end = end_of(text, true);
    ASSERT_TRUE(end) << text;
    EXPECT_EQ(end->level, level) << text;
    EXPECT_NEAR(end->t, 1.0037, 1e-14) << text;
  }
}

// Kinks, jumps, steep ramps, 0/0 that has a limit, and what round-off makes of it.
TEST(TimeEnds, NoneWhereAllIsFinite) {
  for (const std::string text :
       {"min(t, 1)", "sqrt((t - 1)^2)", "(t - 1)/abs(t - 1)", "atan2(0, 1 - t)", "atan(1/(t - 1))",
        "1000*min(1,max(0,(t-1)*1e9))*min(1,max(0,(1.0015-t)*1e9))", "sin(t - 1)/(t - 1)", "(exp(t - 1) - 1)/(t - 1)",
        "sin(3*t - 3)/(t - 1)", "abs(t - 1)^2.5", "1/(1e-4 + (t - 1)^2)", "1/(1e-16 + (t - 1)^2)", "max(0, 1 - t)",
        "max(0, 1 - abs(t - 1)*1e6)", "1/(2 + sin(t))"})
    for (const bool is_motion : {false, true}) EXPECT_FALSE(end_of(text, is_motion)) << text << is_motion;
  for (const std::string text : {"sqrt(abs(t - 1))", "abs(t - 1)^0.1", "asin(sin(3*t))", "sqrt(max(0, 1 - t))"})
    EXPECT_FALSE(end_of(text, false)) << text;
}

}  // namespace
}  // namespace tandem
