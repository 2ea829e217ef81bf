// Wheel: a disc rolls without slipping on the x-y plane of F. Its axis is a = z of M, its centre M's origin.
//
// By geometry, so that it holds in any orientation parametrisation. n = z of F, r the radius to the ground, ρ the
// crown radius of a torus tyre (0: a knife-edged disc), r₀ = r − ρ the radius of the tyre's centre circle.
//
//   (1)  σ = |a × n|,   h = a × n/σ  heading,   l = n × h  lateral
//   (2)  d = (a_z a − n)/σ  down in the wheel's plane,   s = r₀ d − ρ n  from the centre to the contact point
//   (3)  φ = p_z − r₀ σ − ρ                                  contact, holonomic
//   (4)  u = v + ω × s,   φ̇ = n·u,   h·u = 0,   l·u = 0      rolling, two nonholonomic rows
//   (5)  ȧ = ω × a,   σ̇ = −a_z ȧ_z/σ,   ḣ = (ȧ × n − h σ̇)/σ,   l̇ = n × ḣ
//        ḋ = (ȧ_z a + a_z ȧ − d σ̇)/σ,   ṡ = r₀ ḋ
//   (6)  bias = n·(ω × ṡ);  ḣ·u + h·(ω × ṡ);  l̇·u + l·(ω × ṡ)
// In 3-1-2 angles (6) are g₁, g₂, g₃ of the bicycle project in their ω' form. A wheel lying flat (σ = 0) has no
// contact point.
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct Wheel {
  static constexpr std::string_view type = "wheel";
  static constexpr int holonomic = 1, nonholonomic = 2;
  static constexpr Placement placement = Placement::rolling_body;
  static constexpr std::array<std::string_view, 3> row_names{"contact", "longitudinal", "lateral"};

  Real radius = 0.0;
  Real crown = 0.0;

  static Wheel read(Properties& properties) {
    return {.radius = properties.number("radius"), .crown = properties.number("crown", 0.0)};
  }
  void check(Faults& faults) const {
    if (!(radius > 0.0)) return faults.error_in("radius", "radius must be positive" + not_this(value_of(radius)));
    if (!(crown >= 0.0 && crown < radius))
      faults.error_in("crown", "crown must be at least 0 and less than the radius" + not_this(value_of(crown)));
  }

  std::string trouble(const Relative<Real>& x) const {
    return x.R.col(2).cross(Vector3::UnitZ()).norm() > 0.001
               ? ""
               : "the wheel lies flat on the plane and has no contact point";
  }

  ContactGeometry contact_geometry() const {
    return {.shape = ContactGeometry::Shape::disc, .radius = radius, .crown = crown};
  }

  template <class S> struct Contact {
    S sigma, inverse;  // σ, 1/σ
    Vec3<S> heading, lateral, down, arm;
  };

  template <class S> Contact<S> contact(const Relative<S>& x) const {
    const Vec3<S> a = x.R.col(2), n = Vec3<S>::UnitZ();
    const Vec3<S> across = a.cross(n);
    Contact<S> c;
    c.sigma = norm<S>(across);
    c.inverse = 1.0 / c.sigma;
    c.heading = c.inverse * across;                 // (1)
    c.lateral = n.cross(c.heading);                 // (1)
    c.down = c.inverse * (a.z() * a - n);           // (2)
    c.arm = (radius - crown) * c.down - crown * n;  // (2)
    return c;
  }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    const Contact<S> c = contact(x);
    const Vec3<S> a = x.R.col(2), n = Vec3<S>::UnitZ();
    const Vec3<S> u = x.v + x.w.cross(c.arm);  // (4)
    const Vec3<S> a_dot = x.w.cross(a);        // (5)
    const S sigma_dot = -a.z() * a_dot.z() * c.inverse;
    const Vec3<S> heading_dot = c.inverse * (a_dot.cross(n) - c.heading * sigma_dot);
    const Vec3<S> lateral_dot = n.cross(heading_dot);
    const Vec3<S> down_dot = c.inverse * (a_dot.z() * a + a.z() * a_dot - c.down * sigma_dot);
    const Vec3<S> centripetal = x.w.cross(Vec3<S>((radius - crown) * down_dot));

    rows.phi[0] = x.p.z() - (radius - crown) * c.sigma - crown;  // (3)
    const Vec3<S> directions[3] = {n, c.heading, c.lateral};
    for (int row = 0; row < 3; ++row) {
      rows.T.col(row).template head<3>() = c.arm.cross(directions[row]);
      rows.T.col(row).template tail<3>() = directions[row];
    }
    rows.bias[0] = n.dot(centripetal);  // (6)
    rows.bias[1] = heading_dot.dot(u) + c.heading.dot(centripetal);
    rows.bias[2] = lateral_dot.dot(u) + c.lateral.dot(centripetal);
  }

  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p + contact(x).arm; }
};

}  // namespace tandem
