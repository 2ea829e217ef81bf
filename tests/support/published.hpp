// Published problems: a model set up for a precise run, and the largest error against the reference numbers.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "support/example_model.hpp"
#include "support/how_long.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {

// Each problem runs on both cuts: lagrange holds every joint by rows, articulated closes loops only.
class BothCuts : public ::testing::TestWithParam<const char*> {
 protected:
  // Adaptive steps of order 8, near round-off.
  static Model precise(Model model, double tolerance = 1e-13) {
    model.setup.method = GetParam();
    model.setup.integrator = "dop853";
    model.setup.tolerance = tolerance;
    return model;
  }
  static void go_to(Simulation& simulation, double t) {
    if (t > simulation.state().t) simulation.step(t - simulation.state().t);
  }
};

#define TANDEM_ON_BOTH_CUTS(Suite)                                                    \
  INSTANTIATE_TEST_SUITE_P(Cuts, Suite, ::testing::Values("lagrange", "articulated"), \
                           [](const auto& each) { return std::string(each.param); })

inline Vector3 vector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }

// The largest |got − wanted| of all that was compared. What is not a number stays.
class Error {
 public:
  void see(double got, double wanted) {
    seen_ = true;
    keep_larger(largest_, std::abs(got - wanted));
  }
  void see(const Vector3& got, const Vector3& wanted) {
    for (int i = 0; i < 3; ++i) see(got[i], wanted[i]);
  }
  void see_angle(double got, double wanted) { see(std::remainder(got - wanted, 2.0 * pi), 0.0); }  // whole turns aside
  // As part of `wanted`, for numbers of any size.
  void see_relative(double got, double wanted) { see(got / wanted, 1.0); }
  // q and −q are one rotation; w first, as the reference files write it.
  void see_quaternion(const Matrix3& R, const std::array<double, 4>& w_first) {
    const Vec4<double> got = quaternion_of<double>(R);
    const Vec4<double> wanted(w_first[1], w_first[2], w_first[3], w_first[0]);
    const double sign = got.dot(wanted) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; ++i) see(sign * got[i], wanted[i]);
  }
  double largest() const { return seen_ ? largest_ : std::numeric_limits<double>::infinity(); }

 private:
  double largest_ = 0.0;
  bool seen_ = false;  // an error that saw nothing is none to be content with
};

}  // namespace tandem::test
