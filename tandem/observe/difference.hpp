// How far apart two states are, as motions of the bodies.
//
// L and T are the length of a body's island and the time of the machine (model/scale.hpp).
//   (1)  difference of two poses: |Δp|/L or the angle between them in radians, the larger
//   (2)  of two velocities: |Δv| against L/T + |v| or |Δω| against 1/T + |ω|, the larger. In a motion |v| and |ω|
//        are the largest that the body has had up to there: where a spring turns it round they vanish, errors do not
#pragma once

#include <vector>

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

// The fastest that each body has been, of the states that were seen.
class Fastest {
 public:
  void see(const Model& model, const State& state);
  double v(std::size_t body) const { return speeds_[body].v; }
  double w(std::size_t body) const { return speeds_[body].w; }

 private:
  struct Speeds {
    double v = 0.0, w = 0.0;
  };
  std::vector<Speeds> speeds_;
};

// Of two states on the maximal cut; of a motion, with `fastest` at least as fast as a is.
Difference difference(const Model& model, const State& a, const State& b);
Difference difference(const Model& model, const State& a, const State& b, const Fastest& fastest);

}  // namespace tandem
