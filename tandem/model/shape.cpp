#include "tandem/model/shape.hpp"

#include <algorithm>

#include "tandem/base/suggest.hpp"

namespace tandem {

Shape Shape::sphere(Real radius) { return {.kind = ShapeKind::sphere, .radius = radius}; }
Shape Shape::ellipsoid(const Vector3& semi_axes) { return {.kind = ShapeKind::ellipsoid, .size = semi_axes}; }
Shape Shape::box(const Vector3& size) { return {.kind = ShapeKind::box, .size = size}; }
Shape Shape::cylinder(Real radius, Real length, const Vector3& axis) {
  return {.kind = ShapeKind::cylinder, .radius = radius, .length = length, .axis = axis};
}
Shape Shape::rod(Real length, const Vector3& axis) { return {.kind = ShapeKind::rod, .length = length, .axis = axis}; }
Shape Shape::disc(Real radius, const Vector3& axis) {
  return {.kind = ShapeKind::disc, .radius = radius, .axis = axis};
}
Shape Shape::ring(Real radius, const Vector3& axis) {
  return {.kind = ShapeKind::ring, .radius = radius, .axis = axis};
}

const std::vector<std::string>& shape_names() {
  static const std::vector<std::string> names{"sphere", "ellipsoid", "box", "cylinder", "rod", "disc", "ring"};
  return names;
}

std::optional<ShapeKind> shape_kind(std::string_view name) {
  const auto& names = shape_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ShapeKind>(found - names.begin());
}

Vector3 Shape::direction() const {
  if (axis) return axis->normalized();
  switch (kind) {
    case ShapeKind::rod:
      return Vector3::UnitX();
    case ShapeKind::disc:
    case ShapeKind::ring:
      return Vector3::UnitY();
    default:
      return Vector3::UnitZ();
  }
}

Real Shape::measure() const {
  switch (kind) {
    case ShapeKind::sphere:
      return 4.0 / 3.0 * pi * radius * radius * radius;
    case ShapeKind::ellipsoid:
      return 4.0 / 3.0 * pi * size.prod();
    case ShapeKind::box:
      return size.prod();
    case ShapeKind::cylinder:
      return pi * radius * radius * length;
    case ShapeKind::rod:
      return length;
    case ShapeKind::disc:
      return pi * radius * radius;
    case ShapeKind::ring:
      return 2.0 * pi * radius;
  }
  return 0.0;
}

bool Shape::has_radius() const {
  return kind == ShapeKind::sphere || kind == ShapeKind::cylinder || kind == ShapeKind::disc || kind == ShapeKind::ring;
}
bool Shape::has_length() const { return kind == ShapeKind::cylinder || kind == ShapeKind::rod; }
bool Shape::has_size() const { return kind == ShapeKind::box || kind == ShapeKind::ellipsoid; }
bool Shape::has_axis() const { return !has_size() && kind != ShapeKind::sphere; }

void Shape::check(Faults& faults) const {
  if (has_radius() && !(radius > 0.0))
    faults.error_in("radius", "the radius of a shape must be positive" + not_this(value_of(radius)));
  if (has_length() && !(length > 0.0))
    faults.error_in("length", "the length of a shape must be positive" + not_this(value_of(length)));
  if (has_size() && !(size.minCoeff() > 0.0))
    faults.error_in("size", "the three sizes of a shape must be positive" + not_this(value_of(size.minCoeff())));
  if (mass && density) faults.error_in("density", "a shape takes mass or density, not both");
  if (mass && !(*mass > 0.0))
    faults.error_in("mass", "the mass of a shape must be positive" + not_this(value_of(*mass)));
  if (density && !(*density > 0.0))
    faults.error_in("density", "the density of a shape must be positive" + not_this(value_of(*density)));
  if (axis && !(axis->norm() > 0.0)) faults.error_in("axis", "the axis of a shape must not be zero");
  if (!color.empty() && !is_color(color))
    faults.error_in("color", "\"" + color + "\" is no color" + did_you_mean(color, color_names()) +
                                 "; give a CSS color name such as \"steelblue\", or \"#rrggbb\"");
}

static Vector3 unit_moments(const Shape& shape) {  // (1), for mass 1, z along the shape's axis
  const Real r2 = shape.radius * shape.radius, l2 = shape.length * shape.length;
  const Vector3 s2 = shape.size.cwiseAbs2();
  switch (shape.kind) {
    case ShapeKind::sphere:
      return Vector3::Constant(0.4 * r2);
    case ShapeKind::ellipsoid:
      return Vector3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()) / 5.0;
    case ShapeKind::box:
      return Vector3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()) / 12.0;
    case ShapeKind::cylinder:
      return {(3.0 * r2 + l2) / 12.0, (3.0 * r2 + l2) / 12.0, r2 / 2.0};
    case ShapeKind::rod:
      return {l2 / 12.0, l2 / 12.0, 0.0};
    case ShapeKind::disc:
      return {r2 / 4.0, r2 / 4.0, r2 / 2.0};
    case ShapeKind::ring:
      return {r2 / 2.0, r2 / 2.0, r2};
  }
  return Vector3::Zero();
}

static Matrix3 inertia_about_centre(const Shape& shape, Real mass) {
  const Vector3 moments = mass * unit_moments(shape);
  if (shape.kind == ShapeKind::box || shape.kind == ShapeKind::ellipsoid || shape.kind == ShapeKind::sphere)
    return moments.asDiagonal();
  // Two equal moments across the axis a: I = t 1 + (s − t) a aᵀ.
  const Vector3 a = shape.direction();
  return moments.x() * Matrix3::Identity() + (moments.z() - moments.x()) * (a * a.transpose());
}

SpatialInertia<Real> inertia_of(const std::vector<Shape>& shapes, std::optional<Real> total_mass) {
  std::vector<Real> masses;
  Real sum = 0.0;
  for (const Shape& shape : shapes) {
    masses.push_back(shape.mass ? *shape.mass : shape.density.value_or(1.0) * shape.measure());
    sum += masses.back();
  }
  const Real scale = total_mass ? *total_mass / sum : 1.0;
  SpatialInertia<Real> result;
  result.mass = scale * sum;
  for (std::size_t i = 0; i < shapes.size(); ++i) result.center += masses[i] / sum * shapes[i].position;
  for (std::size_t i = 0; i < shapes.size(); ++i) {  // (2)
    const Matrix3 d = sk<Real>(shapes[i].position - result.center);
    result.about_center += inertia_about_centre(shapes[i], scale * masses[i]) + scale * masses[i] * (d * d.transpose());
  }
  return result;
}

}  // namespace tandem
