// Shapes: mass and inertia of simple solids, and what the viewer draws.
//
//   (1)  sphere 2/5 m r²;  ellipsoid m/5 (b² + c²);  box m/12 (b² + c²);
//        cylinder m/12 (3r² + l²), axial m r²/2;  rod m l²/12, axial 0;  disc m r²/4, axial m r²/2;
//        ring m r²/2, axial m r²
//   (2)  several shapes add up by the parallel-axis theorem
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/math/spatial.hpp"

namespace tandem {

enum class ShapeKind { sphere, ellipsoid, box, cylinder, rod, disc, ring };

struct Shape {
  ShapeKind kind = ShapeKind::sphere;
  Real radius = 0.0;               // sphere, cylinder, disc, ring
  Real length = 0.0;               // cylinder, rod
  Vector3 size = Vector3::Zero();  // box: edges; ellipsoid: semi-axes
  std::optional<Real> mass{};
  std::optional<Real> density{};       // a volume, an area (disc) or a length (rod, ring)
  Vector3 position = Vector3::Zero();  // of its centre, in the body's frame
  std::optional<Vector3> axis{};       // of cylinder (default z), rod (x), disc and ring (y)
  std::string color{};                 // see is_color(); empty: the viewer chooses
  Source source{};

  static Shape sphere(Real radius);
  static Shape ellipsoid(const Vector3& semi_axes);
  static Shape box(const Vector3& size);
  static Shape cylinder(Real radius, Real length, const Vector3& axis = Vector3::UnitZ());
  static Shape rod(Real length, const Vector3& axis = Vector3::UnitX());
  static Shape disc(Real radius, const Vector3& axis = Vector3::UnitY());
  static Shape ring(Real radius, const Vector3& axis = Vector3::UnitY());

  bool has_radius() const;  // which measures the kind has
  bool has_length() const;
  bool has_size() const;
  bool has_axis() const;
  Vector3 direction() const;  // the axis, or its default
  Real measure() const;       // volume, area or length
  void check(Faults& faults) const;
};

const std::vector<std::string>& shape_names();
std::optional<ShapeKind> shape_kind(std::string_view name);
const std::vector<std::string>& color_names();  // those of CSS, sorted
bool is_color(std::string_view text);           // one of them, or #rrggbb

// Mass, centre and inertia of shapes. A shape without mass or density takes part in proportion to its measure,
// which makes sense only when `total` scales the sum.
SpatialInertia<Real> inertia_of(const std::vector<Shape>& shapes, std::optional<Real> total_mass);

}  // namespace tandem
