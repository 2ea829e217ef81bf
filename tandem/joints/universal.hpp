// Universal joint (Cardan): M turns about z of F, then about its own x axis.
//
//   (1)  X_FM = (Rz(α) Rx(β), 0),  S = (z, x_M; 0, 0) with x_M = Rz(α) x,  c = (α̇ z × x_M β̇; 0)
//   (2)  φ = (p, x_M·z_F)
//   (3)  α = atan2(x_M·y_F, x_M·x_F),  β = atan2(R_32, R_33)
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Universal : ScalarCoordinates {
  static constexpr std::string_view type = "universal";
  static constexpr int nq = 2, nv = 2, position_rows = 3;
  static constexpr bool needs_second_axis = true;
  static constexpr std::array coordinates{JointCoordinate{"first", true}, JointCoordinate{"second", true}};
  static constexpr std::array<std::string_view, 4> row_names{"point x", "point y", "point z", "cross"};
  static constexpr LinkAxis axes[] = {{LinkAxis::turn, 2, 0}, {LinkAxis::turn, 0, 1}};
  static Universal read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_about_z<S>(q[0]) * rotation_about_x<S>(q[1]), Vec3<S>::Zero()};
  }
  template <class S>
  void motion(const VecUpTo7<S>& q, const VecUpTo6<S>& v, Mat6UpTo6<S>& S_F, Vec6<S>& c) const {  // (1)
    const Vec3<S> z = Vec3<S>::UnitZ();
    const Vec3<S> cross = rotation_about_z<S>(q[0]).col(0);
    S_F(2, 0) = S(1.0);
    S_F.col(1).template head<3>() = cross;
    c.template head<3>() = v[0] * v[1] * z.cross(cross);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    rotation_row(rotation_element(x, 2, 0), rows, point_rows(x, rows, 0));
  }
  template <class S> RotationReading<S> second_angle(const Relative<S>& x) const {  // (3)
    return angle_reading(x, rotation_element(x, 2, 1), rotation_element(x, 2, 2));
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {
    q[0] = angle_about_z(x).value;
    q[1] = second_angle(x).value;
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {
    read_rotation_rate(angle_about_z(x), 0, W, bias);
    read_rotation_rate(second_angle(x), 1, W, bias);
  }
};

}  // namespace tandem
