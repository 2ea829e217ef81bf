// The examples shipped inside the program, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tandem/base/larger.hpp"
#include "tandem/io/model/examples.hpp"
#include "tandem/io/model/model_file.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

inline Model example_model(const std::string& name, std::vector<std::pair<std::string, double>> set = {}) {
  ReadOptions options;
  options.set = std::move(set);
  return load_model_or_example(name, options);
}

// A second of most examples; of one whose whole run is shorter, that run.
inline double one_second(const Model& model) { return std::min(1.0, model.setup.duration); }

// Steps to `end`; the largest residual before projection is what a wrong bias would show.
inline StepReport advance(Simulation& simulation, double end, double h) {
  StepReport largest;
  const double start = simulation.state().t;
  const long steps = std::lround((end - start) / h);
  for (long i = 1; i <= steps; ++i) {
    const StepReport report = simulation.step(
        start + (end - start) * static_cast<double>(i) / static_cast<double>(steps) - simulation.state().t);
    keep_larger(largest.before.position, report.before.position);
    keep_larger(largest.before.velocity, report.before.velocity);
    keep_larger(largest.after.position, report.after.position);
    keep_larger(largest.after.velocity, report.after.velocity);
  }
  return largest;
}

}  // namespace tandem
