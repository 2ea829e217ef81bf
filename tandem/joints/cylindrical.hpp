// Cylindrical joint: M turns about and slides along z of F.
//
//   (1)  X_FM = (Rz(θ), z s),  S = (z, 0; 0, z),  c = 0
//   (2)  φ = (p_x, p_y, z_M·x_F, z_M·y_F)
//   (3)  θ = atan2(x_M·y_F, x_M·x_F),  s = p_z
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Cylindrical : ScalarCoordinates {
  static constexpr std::string_view type = "cylindrical";
  static constexpr int nq = 2, nv = 2, position_rows = 2;
  static constexpr std::array coordinates{JointCoordinate{"angle", true}, JointCoordinate{"displacement"}};
  static constexpr std::array<std::string_view, 4> row_names{"point x", "point y", "axis x", "axis y"};
  static constexpr LinkAxis axes[] = {{LinkAxis::slide, 2, 1}, {LinkAxis::turn, 2, 0}};
  static Cylindrical read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_about_z<S>(q[0]), q[1] * Vec3<S>::UnitZ()};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F(2, 0) = S(1.0);
    S_F(5, 1) = S(1.0);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    parallel_axis_rows(x, rows, position_row(x, 1, rows, position_row(x, 0, rows, 0)));
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {  // (3)
    q[0] = angle_about_z(x).value;
    q[1] = x.p.z();
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>& bias) const {  // (3)
    read_rotation_rate(angle_about_z(x), 0, W, bias);
    W(5, 1) = S(1.0);
  }
};

}  // namespace tandem
