#include "tandem/base/expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "tandem/base/dual.hpp"

namespace tandem {
namespace {

using std::numbers::pi;
using D1 = Dual<double>;
using D2 = Dual<D1>;

const std::vector<std::string> names = {"t", "x", "length"};

Expression parsed(std::string_view text) {
  auto result = Expression::parse(text, names);
  if (const auto* error = std::get_if<ExpressionError>(&result)) {
    ADD_FAILURE() << text << ": column " << error->column << ": " << error->message;
    return std::get<Expression>(Expression::parse("0", names));
  }
  return std::get<Expression>(std::move(result));
}

double value(std::string_view text, double t = 0.0, double x = 0.0, double length = 0.0) {
  return parsed(text).evaluate<double>(std::array{t, x, length});
}

ExpressionError error_of(std::string_view text, std::span<const std::string> known = names) {
  auto result = Expression::parse(text, known);
  if (const auto* error = std::get_if<ExpressionError>(&result)) return *error;
  return {999999, "no error"};
}

void expect_error(std::string_view text, std::size_t column, std::string_view message) {
  const ExpressionError error = error_of(text);
  EXPECT_EQ(error.column, column) << text;
  EXPECT_EQ(error.message, message) << text;
}

std::string repeat(std::string_view piece, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += piece;
  return result;
}

// Value, first and second derivative by t at t.
std::array<double, 3> derivatives(std::string_view text, double t) {
  const std::array<D2, 3> values = {D2(D1(t, 1.0), D1(1.0, 0.0)), D2(0.0), D2(0.0)};
  const D2 result = parsed(text).evaluate<D2>(values);
  return {result.value.value, result.derivative.value, result.derivative.derivative};
}

void expect_derivatives(std::string_view text, double t, std::array<double, 3> expected) {
  const std::array<double, 3> actual = derivatives(text, t);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-12 * (1.0 + std::abs(expected[i]))) << text << ", derivative " << i;
  }
}

TEST(Expression, ReadsNumbers) {
  EXPECT_EQ(value("1"), 1.0);
  EXPECT_EQ(value("1.5"), 1.5);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("1."), 1.0);
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("2.5E+2"), 250.0);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value(" \t\n1 + 1\r\n"), 2.0);
}

TEST(Expression, FollowsPrecedence) {
  EXPECT_EQ(value("1+2*3"), 7.0);
  EXPECT_EQ(value("(1+2)*3"), 9.0);
  EXPECT_EQ(value("10-4-3"), 3.0);
  EXPECT_EQ(value("16/4/2"), 2.0);
  EXPECT_EQ(value("2*3^2"), 18.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("(2^3)^2"), 64.0);
  EXPECT_EQ(value("6/2*3"), 9.0);
}

TEST(Expression, HandlesSigns) {
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("(-2)^2"), 4.0);
  EXPECT_EQ(value("2^-1"), 0.5);
  EXPECT_EQ(value("2^-2^2"), 1.0 / 16.0);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value("1--1"), 2.0);
  EXPECT_EQ(value("+-+-5"), 5.0);
  EXPECT_EQ(value("-x^2", 0, 3), -9.0);
  EXPECT_EQ(value("2^-x", 0, 1), 0.5);
  EXPECT_EQ(value("- x - -x", 0, 3), 0.0);
}

TEST(Expression, KnowsItsFunctions) {
  for (const double v : {0.3, 0.7}) {
    EXPECT_DOUBLE_EQ(value("sin(t)", v), std::sin(v));
    EXPECT_DOUBLE_EQ(value("cos(t)", v), std::cos(v));
    EXPECT_DOUBLE_EQ(value("tan(t)", v), std::tan(v));
    EXPECT_DOUBLE_EQ(value("asin(t)", v), std::asin(v));
    EXPECT_DOUBLE_EQ(value("acos(t)", v), std::acos(v));
    EXPECT_DOUBLE_EQ(value("atan(t)", v), std::atan(v));
    EXPECT_EQ(value("sqrt(t)", v), std::sqrt(v));
    EXPECT_DOUBLE_EQ(value("exp(t)", v), std::exp(v));
    EXPECT_DOUBLE_EQ(value("log(t)", v), std::log(v));
    EXPECT_EQ(value("abs(-t)", v), v);
    EXPECT_DOUBLE_EQ(value("atan2(t, -x)", v, 2.0), std::atan2(v, -2.0));
    EXPECT_EQ(value("min(t, x)", v, 0.5), std::min(v, 0.5));
    EXPECT_EQ(value("max(t, x)", v, 0.5), std::max(v, 0.5));
    EXPECT_DOUBLE_EQ(value("pow(t, x)", v, 0.5), std::pow(v, 0.5));
  }
  EXPECT_EQ(value("cos ( pi )"), -1.0);
  EXPECT_EQ(value("2*pi"), 2.0 * pi);
}

