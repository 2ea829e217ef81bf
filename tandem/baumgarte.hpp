// Baumgarte's constants where nobody gives them. docs/drift-study.md derives the rule and shows what it is worth.
//
//   (1)  φ̈ + α φ̇ + β φ = 0 with α = 2r, β = r²: an error is forgotten as (1 + r t) e^(−r t). A speed row has α alone
//   (2)  z = (φ, φ̇):  ż = A z + d/h,  A = [0 1; −r² −2r],  d what one step of order p leaves of z on the constraints
//   (3)  d = h^(p+1) (D − e A^(p+1−k) (c⁽ᵏ⁾, c⁽ᵏ⁺¹⁾)),  c̈ = b, the right side of the row
//        D: without (1). The rest: stages lie off the constraints by h^k c⁽ᵏ⁾, and (1) pushes them back. k and e belong
//        to the integrator (runge_kutta.hpp (5))
//   (4)  r: where the largest |φ| of (2), in parts of its size, over all rows and the time of the run, is least: the
//        smallest r within a tenth of that. D falls off as 1/r² and 1/r, the stages' part grows as r^(p−2). All of it
//        has the factor h^p, so r is the machine's alone, where steps are equal. With error control h^p varies along
//        the run as it would by the tolerance
//   (5)  h r ≤ s, |R(−s)| the least on the integrator's real axis; h α ≤ s where there are speed rows. Order one has no
//        stages off the constraints, and takes s/h. Semi-implicit Euler: α = 1/h, β = 1/h², both roots of its step zero
// D and b are measured once, at the start, along a coarse run of the machine: at every step of it the integrator in use
// makes one without stabilisation. Constants that followed the motion would make what happens next depend on what was
// measured before, and one trajectory on how it was cut into runs.
#pragma once

#include "tandem/model/setup.hpp"

namespace tandem {

struct Model;
struct StartOptions;

// What is left open of alpha and beta of a resolved setup: the other one by critical damping, or both by the rule.
Setup with_baumgarte(const Model& model, Setup setup, const StartOptions& options);
// For the head of a run: baumgarte, alpha = 40, beta = 400 (chosen).
std::string stabilisation_text(const Setup& resolved);

}  // namespace tandem
