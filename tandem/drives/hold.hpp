// Hold: the coordinate stays where it is, or at a given value.   q = q₀
#pragma once

#include "tandem/drives/drive.hpp"

namespace tandem {

struct Hold {
  static constexpr std::string_view type = "hold";
  std::optional<Real> value{};  // default: the coordinate of the assembled pose

  static Hold read(Properties& properties) { return {.value = properties.number_if_given("value")}; }
  std::vector<Real> knots() const { return {}; }
  Hold at_start(Real coordinate) const { return {.value = value.value_or(coordinate)}; }

  template <class S> Jet<S> motion(const S&) const { return {S(value.value_or(0.0)), S(0.0), S(0.0)}; }
};

}  // namespace tandem
