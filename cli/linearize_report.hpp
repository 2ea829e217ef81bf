// What tandem linearize prints and writes.
#pragma once

#include <nlohmann/json.hpp>

#include "tandem/io/plots/sweep_plot.hpp"
#include "tandem/linearize/sweep.hpp"

namespace tandem::cli {

nlohmann::ordered_json linearization_json(const Model& model, const Linearization& found);
// With B, C and D at every point, if they were made.
nlohmann::ordered_json sweep_json(const Model& model, const Sweep& found, bool matrices);
std::string eigenvalue_csv(const Linearization& found);
std::string sweep_csv(const Sweep& found);
SweepPlot plot_of(const Model& model, const Sweep& found);
void print_linearization(const Model& model, const Linearization& found, const Steady* steady);
void print_sweep(const Model& model, const Sweep& found);

}  // namespace tandem::cli
