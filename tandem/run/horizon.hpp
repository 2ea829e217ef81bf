// Horizon: how long the digits of a run last. A twin starts a little beside the run and takes the same steps; what lies
// between them grows as any small error does, round-off included.
//
//   (1)  growth(t) = |twin − run|(t) / |twin − run|(0)       largest difference of poses and velocities, difference.hpp
//   (2)  when the two are no longer close, the twin is brought back to its first distance along the line between them,
//        and growth is multiplied on from there
//   (3)  digits(t) = −log₁₀(round-off · growth(t))
// Source of (2): Benettin, Galgani, Giorgilli and Strelcyn, Meccanica 15 (1980).
#pragma once

#include <array>
#include <memory>

#include "tandem/dynamics/state.hpp"

namespace tandem {

struct Model;
class Simulation;

// What the twin showed.
struct HorizonRecord {
  static constexpr std::array<int, 5> counted{12, 9, 6, 3, 0};
  double growth = 0.0;  // log₁₀ of (1), the largest up to the end
  double digits = 0.0;  // (3) at the end; not below 0
  // Up to when so many digits last, as `counted`; negative: to the end.
  std::array<double, counted.size()> until{-1.0, -1.0, -1.0, -1.0, -1.0};
  double end = 0.0;  // how far the twin went
  std::string sentence() const;
};

// A state beside one that meets the constraints, which meets them too; both on the maximal cut.
State state_beside(const Model& model, const State& bodies, double distance);

class Horizon {
 public:
  // `run` stands at its start.
  Horizon(const Model& model, Simulation& run);
  ~Horizon();
  Horizon(const Horizon&) = delete;
  Horizon& operator=(const Horizon&) = delete;
  // After each step of the run.
  void follow(Simulation& run);
  const HorizonRecord& record() const { return record_; }

 private:
  void count(double t);
  void bring_back(const State& run, double apart);

  const Model& model_;
  std::unique_ptr<Simulation> twin_;
  double from_ = 0.0;   // the distance it had where growth began to be counted
  double grown_ = 0.0;  // log₁₀ of the growth before that
  bool over_ = false;
  HorizonRecord record_;
};

}  // namespace tandem
