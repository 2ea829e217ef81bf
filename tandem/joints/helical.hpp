// Helical joint (screw): M turns about z of F and advances by `pitch` metres per radian.
//
//   (1)  X_FM = (Rz(θ), z pθ),  S = (z; p z),  c = 0
//   (2)  φ = (p_x, p_y, z_M·x_F, z_M·y_F, p_z − pθ)
//   (3)  θ = atan2(x_M·y_F, x_M·x_F), taken on the turn nearest to p_z/p: the screw counts its own turns
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Helical : ScalarCoordinates {
  static constexpr std::string_view type = "helical";
  static constexpr int nq = 1, nv = 1, position_rows = 2;
  static constexpr std::array coordinates{JointCoordinate{"angle", true, true, true}};
  static constexpr std::array<std::string_view, 5> row_names{"point x", "point y", "axis x", "axis y", "screw"};

  Real pitch = 0.0;  // metres per radian

  static Helical read(Properties& properties) {
    Helical joint;
    joint.pitch = properties.number("pitch");
    return joint;
  }
  void check(Faults& faults) const {
    if (!(std::abs(value_of(pitch)) > 0.0) || !std::isfinite(value_of(pitch)))
      faults.error_in("pitch", "pitch must not be zero (metres per radian); use a revolute joint instead");
  }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_about_z<S>(q[0]), pitch * q[0] * Vec3<S>::UnitZ()};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F(2, 0) = S(1.0);
    S_F(5, 0) = S(pitch);
  }
  template <class S> RotationReading<S> angle(const Relative<S>& x) const {  // (3)
    RotationReading<S> reading = angle_about_z(x);
    reading.value = unwrap_angle<S>(reading.value, value_of(x.p.z()) / value_of(pitch));
    return reading;
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    int at = parallel_axis_rows(x, rows, position_row(x, 1, rows, position_row(x, 0, rows, 0)));
    const RotationReading<S> theta = angle(x);
    rotation_row<S>({-pitch * theta.value, -pitch * theta.gradient, -pitch * theta.bias}, rows, at);
    rows.phi[at] += x.p.z();
    rows.T(5, at) = S(1.0);
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const { q[0] = angle(x).value; }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {
    read_rotation_rate(angle(x), 0, W, bias);
  }
};

}  // namespace tandem
