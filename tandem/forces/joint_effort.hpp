// Spring, damper and torque (or force) on one coordinate of a joint.
//
//   (1)  τ = −R θ̇ − K (θ − θ₀) + τ₀(t)
//   (2)  potential = ½ K (θ − θ₀)²
#pragma once

#include "tandem/forces/force.hpp"

namespace tandem {

struct JointEffort {
  static constexpr std::string_view type = "joint";
  static constexpr int points = 0, coordinates = 1;
  static constexpr bool declares_power = true;
  Real stiffness = 0.0;   // K
  Real damping = 0.0;     // R
  Real rest = 0.0;        // θ₀
  TimeFunction effort{};  // τ₀

  static JointEffort read(Properties& properties) {
    return {.stiffness = properties.number("stiffness", 0.0),
            .damping = properties.number("damping", 0.0),
            .rest = properties.number("rest", 0.0),
            .effort = properties.function("effort", 0.0)};
  }
  void check(Faults& faults) const {
    if (!(stiffness >= 0.0))
      faults.error_in("stiffness", "stiffness must not be negative" + but_is(value_of(stiffness)));
    if (!(damping >= 0.0)) faults.error_in("damping", "damping must not be negative" + but_is(value_of(damping)));
  }
  bool conservative() const { return damping == 0.0 && effort.is_constant() && effort.constant() == 0.0; }
  std::vector<TimeFunction> of_time() const { return {effort}; }
  EffortLine line() const { return {stiffness, damping, rest, effort}; }
  bool needs_scalar_coordinate() const { return stiffness != 0.0; }

  template <class S> void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const {
    const S stretch = at.coordinates[0].q - rest;
    const S speed = at.coordinates[0].v, given = effort(t);
    loads.efforts[0] = -damping * speed - stiffness * stretch + given;  // (1)
    loads.potential = 0.5 * stiffness * stretch * stretch;              // (2)
    loads.damped = -damping * speed * speed;
    loads.brought = given * speed;
  }
};

}  // namespace tandem
