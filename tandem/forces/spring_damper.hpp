// Spring and damper between two points.
//
//   (1)  d = p₂ − p₁,  l = |d|,  n = d/l,  l̇ = n·(v₂ − v₁)
//   (2)  pull = k (l − l₀) + c l̇,   force on point 2 = −pull n,  on point 1 = +pull n
//   (3)  potential = ½ k (l − l₀)²
// Where the points coincide the direction is undefined; the force is taken as zero there.
#pragma once

#include "tandem/forces/force.hpp"

namespace tandem {

struct SpringDamper {
  static constexpr std::string_view type = "spring_damper";
  static constexpr int points = 2, coordinates = 0;
  static constexpr bool declares_power = true;
  Real stiffness = 0.0;
  Real damping = 0.0;
  std::optional<Real> length{};  // l₀; default: the distance of the assembled pose

  static SpringDamper read(Properties& properties) {
    return {.stiffness = properties.number("stiffness", 0.0),
            .damping = properties.number("damping", 0.0),
            .length = properties.number_if_given("length")};
  }
  void check(Faults& faults) const {
    if (!(stiffness >= 0.0))
      faults.error_in("stiffness", "stiffness must not be negative" + but_is(value_of(stiffness)));
    if (!(damping >= 0.0)) faults.error_in("damping", "damping must not be negative" + but_is(value_of(damping)));
    if (length && !(*length >= 0.0))
      faults.error_in("length", "length must not be negative" + but_is(value_of(*length)));
  }
  bool conservative() const { return damping == 0.0; }
  SpringDamper at_start(Real distance) const {
    SpringDamper law = *this;
    law.length = length.value_or(distance);
    return law;
  }

  template <class S> void apply(const Attachments<S>& at, const S&, Loads<S>& loads) const {
    using std::sqrt;
    const Vec3<S> d = at.points[1].p - at.points[0].p;  // (1)
    const S square = d.dot(d);
    const bool apart = value_of(square) > 0.0;
    const S l = sqrt(select(apart, square, S(1.0)));
    const Vec3<S> n = select(apart, S(1.0 / l), S(0.0)) * d;
    const S stretch = select(apart, l, S(0.0)) - length.value_or(0.0);
    const S stretching = n.dot(at.points[1].v - at.points[0].v);
    const S pull = stiffness * stretch + damping * stretching;  // (2)
    loads.forces[0] = pull * n;
    loads.forces[1] = -pull * n;
    loads.potential = 0.5 * stiffness * stretch * stretch;  // (3)
    loads.damped = -damping * stretching * stretching;
  }
};

}  // namespace tandem
