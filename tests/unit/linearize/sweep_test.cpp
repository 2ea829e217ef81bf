// Sweeps over matrices with known eigenvalues: modes keep their identity, crossings are found to round-off, ranges of
// stability, names, directions.
#include "tandem/linearize/sweep.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace tandem {
namespace {

using Complex = std::complex<double>;
using Eigen::MatrixXd;

// What a linearisation with this A has, as far as sweeps look at it.
Linearization linear(const MatrixXd& A) {
  Linearization out;
  out.A = A;
  if (A.rows() == 0) return out;
  out.rate_size = 1.0 + A.cwiseAbs().maxCoeff();
  out.sizes.setOnes(A.rows());
  const Eigen::EigenSolver<MatrixXd> solver(A);
  for (Eigen::Index i = 0; i < A.rows(); ++i) {
    out.states.push_back({"z" + std::to_string(i), "", false});
    LinearMode mode;
    mode.eigenvalue = solver.eigenvalues()[i];
    mode.shape = solver.eigenvectors().col(i);
    out.modes.push_back(mode);
  }
  std::stable_sort(out.modes.begin(), out.modes.end(), [](const LinearMode& a, const LinearMode& b) {
    if (a.eigenvalue.real() != b.eigenvalue.real()) return a.eigenvalue.real() > b.eigenvalue.real();
    return a.eigenvalue.imag() > b.eigenvalue.imag();
  });
  return out;
}

// Blocks with eigenvalues a (one entry) or a ± i b (two), seen through a transformation that does not depend on x.
MatrixXd mixed(const std::vector<Complex>& eigenvalues) {
  Eigen::Index n = 0;
  for (const Complex& each : eigenvalues) n += each.imag() == 0.0 ? 1 : 2;
  MatrixXd A = MatrixXd::Zero(n, n), T(n, n);
  Eigen::Index at = 0;
  for (const Complex& each : eigenvalues) {
    A(at, at) = each.real();
    if (each.imag() != 0.0) A.block<2, 2>(at, at) << each.real(), each.imag(), -each.imag(), each.real();
    at += each.imag() == 0.0 ? 1 : 2;
  }
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      T(i, j) = (i == j ? 1.0 : 0.0) + 0.3 * std::sin(1.0 + 3.0 * double(i) + double(j * j));
  return T * A * T.inverse();
}

// λ² − 2 s λ + p = 0: s ± √(s² − p), real or a pair, with a defective point between.
MatrixXd quadratic(double s, double p) { return MatrixXd{{0.0, 1.0}, {-p, 2.0 * s}}; }

std::vector<double> from_to(double from, double to, int n) {
  std::vector<double> out;
  for (int i = 0; i < n; ++i) out.push_back(from + (to - from) * i / (n - 1));
  return out;
}

template <class Matrix>
Sweep swept(const std::vector<double>& values, const Matrix& A, const std::vector<std::string>& names = {}) {
  return sweep(
      "x", values, [&](double x) { return linear(A(x)); }, names);
}

// The mode that begins at a value.
const SweepMode& beginning_at(const Sweep& sweep, const Complex& value) {
  for (const SweepMode& mode : sweep.modes)
    if (std::abs(mode.eigenvalues.front() - value) < 1e-9) return mode;
  ADD_FAILURE() << "none begins at " << value;
  return sweep.modes.front();
}

TEST(Sweep, RealModesThatCrossKeepTheirIdentity) {
  // Between points, and at one of them.
  for (const int points : {4, 5, 7, 31}) {
    const Sweep found = swept(from_to(0, 3, points), [](double x) { return mixed({-1.0 - x, -4.0 + x, -9.0}); });
    const SweepMode &down = beginning_at(found, -1.0), &up = beginning_at(found, -4.0);
    for (std::size_t k = 0; k < found.values.size(); ++k) {
      EXPECT_NEAR(down.eigenvalues[k].real(), -1.0 - found.values[k], 1e-12) << points;
      EXPECT_NEAR(up.eigenvalues[k].real(), -4.0 + found.values[k], 1e-12) << points;
      EXPECT_EQ(found.points[k].modes[static_cast<std::size_t>(up.index[k])].eigenvalue, up.eigenvalues[k]);
    }
    EXPECT_TRUE(found.crossings.empty());
    EXPECT_EQ(found.stable, (std::vector<std::pair<double, double>>{{0.0, 3.0}}));
  }
}

TEST(Sweep, PairsThatCrossInFrequencyKeepTheirIdentity) {
  const Sweep found = swept(from_to(0, 4, 9), [](double x) { return mixed({{-0.5, 3.0 + x}, {-1.0, 6.1 - x}}); });
  const SweepMode& rising = beginning_at(found, {-0.5, 3.0});
  EXPECT_NEAR(rising.eigenvalues.back().imag(), 7.0, 1e-12);
  EXPECT_NEAR(rising.eigenvalues.back().real(), -0.5, 1e-12);
  EXPECT_NEAR(beginning_at(found, {-1.0, -6.1}).eigenvalues.back().imag(), -2.1, 1e-12);
}

TEST(Sweep, TwoRealModesBecomeAPair) {
  const Sweep found = swept(from_to(0.5, 4, 8), [](double x) { return quadratic(-1.5, x); });
  const Complex a = found.modes[0].eigenvalues.back(), b = found.modes[1].eigenvalues.back();
  EXPECT_EQ(a, std::conj(b));
  EXPECT_NEAR(std::abs(a.imag()), std::sqrt(4.0 - 2.25), 1e-12);
  EXPECT_EQ(found.modes[0].name, found.modes[1].name);
  EXPECT_TRUE(found.crossings.empty());
}

TEST(Sweep, FindsWhereARealModeAndAPairCrossZero) {
  const auto real = [](double x) { return std::exp(0.5 * x) - 2.0; };                  // at x = 2 ln 2
  const auto pair = [](double x) { return Complex(2.0 - x * x * x, 3.0 + 0.1 * x); };  // at the cube root of 2
  const Sweep found = swept(from_to(0.1, 2.4, 6),
                            [&](double x) {
                              return mixed({real(x), pair(x), -7.0});
                            },
                            {"dive", "rest", "weave"});
  ASSERT_EQ(found.crossings.size(), 2U);
  const SweepCrossing &weave = found.crossings[0], &dive = found.crossings[1];
  EXPECT_NEAR(weave.value, std::cbrt(2.0), 1e-12);
  EXPECT_NEAR(dive.value, 2.0 * std::log(2.0), 1e-12);
  EXPECT_NEAR(weave.eigenvalue.imag(), 3.0 + 0.1 * std::cbrt(2.0), 1e-11);
  EXPECT_EQ(dive.eigenvalue, Complex(0.0, 0.0));
  EXPECT_FALSE(weave.loses_stability);
  EXPECT_TRUE(dive.loses_stability);
  EXPECT_EQ(found.modes[static_cast<std::size_t>(weave.mode)].name, "weave");
  EXPECT_EQ(found.modes[static_cast<std::size_t>(dive.mode)].name, "dive");
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_EQ(found.stable[0], std::pair(weave.value, dive.value));
}

// The range lies between two neighbouring points.
TEST(Sweep, StableRangesNeedNoPointInside) {
  for (const int points : {2, 3, 4}) {
    const Sweep found = swept(from_to(0, 3, points), [](double x) { return mixed({x - 1.9, Complex(1.7 - x, 2.0)}); });
    ASSERT_EQ(found.crossings.size(), 2U) << points;
    ASSERT_EQ(found.stable.size(), 1U) << points;
    EXPECT_NEAR(found.stable[0].first, 1.7, 1e-12);
    EXPECT_NEAR(found.stable[0].second, 1.9, 1e-12);
  }
}

TEST(Sweep, StableRangesMayBeSeveral) {
  const Sweep found = swept(from_to(0, 10, 21), [](double x) { return mixed({std::cos(x) - 0.1, -2.0}); });
  ASSERT_EQ(found.crossings.size(), 3U);
  const double first = std::acos(0.1), turn = 2.0 * std::acos(-1.0);
  ASSERT_EQ(found.stable.size(), 2U);
  EXPECT_NEAR(found.stable[0].first, first, 1e-12);
  EXPECT_NEAR(found.stable[0].second, turn - first, 1e-12);
  EXPECT_NEAR(found.stable[1].first, turn + first, 1e-12);
  EXPECT_EQ(found.stable[1].second, 10.0);
}

TEST(Sweep, DescendingTellsTheSame) {
  const auto A = [](double x) { return mixed({x - 2.2, Complex(1.3 - x, 2.0), -5.0}); };
  const Sweep up = swept(from_to(0, 3, 8), A), down = swept(from_to(3, 0, 8), A);
  ASSERT_EQ(up.crossings.size(), 2U);
  ASSERT_EQ(down.crossings.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(down.crossings[i].value, up.crossings[i].value, 1e-12);
    EXPECT_EQ(down.crossings[i].loses_stability, up.crossings[i].loses_stability) << "with growing x, both";
    EXPECT_NEAR(down.crossings[i].eigenvalue.imag(), up.crossings[i].eigenvalue.imag(), 1e-11);
  }
  ASSERT_EQ(down.stable.size(), 1U);
  EXPECT_NEAR(down.stable[0].first, 1.3, 1e-12);
  EXPECT_NEAR(down.stable[0].second, 2.2, 1e-12);
}

// Real at one point, a pair at the other: still one crossing, and found by whoever meets it.
TEST(Sweep, ACrossingOfAPairThatIsNoneAtBothPointsIsToldOnce) {
  // s ± √(s² − p) with s = 1 − x: real below x ≈ 0.38, a pair beyond, through zero at x = 1 with the frequency √p.
  const auto joins = [](double x) { return quadratic(1.0 - x, 0.38); };
  for (const auto& values : {from_to(0, 1.5, 2), from_to(1.5, 0, 2), from_to(0, 1.5, 4)}) {
    const Sweep found = swept(values, joins);
    ASSERT_EQ(found.crossings.size(), 1U);
    EXPECT_NEAR(found.crossings[0].value, 1.0, 1e-12);
    EXPECT_NEAR(found.crossings[0].eigenvalue.imag(), std::sqrt(0.38), 1e-10);
  }
  // 0.1 ± √(x − 1): a pair that grows, then two real ones of which one decays from x = 1.01.
  const auto splits = [](double x) { return quadratic(0.1, 0.01 - (x - 1.0)); };
  for (const auto& values : {from_to(0, 2, 2), from_to(2, 0, 2), from_to(0, 2, 6)}) {
    const Sweep found = swept(values, splits);
    ASSERT_EQ(found.crossings.size(), 1U);
    EXPECT_NEAR(found.crossings[0].value, 1.01, 1e-12);
    EXPECT_EQ(found.crossings[0].eigenvalue.imag(), 0.0);
    EXPECT_FALSE(found.crossings[0].loses_stability);
  }
}

TEST(Sweep, TwoPairsThatCrossTogetherAreTwo) {
  const Sweep found = swept(from_to(0, 1, 4), [](double x) { return mixed({{x - 0.4, 2.0}, {x - 0.4, 5.0}}); });
  ASSERT_EQ(found.crossings.size(), 2U);
  for (const SweepCrossing& crossing : found.crossings) EXPECT_NEAR(crossing.value, 0.4, 1e-12);
  EXPECT_NE(found.crossings[0].mode, found.crossings[1].mode);
}

TEST(Sweep, ANeutralModeIsNoLossOfStability) {
  const Sweep found = swept(from_to(0, 2, 5), [](double x) { return mixed({0.0, -1.0 - x, {x - 1.0, 4.0}}); });
  const SweepMode& neutral = beginning_at(found, 0.0);
  EXPECT_TRUE(neutral.neutral);
  EXPECT_EQ(neutral.name, "neutral");
  EXPECT_EQ(std::count_if(found.modes.begin(), found.modes.end(), [](const SweepMode& mode) { return mode.neutral; }),
            1);
  ASSERT_EQ(found.crossings.size(), 1U);
  ASSERT_EQ(found.stable.size(), 1U);
  EXPECT_EQ(found.stable[0].first, 0.0);
  EXPECT_NEAR(found.stable[0].second, 1.0, 1e-12);
}

TEST(Sweep, NamesGoByTheLastPointPairsOnceNeutralOnesNever) {
  const auto A = [](double x) { return mixed({0.0, -3.0 + x, {-1.0, 2.0 + x}, {-0.2 - x, 7.0}}); };
  const Sweep found = swept(from_to(0, 1.5, 4), A, {"pair", "alone"});
  EXPECT_EQ(beginning_at(found, {-1.0, 2.0}).name, "pair");
  EXPECT_EQ(beginning_at(found, {-1.0, -2.0}).name, "pair");
  EXPECT_EQ(beginning_at(found, -3.0).name, "alone");
  EXPECT_EQ(beginning_at(found, {-0.2, 7.0}).name, "mode 3");
  EXPECT_EQ(beginning_at(found, {-0.2, -7.0}).name, "mode 3");
  EXPECT_EQ(beginning_at(found, 0.0).name, "neutral");
}

// Nothing but round-off orders the real parts of undamped modes.
TEST(Sweep, UndampedPairsHaveANameEachAndNoCrossings) {
  const Sweep found = swept(from_to(0, 1, 5), [](double x) {
    MatrixXd A = MatrixXd::Zero(6, 6);
    A.topRightCorner(3, 3).setIdentity();
    A.bottomLeftCorner(3, 3) << -(3.0 + x), 1.0, 0.0, 1.0, -(5.0 + x), 2.0, 0.0, 2.0, -(7.0 + x);
    return A;
  });
  EXPECT_TRUE(found.crossings.empty());
  ASSERT_EQ(found.stable.size(), 1U);  // nothing grows
  EXPECT_EQ(found.stable[0], std::pair(0.0, 1.0));
  for (const char* name : {"mode 1", "mode 2", "mode 3"}) {
    std::vector<Complex> both;
    for (const SweepMode& mode : found.modes)
      if (mode.name == name) both.push_back(mode.eigenvalues.back());
    ASSERT_EQ(both.size(), 2U) << name;
    EXPECT_EQ(both[0], std::conj(both[1])) << name;
  }
}

TEST(Sweep, WhatGoesWrongIsToldWithTheParameter) {
  const auto words = [](const LinearAt& at) -> std::string {
    try {
      sweep("speed", {0.0, 0.5, 1.0}, at);
    } catch (const NumericalError& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  };
  EXPECT_EQ(words([](double x) -> Linearization {
              if (x > 0.4) throw NumericalError("no steady motion was found");
              return linear(mixed({-1.0}));
            }),
            "at speed = 0.5: no steady motion was found");
  try {
    sweep("speed", {0.0, 0.5}, [](double) -> Linearization {
      Faults faults;
      faults.about("body \"rod\"", {"a.toml", 3, 4});
      faults.error("mass must be positive");
      throw ModelError(std::move(faults));
    });
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "a.toml:3:4: error: body \"rod\": mass must be positive (at speed = 0)");
  }
  const std::string changed = words([](double x) {
    return x < 0.7 ? linear(mixed({-1.0, -2.0})) : linear(mixed({-1.0}));
  });
  EXPECT_EQ(changed.rfind("at speed = 1: there are 1 modes, and 2 at speed = 0", 0), 0U) << changed;
}

TEST(Sweep, TellsHowFarItIs) {
  std::vector<std::size_t> seen;
  const Sweep found = sweep(
      "x", from_to(0, 1, 3), [](double x) { return linear(mixed({-1.0 - x})); }, {},
      [&](std::size_t done, std::size_t of) {
        seen.push_back(done);
        EXPECT_EQ(of, 3U);
      });
  EXPECT_EQ(seen, (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(found.parameter, "x");
  EXPECT_EQ(found.points.size(), 3U);
}

TEST(Sweep, OfAMachineWithoutModesIsEmpty) {
  const Sweep found = swept(from_to(0, 1, 3), [](double) { return MatrixXd(0, 0); });
  EXPECT_TRUE(found.modes.empty());
  EXPECT_TRUE(found.crossings.empty());
  EXPECT_EQ(found.points.size(), 3U);
}

}  // namespace
}  // namespace tandem
