// Pairs of conjugate modes in a sweep. A value that does not exist is NaN; there is one a point for every mode.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include "tandem/io/plots/sweep_plot.hpp"

namespace tandem::sweep_picture {

inline constexpr double sweep_rounding = 1e-9;  // relative to the largest value of the point

inline bool exists(std::complex<double> value) { return !std::isnan(value.real()); }

double largest_at(const SweepPlot& plot, std::size_t i);  // of the values of point i

// For every mode the one that is its conjugate at most points; its own number when there is none.
std::vector<std::size_t> sweep_partners(const SweepPlot& plot);

// Of two partners the first gets the positive imaginary part at every point.
void order_pairs(SweepPlot& plot);

// More points where pairs begin and end, so that the curves meet in one point and turn as they should.
SweepPlot with_meetings(const SweepPlot& plot);

}  // namespace tandem::sweep_picture
