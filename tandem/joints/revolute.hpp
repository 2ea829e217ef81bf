// Revolute joint (hinge): M turns about z of F.
//
//   (1)  X_FM = (Rz(θ), 0),  S = (z; 0),  c = 0
//   (2)  φ = (p, z_M·x_F, z_M·y_F)
//   (3)  θ = atan2(x_M·y_F, x_M·x_F)
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Revolute : ScalarCoordinates {
  static constexpr std::string_view type = "revolute";
  static constexpr int nq = 1, nv = 1, position_rows = 3;
  static constexpr std::array coordinates{JointCoordinate{"angle", true}};
  static constexpr std::array<std::string_view, 5> row_names{"point x", "point y", "point z", "axis x", "axis y"};
  static constexpr LinkAxis axes[] = {{LinkAxis::turn, 2, 0}};
  static Revolute read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_about_z<S>(q[0]), Vec3<S>::Zero()};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F(2, 0) = S(1.0);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    parallel_axis_rows(x, rows, point_rows(x, rows, 0));
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {  // (3)
    q[0] = angle_about_z(x).value;
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {  // (3)
    read_rotation_rate(angle_about_z(x), 0, W, bias);
  }
};

}  // namespace tandem
