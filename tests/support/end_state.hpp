// Where a run ends, and how far apart two such states are.
#pragma once

#include <algorithm>
#include <string>

#include "support/example_model.hpp"

namespace tandem {

inline State end_of(Model model, const std::string& integrator, double h, double end, double tolerance = 1e-13) {
  model.setup.integrator = integrator;
  model.setup.tolerance = tolerance;
  Simulation simulation(model);
  advance(simulation, end, h);
  State out = simulation.bodies();
  out.add_work(1.0, simulation.state().work());  // that of bodies is not read
  return out;
}

inline double apart(const State& a, const State& b) {
  return std::max((a.q() - b.q()).cwiseAbs().maxCoeff(), (a.v() - b.v()).cwiseAbs().maxCoeff());
}

}  // namespace tandem
