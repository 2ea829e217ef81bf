// Motions with known ends, for CPU time against error. Each is a mechanism released with all coordinates zero.
//
// a01: IFToMM A01, a pendulum released from the horizontal, 10 s. a02-N: IFToMM A02, N four-bar linkages, 10 s, through
// ten singular positions. What is compared is the place of one point of the first link. The right ends are closed
// forms.
#pragma once

#include "mechanism.hpp"
#include "timing.hpp"

#include <cstdio>

namespace bench {

struct Problem {
  std::string name;
  double end = 0.0;
  Three point{};  // of link 0
  std::array<double, 2> right{};
};

inline Problem find_problem(const std::string& name) {
  if (name == "a01") return {name, 10.0, {-1, 0, 0}, {-0.2750874625761169, -0.961419205099125}};
  if (name == "a02-2") return {name, 10.0, {0, 1, 0}, {0.3284581115408154, 0.944518538178601}};
  if (name == "a02-40") return {name, 10.0, {0, 1, 0}, {0.1805122266867284, 0.9835727405823116}};
  throw std::runtime_error("there is no problem " + name);
}

// Cranks turn by -1 rad/s, couplers keep their direction.
inline std::vector<double> start_rates(const Mechanism& mechanism) {
  std::vector<double> rates(mechanism.links.size(), 0.0);
  if (mechanism.name.compare(0, 4, "a02-") == 0)
    for (std::size_t i = 0; i < rates.size(); ++i) rates[i] = i % 2 == 0 ? -1.0 : 1.0;
  return rates;
}

inline double error_of(const Problem& problem, double x, double y) {
  const double in_x = std::abs(x - problem.right[0]), in_y = std::abs(y - problem.right[1]);
  return std::isnan(in_x) || in_x > in_y ? in_x : in_y;  // keeps a NaN of either
}

inline void print_accuracy(const char* engine, const std::string& problem, const std::string& how, double step,
                           double seconds, double error) {
  std::printf(
      "{\"engine\": \"%s\", \"problem\": \"%s\", \"how\": \"%s\", \"step\": %g, \"seconds\": %g, \"error\": %g}\n",
      engine, problem.c_str(), how.c_str(), step, seconds, std::isfinite(error) ? error : 1e300);
  std::fflush(stdout);
}

}  // namespace bench
