// Trajectory: the motion of all bodies over time by one choice of method, cut, coordinates and step, to be compared.
//
// L and T are the length of a body's island and the time of the machine (model/scale.hpp).
//   (1)  difference of two poses: |Δp|/L or the angle between them in radians, the larger
//   (2)  of two velocities: |Δv| against L/T + |v| or |Δω| against 1/T + |ω|, the larger
//   (3)  Richardson: x(h) = x + C hᵖ, so  error of x(h/2) ≈ |x(h) − x(h/2)|/(2ᵖ − 1)
#pragma once

#include "tandem/base/larger.hpp"
#include "tandem/run.hpp"

namespace tandem {

struct Trajectory {
  std::vector<State> rows;  // on the maximal cut; rows[i].t
  HealthSummary health;
  double step = 0.0, seconds = 0.0;  // seconds of computing
  bool failed = false;
  std::string reason;
  double end() const { return rows.empty() ? 0.0 : rows.back().t; }
};

// By model.simulation, with its step divided by `parts`, a row every `interval` seconds.
// `start`, if given, replaces the start of the model (a state on the maximal cut). `time`, if given, is what the model
// has of functions of time, so that they are not looked at again.
Trajectory follow(const Model& model, int parts, double duration, double interval, const State* start = nullptr,
                  std::shared_ptr<const TimePlan> time = nullptr);

struct Difference {
  double pose = 0.0, speed = 0.0;  // largest of all rows
  double t = 0.0;                  // where it first goes beyond the tolerance; else where it is largest
  int body = -1;                   // the body that does
  double there = 0.0;              // by so much
  double size() const {
    double most = pose;
    keep_larger(most, speed);
    return most;
  }
};

// Over the rows that both have, up to `until`, but for those marked in `left_out`.
Difference difference(const Model& model, const Trajectory& a, const Trajectory& b, double tolerance,
                      double until = 1e300, const std::vector<char>& left_out = {});
Difference difference(const Model& model, const State& a, const State& b);

}  // namespace tandem
