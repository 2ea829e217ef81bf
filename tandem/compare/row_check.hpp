// Whether the rows say what their derivatives are: J and b against dual numbers. It shares nothing with the methods.
//
//   (1)  dφ along a motion V at fixed t = J V                       holonomic rows
//   (2)  ∂φ/∂t = φ_t                                                holonomic rows
//   (3)  b = −d/dt (J v + φ_t) along the motion, at fixed v         all rows
// Errors are in parts of the terms, with L and T of the machine (model/scale.hpp) and u = 1 for angles, L for lengths:
//   (4)  Σ |J_i| u_i in (1), that by T in (2), Σ (|J̇_i| + |J_i|/T)(|v_i| + u_i/T) in (3)
#pragma once

#include <string>
#include <vector>

#include "tandem/base/tolerances.hpp"
#include "tandem/dynamics/workspace.hpp"

namespace tandem {

struct RowFault {
  std::string block;  // joint "steer"
  std::string what;   // its Jacobian, its bias, …
  double error = 0.0;
};

// `bodies` is a state on the maximal cut.
std::vector<RowFault> check_rows(const Model& model, const State& bodies,
                                 double tolerance = tolerances::row_derivatives);

}  // namespace tandem
