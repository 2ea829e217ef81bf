// Trajectory: the motion of all bodies over time by one choice of method, cut, coordinates and step, to be compared.
//
//   (1)  Richardson: x(h) = x + C hᵖ, so  error of x(h/2) ≈ |x(h) − x(h/2)|/(2ᵖ − 1)
#pragma once

#include "tandem/observe/difference.hpp"
#include "tandem/run/run.hpp"

namespace tandem {

struct Trajectory {
  std::vector<State> rows;  // on the maximal cut; rows[i].t
  HealthSummary health;
  double step = 0.0, tolerance = 0.0, seconds = 0.0;  // seconds of computing
  bool adaptive = false;                              // `step` is then the longest
  bool failed = false;
  std::string reason;
  double end() const { return rows.empty() ? 0.0 : rows.back().t; }
};

// By `setup`, with its step divided by `parts`, a row every `interval` seconds.
// `start`, if given, replaces the start of the model (a state on the maximal cut). `time`, if given, is what the model
// has of functions of time, so that they are not looked at again.
Trajectory follow(const Model& model, const Setup& setup, int parts, double duration, double interval,
                  const State* start = nullptr, std::shared_ptr<const TimePlan> time = nullptr);

// (1): without the error in hᵖ, from a run and one at half its step.
Trajectory extrapolated(const Model& model, const Trajectory& coarse, const Trajectory& fine, int order);

// Two motions at one moment.
struct ComparedSample {
  State from, to;
  Difference apart;
};

// Over the rows that both have, up to `until`, but for those marked in `left_out`. `samples`, if given, becomes what
// was compared.
Difference difference(const Model& model, const Trajectory& a, const Trajectory& b, double tolerance,
                      double until = 1e300, const std::vector<char>& left_out = {},
                      std::vector<ComparedSample>* samples = nullptr);

}  // namespace tandem
