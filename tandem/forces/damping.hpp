// Linear and angular damping of a body's motion:   f = −d v,  τ = −e ω  at the point of attachment.
#pragma once

#include "tandem/forces/force.hpp"

namespace tandem {

struct Damping {
  static constexpr std::string_view type = "damping";
  static constexpr int points = 1, coordinates = 0;
  static constexpr bool declares_power = true;
  Real linear = 0.0;
  Real angular = 0.0;

  static Damping read(Properties& properties) {
    return {.linear = properties.number("linear", 0.0), .angular = properties.number("angular", 0.0)};
  }
  void check(Faults& faults) const {
    if (!(linear >= 0.0)) faults.error_in("linear", "linear damping must not be negative" + but_is(value_of(linear)));
    if (!(angular >= 0.0))
      faults.error_in("angular", "angular damping must not be negative" + but_is(value_of(angular)));
  }

  template <class S> void apply(const Attachments<S>& at, const S&, Loads<S>& loads) const {
    loads.forces[0] = -linear * at.points[0].v;
    loads.torques[0] = -angular * at.points[0].w;
    loads.damped = loads.forces[0].dot(at.points[0].v) + loads.torques[0].dot(at.points[0].w);
  }
};

}  // namespace tandem
