// Constant speed: the rate of one joint coordinate is given, its position is left free.
//
//   (1)  q̇ − u = 0        a row of velocities without a φ, counted with the nonholonomic ones
#pragma once

#include "tandem/constraints/coupler.hpp"

namespace tandem {

struct ConstantSpeed {
  static constexpr const char* type = "constant_speed";
  CoordinateName coordinate{};
  Real speed = 0.0;
};

}  // namespace tandem
