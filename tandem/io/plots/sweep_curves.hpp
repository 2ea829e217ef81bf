// What the picture of a sweep draws: pairs of modes, their curves and the ranges of the axes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tandem/io/plots/svg.hpp"
#include "tandem/io/plots/sweep_plot.hpp"

namespace tandem::sweep_picture {

// The plot with drawable numbers alone: points without a drawable x are dropped; a value is drawable or NaN, one a
// point; an imaginary part that is rounding is 0; of two modes that are a pair the first has the positive imaginary
// part; stable ranges lie in the range of x.
SweepPlot clean_sweep(const SweepPlot& plot);

// Modes that share a name or are a pair: one hue, one label.
struct SweepGroup {
  std::string name;
  std::vector<std::size_t> modes;
  std::vector<svg::Line> real, imaginary;  // against the parameter; a real part that two modes share is in there once
  std::vector<svg::Line> locus;            // imaginary against real part
};

// All of these need a clean plot. A line of one point is a point that stands alone.
std::vector<SweepGroup> group_sweep(const SweepPlot& plot);
svg::Range parameter_range(const SweepPlot& plot);
svg::Range eigenvalue_range(const SweepPlot& plot);  // of the diagram against the parameter
svg::Range locus_real_range(const SweepPlot& plot);
svg::Range locus_imaginary_range(const SweepPlot& plot);

}  // namespace tandem::sweep_picture
