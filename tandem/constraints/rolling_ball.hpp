// Rolling ball: a sphere of radius r about M's origin rolls without slipping on the x-y plane of F.
//
//   (1)  φ = p_z − r
//   (2)  rolling: x and y of  u = v + ω × (−r z) = 0, that is  v_x − r ω_y = 0,  v_y + r ω_x = 0;  no bias
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct RollingBall {
  static constexpr std::string_view type = "rolling_ball";
  static constexpr int holonomic = 1, nonholonomic = 2;
  static constexpr Placement placement = Placement::rolling_body;
  static constexpr std::array<std::string_view, 3> row_names{"contact", "rolling x", "rolling y"};

  Real radius = 0.0;

  static RollingBall read(Properties& properties) { return {.radius = properties.number("radius")}; }
  void check(Faults& faults) const {
    if (!(radius > 0.0)) faults.error_in("radius", "radius must be positive" + not_this(value_of(radius)));
  }

  ContactGeometry contact_geometry() const { return {.shape = ContactGeometry::Shape::ball, .radius = radius}; }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    position_row(x, 2, rows, 0);  // (1)
    rows.phi[0] -= radius;
    rows.T(3, 1) = S(1.0);  // (2)
    rows.T(1, 1) = S(-radius);
    rows.T(4, 2) = S(1.0);
    rows.T(0, 2) = S(radius);
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p - radius * Vec3<S>::UnitZ(); }
};

}  // namespace tandem
