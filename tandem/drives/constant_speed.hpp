// Constant speed:   q = q₀ + u t
#pragma once

#include "tandem/drives/drive.hpp"

namespace tandem {

struct ConstantSpeedDrive {
  static constexpr std::string_view type = "constant_speed";
  Real speed = 0.0;
  std::optional<Real> start{};  // default: the coordinate of the assembled pose

  static ConstantSpeedDrive read(Properties& properties) {
    return {.speed = properties.number("speed"), .start = properties.number_if_given("start")};
  }
  std::vector<Real> knots() const { return {}; }
  ConstantSpeedDrive at_start(Real coordinate) const { return {.speed = speed, .start = start.value_or(coordinate)}; }

  template <class S> Jet<S> motion(const S& t) const { return {start.value_or(0.0) + speed * t, S(speed), S(0.0)}; }
};

}  // namespace tandem
