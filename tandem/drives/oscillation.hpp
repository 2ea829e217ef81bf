// Oscillation:   q = q₀ + A cos(2π f t + φ)
#pragma once

#include "tandem/base/elementary.hpp"
#include "tandem/drives/drive.hpp"

namespace tandem {

struct Oscillation {
  static constexpr std::string_view type = "oscillation";
  Real amplitude = 0.0;
  Real frequency = 0.0;  // hertz
  Real phase = 0.0;
  Real offset = 0.0;

  static Oscillation read(Properties& properties) {
    return {.amplitude = properties.number("amplitude"),
            .frequency = properties.number("frequency"),
            .phase = properties.number("phase", 0.0),
            .offset = properties.number("offset", 0.0)};
  }
  std::vector<Real> knots() const { return {}; }

  template <class S> Jet<S> motion(const S& t) const {
    const Real w = 2.0 * pi * frequency;
    const S angle = w * t + phase;
    const S c = amplitude * cos(angle);
    return {offset + c, -w * amplitude * sin(angle), -w * w * c};
  }
};

}  // namespace tandem
