// A sweep of eigenvalues as a picture (SVG): real and imaginary parts against the parameter, and the root locus.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

namespace tandem {

struct SweepPlot {
  struct Mode {
    std::string name;                          // weave, capsize, or "mode 3"
    std::vector<std::complex<double>> values;  // one a point of x; NaN where the mode does not exist
  };
  struct Crossing {  // where a real part goes through zero: "capsize at 6.024"
    double x = 0.0;
    std::string label;
  };
  std::string title;      // Benchmark bicycle
  std::string parameter;  // v
  std::string unit;       // may be empty: m/s
  std::vector<double> x;
  std::vector<Mode> modes;  // each member of a complex pair is a mode of its own
  std::vector<Crossing> crossings;
  std::vector<std::pair<double, double>> stable;  // ranges of x, shaded
};

// Any numbers are allowed: what is not finite is left out. Far modes are cut at the frame.
std::string draw_sweep(const SweepPlot& plot);

}  // namespace tandem
