// Sweeps: linearisations along a parameter, each mode followed from point to point.
//
//   (1)  modes of neighbouring points belong together where |λ_b − λ_a| is small and the shapes overlap:
//        cost = |λ_b − λ_a|/(|λ_b − λ_a| + spread) + 1 − |u_aᴴ u_b|,  shapes u of unit length, states in their own
//        scale; the assignment with the least sum. Where it is not clear, the way between the points is halved.
//   (2)  a real part crosses zero between points: a bracket, shrunk by inverse interpolation or halving, to 1e-12 of
//        the parameter; where growth ends in swinging for ever, as in conservative machines, growth_edge.hpp
// A mode that stays at zero at every point is neutral: a family of steady motions, or energy. It is no loss of
// stability.
#pragma once

#include <functional>

#include "tandem/linearize/linearize.hpp"

namespace tandem {

struct SweepMode {
  std::string name;
  std::vector<std::complex<double>> eigenvalues;  // one a point
  std::vector<int> index;                         // into Linearization::modes of each point
  bool neutral = false;
};

struct SweepCrossing {
  double value = 0.0;               // of the parameter
  std::complex<double> eigenvalue;  // there: its real part is zero but for round-off
  int mode = 0;
  bool loses_stability = false;  // with growing parameter
  bool edge = false;             // two modes meet: beyond, neither grows nor decays
  bool jumps = false;            // it does not cross: another steady motion is the nearest to the start from here on
  int meets = -1;                // the other mode at an edge: which of the two goes on as which is a matter of taste
};

struct Sweep {
  std::string parameter;
  std::vector<double> values;
  std::vector<Linearization> points;
  std::vector<SweepMode> modes;
  std::vector<SweepCrossing> crossings;           // ascending
  std::vector<std::pair<double, double>> stable;  // where no mode grows
};

// Steady motions and their linearisations for models that differ in their numbers alone. Symmetries are looked for
// once, and again where they turn out to be others; where the start leads nowhere, the last motion found is the guess.
class LinearFamily {
 public:
  explicit LinearFamily(LinearizeOptions options = {.modes_only = true}) : options_(std::move(options)) {}
  Linearization at(const Model& model);
  const std::optional<Steady>& last() const { return last_; }

 private:
  Linearization find(const Model& model, const State& guess, const Symmetry* known);

  LinearizeOptions options_;
  std::optional<Steady> last_;
};

// The linearisation at a value of the parameter.
using LinearAt = std::function<Linearization(double)>;
using SweepProgress = std::function<void(std::size_t done, std::size_t of)>;

// Throws what `at` throws, with the value of the parameter. Names, if given, are those of the modes at the last point,
// of the largest real part first, then of the lowest frequency; pairs once, without neutral ones.
Sweep sweep(const std::string& parameter, const std::vector<double>& values, const LinearAt& at,
            const std::vector<std::string>& names = {}, const SweepProgress& progress = {});

}  // namespace tandem
