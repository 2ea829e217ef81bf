// Where growth ends in swinging for ever, as in conservative machines: two modes meet on the imaginary axis.
//
//   (1)  growing:   λ = ±a + i b,        beyond: λ = i (b ± δ),  with a² = −δ² along the parameter x
// a² and b are smooth in x, a is not: it goes as a root. So near the edge a tells little, and eigenvalues that meet are
// good to the root of round-off only. From some way off, x and b as polynomials of a² are carried on to a² = 0:
//   (2)  x(0) = Σ x_i Π_(j≠i) a_j²/(a_j² − a_i²)
// from ever nearer points, until that no longer settles.
#pragma once

#include <complex>
#include <functional>
#include <optional>

namespace tandem {

struct GrowthEdge {
  double value = 0.0;      // of the parameter
  double frequency = 0.0;  // b there
  bool jumps = false;      // growth ends at once, not as (1) says
};

// The growing mode at a value of the parameter whose frequency is nearest to the given one; none where it is over.
using GrowingMode = std::function<std::optional<std::complex<double>>(double x, double frequency)>;

// The edge between `grown`, with its eigenvalue, and `calm`; up to `far`, on the other side of `grown`, it grows too.
GrowthEdge find_growth_edge(double far, double grown, std::complex<double> eigenvalue, double calm,
                            const GrowingMode& growing);

}  // namespace tandem
