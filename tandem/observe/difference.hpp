// How far apart two states are, as motions of the bodies.
//
// L and T are the length of a body's island and the time of the machine (model/scale.hpp).
//   (1)  difference of two poses: |Δp|/L or the angle between them in radians, the larger
//   (2)  of two velocities: |Δv| against L/T + |v| or |Δω| against 1/T + |ω|, the larger
#pragma once

#include "tandem/base/larger.hpp"
#include "tandem/dynamics/state.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

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

// Of two states on the maximal cut.
Difference difference(const Model& model, const State& a, const State& b);

}  // namespace tandem
