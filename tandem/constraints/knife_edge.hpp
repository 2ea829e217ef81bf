// Knife edge (skate, sleigh): M's origin moves along the plane x-y of F only where the blade, x of M, points.
//
//   (1)  b = x_M,  l = z × b / |z × b|  the direction across the blade in the plane
//   (2)  l·v = 0,   bias = l̇·v,   l̇ = (z × ḃ − l (l · z × ḃ)) / |z × b|,   ḃ = ω × b
// One nonholonomic row. What keeps the edge in the plane is another joint or constraint.
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct KnifeEdge {
  static constexpr std::string_view type = "knife_edge";
  static constexpr int holonomic = 0, nonholonomic = 1;
  static constexpr Placement placement = Placement::blade;
  static constexpr std::array<std::string_view, 1> row_names{"lateral"};
  static KnifeEdge read(Properties&) { return {}; }

  std::string trouble(const Relative<Real>& x) const {
    return x.R.col(0).cross(Vector3::UnitZ()).norm() > 1e-3 ? "" : "the blade points along the normal of the plane";
  }

  ContactGeometry contact_geometry() const {
    return {.shape = ContactGeometry::Shape::blade, .axis = Vector3::UnitX()};
  }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    const Vec3<S> z = Vec3<S>::UnitZ();
    const Vec3<S> blade = x.R.col(0);
    const Vec3<S> across = z.cross(blade);
    const S length = norm<S>(across);
    const Vec3<S> l = across / length;  // (1)
    const Vec3<S> across_dot = z.cross(Vec3<S>(x.w.cross(blade)));
    const Vec3<S> l_dot = (across_dot - l * l.dot(across_dot)) / length;
    rows.T.col(0).template tail<3>() = l;  // (2)
    rows.bias[0] = l_dot.dot(x.v);
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p; }
};

}  // namespace tandem
