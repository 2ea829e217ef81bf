// Compare: one model by all methods that can solve it, and a verdict.
//
// Methods on one cut, with one integrator and step, must agree to round-off; where redundant rows make them differ by
// the error of the step, their difference must fall with the order of the integrator as the step is halved. Cuts and
// coordinates differ by the error of the integrator, so the step is halved until Richardson's estimate of it is below a
// tenth of the tolerance, or until rounding errors rule. Impulses is of order one: it is judged by its order and by its
// value extrapolated to h = 0.
//
// Four of the five methods share the rows, and so the rows' mistakes. `agree` therefore asks for checks that share
// nothing with them as well:
//   energy     the balance of the ledger is small, or falls with the order of the integrator
//   residuals  before projection they fall as h^(p+1) a step
//   time       the reference again, with a hundredth of the step wherever something of time changes much in a step
//   rows       J and b equal to dual numbers at ten states of the run
//   cut        joints as rows against joints as coordinates
//   herk       an integrator that never uses the bias b
//   impulses   a method that never uses it
//   contact    what rolls or glides does so, by plain geometry from poses and twists
// A chaotic model is known by a twin that starts a little beside it: rounding errors grow as it does. It is compared up
// to its horizon, where they reach the tolerance. So is one that magnifies the rounding errors of many steps beyond it.
// In poses that are nearly singular round-off decides on velocities: such moments are left out.
#pragma once

#include "tandem/compare/trajectory.hpp"

namespace tandem {

struct CompareOptions {
  std::vector<std::string> methods{};  // empty: all
  double tolerance = 1e-9;
  double duration = 0.0;  // 0: the model's
  int most_halvings = 10;
  std::function<void(const std::string& what)> on_progress{};
};

struct MethodResult {
  std::string name, cut;
  std::vector<std::string> refused{};  // why it cannot solve the model
  std::string failed{};                // why it broke off
  Difference difference{};             // from lagrange on the same cut; impulses: extrapolated, from the finest run
  double step = 0.0;                   // at which it is: the model's, or a shorter one where the step makes it
  std::string note{};                  // what halving the step showed
  double tolerance = 0.0;
  double energy_drift = 0.0;      // largest balance against the energy that moved
  double constraint_drift = 0.0;  // largest residual of a position before projection
  double velocity_drift = 0.0;
  double order = 0.0;  // observed; 0: differences are round-off
  double steps_per_second = 0.0;
  bool agrees = false;
  std::vector<ComparedSample> samples{};  // from lagrange on the same cut to this one, at the moments that count
};

struct Check {
  std::string name;
  bool asked = true;  // false: there is nothing to check here
  bool passed = false;
  std::string detail;
};

struct Comparison {
  bool agree = false;
  std::string verdict;  // one sentence
  std::string cause;    // when they differ: bias, contact, soft, rank, failure, round-off, step, refused, unknown
  double tolerance = 0.0, step = 0.0, richardson = 0.0;
  double duration = 0.0, horizon = 0.0;
  bool chaotic = false;
  std::vector<double> nearly_singular;  // moments that were not compared: there round-off decides on velocities
  std::vector<MethodResult> methods;
  std::vector<Check> checks;
};

Comparison compare(const Model& model, const Setup& setup, const CompareOptions& options);
Comparison compare(const Model& model, const CompareOptions& options = {});  // as the model's file asks

}  // namespace tandem
