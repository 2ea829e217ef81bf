// Whether the rows say what their derivatives are: J and b against dual numbers. It shares nothing with the methods.
//
//   (1)  dφ along a motion V at fixed t = J V                       holonomic rows
//   (2)  ∂φ/∂t = φ_t                                                holonomic rows
//   (3)  b = −d/dt (J v + φ_t) along the motion, at fixed v         all rows
#pragma once

#include <string>
#include <vector>

#include "tandem/dynamics/workspace.hpp"

namespace tandem {

struct RowFault {
  std::string block;  // joint "steer"
  std::string what;   // its Jacobian, its bias, …
  double error = 0.0;
};

// `bodies` is a state on the maximal cut. Errors are relative to the size of the terms.
std::vector<RowFault> check_rows(const Model& model, const State& bodies, double tolerance = 1e-9);

}  // namespace tandem