TEST(Expression, RaisesToIntegerPowersByMultiplication) {
  EXPECT_EQ(value("x^3", 0, -2), -8.0);
  EXPECT_EQ(value("pow(x, 3)", 0, -2), -8.0);
  EXPECT_EQ(value("x^(1+2)", 0, -2), -8.0);
  EXPECT_EQ(value("x^-3", 0, -2), -0.125);
  EXPECT_EQ(value("x^0", 0, 0), 1.0);
  EXPECT_EQ(value("x^1", 0, 5), 5.0);
  EXPECT_EQ(value("x^64", 0, 2), 0x1p64);
  EXPECT_EQ(value("x^-64", 0, -2), 0x1p-64);
  EXPECT_EQ(value("x^65", 0, 2), 0x1p65);
  EXPECT_EQ(value("x^0.5", 0, 2), std::pow(2.0, 0.5));
  EXPECT_TRUE(std::isnan(value("x^0.5", 0, -2)));
}

TEST(Expression, LeavesNonfiniteResultsToTheCaller) {
  EXPECT_EQ(value("1/0"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(value("sqrt(x)", 0, -1)));
}

TEST(Expression, TellsWhatItUses) {
  EXPECT_EQ(parsed("length*t + t").used_names(), (std::vector<std::size_t>{0, 2}));
  EXPECT_FALSE(parsed("x^0").is_constant());
  EXPECT_TRUE(parsed("2*sin(pi/3)").is_constant());
  EXPECT_EQ(parsed(" t + 1 ").text(), " t + 1 ");
  EXPECT_THROW(parsed("t").evaluate<double>(std::array{1.0}), std::invalid_argument);
  const std::vector<std::string> hiding = {"pi", "sin"};
  const auto both = std::get<Expression>(Expression::parse("pi + sin + sin(0)", hiding));
  EXPECT_EQ(both.evaluate<double>(std::array{10.0, 5.0}), 15.0);
}

TEST(Expression, GivesExactDerivatives) {
  const double t = 0.4;
  const double w = 2.0 * pi;
  expect_derivatives("0.5*sin(2*pi*t)", t,
                     {0.5 * std::sin(w * t), 0.5 * w * std::cos(w * t), -0.5 * w * w * std::sin(w * t)});
  expect_derivatives("cos(t)", t, {std::cos(t), -std::sin(t), -std::cos(t)});
  expect_derivatives("exp(-t)", t, {std::exp(-t), -std::exp(-t), std::exp(-t)});
  expect_derivatives("log(t)", t, {std::log(t), 1 / t, -1 / (t * t)});
  expect_derivatives("sqrt(t)", t, {std::sqrt(t), 0.5 / std::sqrt(t), -0.25 / (t * std::sqrt(t))});
  const double g = std::tan(t);
  expect_derivatives("tan(t)", t, {g, 1 + g * g, 2 * g * (1 + g * g)});
  const double q = 1 - t * t;
  expect_derivatives("asin(t)", t, {std::asin(t), 1 / std::sqrt(q), t / (q * std::sqrt(q))});
  expect_derivatives("acos(t)", t, {std::acos(t), -1 / std::sqrt(q), -t / (q * std::sqrt(q))});
  const double p = 1 + t * t;
  expect_derivatives("atan(t)", t, {std::atan(t), 1 / p, -2 * t / (p * p)});
  expect_derivatives("atan2(t, 1)", t, {std::atan(t), 1 / p, -2 * t / (p * p)});
  const double two = std::pow(2.0, t);
  const double ln2 = std::numbers::ln2;
  expect_derivatives("2^t", t, {two, ln2 * two, ln2 * ln2 * two});
  expect_derivatives("t^2.5", t, {std::pow(t, 2.5), 2.5 * std::pow(t, 1.5), 3.75 * std::pow(t, 0.5)});
  expect_derivatives("min(t, t^2)", t, {t * t, 2 * t, 2});
  expect_derivatives("max(t, t^2)", t, {t, 1, 0});
  expect_derivatives("abs(t^3)", -t, {t * t * t, -3 * t * t, 6 * t});
  expect_derivatives("1/t", t, {1 / t, -1 / (t * t), 2 / (t * t * t)});
}

TEST(Expression, IntegerPowersHaveDerivativesWhereLogarithmsDoNot) {
  expect_derivatives("t^3", 0.0, {0, 0, 0});
  expect_derivatives("t^2", 0.0, {0, 0, 2});
  expect_derivatives("t^0", 0.0, {1, 0, 0});
  expect_derivatives("t^3", -2.0, {-8, 12, -12});
  expect_derivatives("t^-2", -2.0, {0.25, 0.25, 0.375});
  expect_derivatives("t + sqrt(0)*t", 1.0, {1, 1, 0});  // sqrt(0) is a plain number here, with no derivative
  const std::array<D1, 3> values = {D1(-2.0, 1.0), D1(0.0), D1(0.0)};
  EXPECT_EQ(parsed("t^2").evaluate<D1>(values).derivative, -4.0);
}

TEST(Expression, ExplainsUnknownWords) {
  expect_error("1 + lenght", 4, "unknown name \"lenght\"; did you mean \"length\"?");
  expect_error("Length", 0, "unknown name \"Length\"; did you mean \"length\"?");
  expect_error("2*PI", 2, "unknown name \"PI\"; did you mean \"pi\"?");
  expect_error("sine", 0, "unknown name \"sine\"; did you mean \"sin\"?");
  expect_error("foo", 0, "unknown name \"foo\"; known here: t, x, length, pi");
  expect_error("1+sine(t)", 2, "unknown function \"sine\"; did you mean \"sin\"?");
  expect_error("ln(t)", 0,
               "unknown function \"ln\"; the functions are sin, cos, tan, asin, acos, atan, sqrt, exp, log, abs, "
               "atan2, min, max, pow");
  expect_error("2*sin t", 2, "\"sin\" is a function; write sin(...)");
  expect_error("sin", 0, "\"sin\" is a function; write sin(...)");
  expect_error("x (2)", 2, "\"x\" is not a function; for a product write x*(...)");
  EXPECT_EQ(error_of("foo", {}).message, "unknown name \"foo\"; known here: pi");
  EXPECT_LT(error_of(repeat("q", 4000)).message.size(), 200U);
}

TEST(Expression, ExplainsWrongCalls) {
  expect_error("1+sin()", 2, "\"sin\" takes 1 argument, but 0 are given");
  expect_error("sin(1, 2)", 0, "\"sin\" takes 1 argument, but 2 are given");
  expect_error("max(1)", 0, "\"max\" takes 2 arguments, but 1 is given");
  expect_error("max(1, 2, 3)", 0, "\"max\" takes 2 arguments, but 3 are given");
  expect_error("max(1,)", 6, "expected a number, a name or \"(\", but found \")\"");
}

TEST(Expression, ExplainsWrongParentheses) {
  expect_error("2*(1+3", 6, "missing \")\" for the \"(\" opened at character 3");
  expect_error("sin((t)", 7, "missing \")\" for the \"(\" opened at character 4");
  expect_error("(1))", 3, "\")\" without a \"(\" before it");
  expect_error("2*()", 2, "there is nothing between the parentheses");
  expect_error("(1, 2)", 2, "unexpected \",\"; a decimal point is written \".\"");
}

TEST(Expression, ExplainsMissingAndStrayParts) {
  expect_error("", 0, "the expression is empty");
  expect_error("  \t", 0, "the expression is empty");
  expect_error("2x", 1, "missing operator; for a product write 2*x");
  expect_error("1 + 2 length", 6, "missing operator; for a product write 2*length");
  expect_error("2(t+1)", 1, "missing operator; for a product write 2*(...)");
  expect_error("(t)(x)", 3, "missing operator; for a product write (...)*(...)");
  expect_error("2^3x", 3, "missing operator; for a product write 3*x");
  expect_error("2**3", 1, "\"**\" is not an operator; use ^ for a power");
  expect_error("1+", 2, "expected a number, a name or \"(\", but found the end");
  expect_error("1+*2", 2, "expected a number, a name or \"(\", but found \"*\"");
  expect_error("^2", 0, "expected a number, a name or \"(\", but found \"^\"");
  expect_error("1 = 2", 2, "unexpected \"=\"");
  expect_error("1,5", 1, "unexpected \",\"; a decimal point is written \".\"");
}

TEST(Expression, ExplainsBadNumbersAndBytes) {
  expect_error("2+1.2.3", 2, "\"1.2.3\" is not a number");
  expect_error("1+.", 2, "\".\" alone is not a number");
  expect_error("1e999", 0, "the number 1e999 is out of range");
  expect_error("1 \u2212 t", 2, "unexpected \"\u2212\"; write -");
  expect_error("2\u00d7t", 1, "unexpected \"\u00d7\"; write *");
  expect_error("2*\u03c0", 2, "expected a number, a name or \"(\", but found \"\u03c0\"; write pi");
  expect_error("1\xff", 1, "unexpected byte 0xFF; only plain ASCII text is allowed");
  expect_error(std::string_view("1\0", 2), 1, "unexpected byte 0x00; only plain ASCII text is allowed");
  expect_error(std::string_view("\0", 1), 0,
               "expected a number, a name or \"(\", but found byte 0x00; only plain ASCII text is allowed");
}

TEST(Expression, LimitsLength) {
  EXPECT_EQ(value("1" + repeat(" ", 4095)), 1.0);
  expect_error("1" + repeat(" ", 4096), 4096,
               "the expression is longer than 4096 bytes; split it into parameters, or allow more with --limit "
               "expression=BYTES");
  EXPECT_EQ(value(repeat("t+", 2047) + "t", 1.0), 2048.0);
  EXPECT_EQ(value(repeat("-", 4095) + "t", 1.0), -1.0);
}

TEST(Expression, LimitsNesting) {
  const std::string message =
      "the expression is nested more than 64 levels deep; split it into parameters, or allow more with --limit "
      "depth=NUMBER";
  EXPECT_EQ(value(repeat("(", 64) + "1" + repeat(")", 64)), 1.0);
  expect_error(repeat("(", 65) + "1" + repeat(")", 65), 64, message);
  EXPECT_EQ(value(repeat("abs(", 64) + "t" + repeat(")", 64), -3.0), 3.0);
  expect_error(repeat("abs(", 65), 4 * 64 + 3, message);
  EXPECT_EQ(value(repeat("t^", 64) + "t", 1.0), 1.0);
  expect_error(repeat("t^", 65) + "t", 64 * 2 + 1, message);
  expect_error(repeat("2^-", 1000) + "1", 64 * 3 + 1, message);
  expect_error(repeat("(", 4096), 64, message);
  EXPECT_EQ(value(repeat("(t)+", 500) + "t", 1.0), 501.0);  // side by side is not nested
  EXPECT_EQ(value(repeat("t^t*", 500) + "t", 1.0), 1.0);
}

TEST(Expression, LimitsTheStack) {
  // Each level leaves three values pending, so the stack runs out before the nesting does.
  const auto nested = [](std::size_t levels) { return repeat("max(t,t+t*", levels) + "t" + repeat(")", levels); };
  EXPECT_EQ(value(nested(42), 1.0), 43.0);  // 127 values
  expect_error(nested(43), 0, "the expression holds more than 128 intermediate values at once; split it up");
  expect_derivatives("0+" + nested(20), 1.0, derivatives(nested(20), 1.0));
}

TEST(Expression, SurvivesRandomText) {
  std::mt19937 random(20240117);
  const std::vector<std::string> pieces = {"t", "x",    "pi",   "1",      ".5", "1e3", "+",      "-",
                                           "*", "/",    "^",    "(",      ")",  "(",   ")",      ",",
                                           " ", "sin(", "max(", "atan2(", "2",  "64",  "length", "q"};
  std::size_t accepted = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string text;
    const std::size_t size = random() % 40;
    for (std::size_t i = 0; i < size; ++i) {
      text += round % 3 == 0 ? std::string(1, static_cast<char>(random() % 256)) : pieces[random() % pieces.size()];
    }
    const auto result = Expression::parse(text, names);
    if (const auto* error = std::get_if<ExpressionError>(&result)) {
      ASSERT_LE(error->column, text.size()) << text;
      ASSERT_FALSE(error->message.empty()) << text;
    } else {
      ++accepted;
      std::get<Expression>(result).evaluate<D2>(std::array{D2(0.5), D2(1.5), D2(2.5)});
    }
  }
  EXPECT_GT(accepted, 500U);  // otherwise the loop would say little about evaluation
}

}  // namespace
}  // namespace tandem
