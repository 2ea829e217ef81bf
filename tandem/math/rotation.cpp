#include "tandem/math/rotation.hpp"

namespace tandem {

Matrix3 rotation_with_z_and_x(const Vector3& z, const Vector3& x_hint) {
  Matrix3 r;
  r.col(2) = z.normalized();
  r.col(0) = (x_hint - r.col(2) * r.col(2).dot(x_hint)).normalized();
  r.col(1) = r.col(2).cross(r.col(0));
  return r;
}

Matrix3 rotation_with_z(const Vector3& z) {
  // World axes for a vertical axis; otherwise the coordinate axis least along z helps to choose x.
  Eigen::Index least = 0;
  z.cwiseAbs().minCoeff(&least);
  return rotation_with_z_and_x(z, Vector3::Unit(least));
}

}  // namespace tandem
