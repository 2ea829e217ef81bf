// Coupler: a linear relation between joint coordinates. A gear, a mimic joint, a rack and pinion.
//
//   (1)  φ = Σ c_i q_i − o,   φ̇ = Σ c_i q̇_i
// The offset o is by default what the assembled pose gives. Angles count their turns.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tandem {

// One coordinate of a joint; an empty name means the joint's only one.
struct CoordinateName {
  std::string joint{};
  std::string coordinate{};
};

struct Coupler {
  static constexpr const char* type = "coupler";
  std::vector<CoordinateName> coordinates{};
  std::vector<Real> coefficients{};
  std::optional<Real> offset{};
};

}  // namespace tandem
