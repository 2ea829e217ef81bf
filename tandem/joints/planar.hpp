// Planar joint: M moves in the x-y plane of F and turns about its z.
//
//   (1)  X_FM = (Rz(θ), (x, y, 0)),  S = (z, 0, 0; 0, x, y),  c = 0
//   (2)  φ = (p_z, z_M·x_F, z_M·y_F)
//   (3)  θ = atan2(x_M·y_F, x_M·x_F),  (x, y) = (p_x, p_y)
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Planar : ScalarCoordinates {
  static constexpr std::string_view type = "planar";
  static constexpr int nq = 3, nv = 3, position_rows = 1;
  static constexpr bool needs_point = false;
  static constexpr std::array coordinates{JointCoordinate{"angle", true}, JointCoordinate{"x"}, JointCoordinate{"y"}};
  static constexpr std::array<std::string_view, 3> row_names{"point z", "axis x", "axis y"};
  static constexpr LinkAxis axes[] = {{LinkAxis::slide, 0, 1}, {LinkAxis::slide, 1, 2}, {LinkAxis::turn, 2, 0}};
  static Planar read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_about_z<S>(q[0]), Vec3<S>(q[1], q[2], S(0.0))};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F(2, 0) = S(1.0);
    S_F(3, 1) = S(1.0);
    S_F(4, 2) = S(1.0);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    parallel_axis_rows(x, rows, position_row(x, 2, rows, 0));
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {  // (3)
    q[0] = angle_about_z(x).value;
    q[1] = x.p.x();
    q[2] = x.p.y();
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {  // (3)
    read_rotation_rate(angle_about_z(x), 0, W, bias);
    W(3, 1) = S(1.0);
    W(4, 2) = S(1.0);
  }
};

}  // namespace tandem
