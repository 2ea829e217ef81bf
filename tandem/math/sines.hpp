// Sine and cosine of many angles at once: several side by side in one instruction.
//
//   (1)  x = k π/2 + y,  |y| ≤ π/4;   π/2 in three parts, so that k times each of the first two is exact
//   (2)  sin y and cos y by polynomials in z = y²; e is what rounding left of y
//   (3)  k mod 4 swaps the two and turns their signs
// Off by at most 0.8 units in the last place, next to whole quarters by 1.1. Angles beyond 1e6 go through the C
// library, one by one. Faster than the vector functions of glibc, which are off by up to 3.5. Source: fdlibm, the
// polynomials of its k_sin and k_cos and the parts of its rem_pio2.
#pragma once

#include <Eigen/Core>

namespace tandem {

// All three of the same size.
void sines_and_cosines(const Eigen::ArrayXd& angles, Eigen::ArrayXd& sines, Eigen::ArrayXd& cosines);

}  // namespace tandem
