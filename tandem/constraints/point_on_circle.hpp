// Point on circle: M's origin stays on the circle of radius r about z of F (a bead on a ring).
//
//   (1)  φ = (p_z, ρ − r),  ρ = √(p_x² + p_y²),  n = (p_x, p_y, 0)/ρ
//   (2)  φ̇₂ = n·v,   φ̈₂ = n·v̇ + (v_x² + v_y² − (n·v)²)/ρ
// Undefined at ρ = 0: the model must not start there.
#pragma once

#include "tandem/base/tolerances.hpp"
#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct PointOnCircle {
  static constexpr std::string_view type = "point_on_circle";
  static constexpr int holonomic = 2, nonholonomic = 0;
  static constexpr Placement placement = Placement::axis;
  static constexpr std::array<std::string_view, 2> row_names{"height", "radius"};

  Real radius = 0.0;

  static PointOnCircle read(Properties& properties) { return {.radius = properties.number("radius")}; }
  void check(Faults& faults) const {
    if (!(radius > 0.0)) faults.error_in("radius", "radius must be positive" + not_this(value_of(radius)));
  }
  std::string trouble(const Relative<Real>& x, double machine) const {
    return value_of(x.p.template head<2>().norm()) > tolerances::coincide * machine
               ? ""
               : "its point lies on the axis of the circle, so the direction to the circle is undefined";
  }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    using std::sqrt;
    const int at = position_row(x, 2, rows, 0);
    const S rho = sqrt(S(x.p.x() * x.p.x() + x.p.y() * x.p.y()));
    const S nx = x.p.x() / rho, ny = x.p.y() / rho;
    const S along = nx * x.v.x() + ny * x.v.y();
    rows.phi[at] = rho - radius;  // (1)
    rows.T(3, at) = nx;           // (2)
    rows.T(4, at) = ny;
    rows.bias[at] = (x.v.x() * x.v.x() + x.v.y() * x.v.y() - along * along) / rho;
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p; }
};

}  // namespace tandem
