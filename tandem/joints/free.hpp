// Free joint: all six motions. Speeds are (ω in the axes of M, ṗ in the axes of F), the floating body's velocity.
//
//   (1)  X_FM = (R(q), p),  S = (R, 0; 0, 1),  c = 0
//   (2)  no rows
#pragma once

#include "tandem/joints/spherical.hpp"

namespace tandem {

struct Free : QuaternionCoordinates {
  static constexpr std::string_view type = "free";
  static constexpr int nq = 7, nv = 6, position_rows = 0;
  static constexpr bool needs_point = false, needs_axis = false;
  static constexpr std::array coordinates{JointCoordinate{"wx", true, false},
                                          JointCoordinate{"wy", true, false},
                                          JointCoordinate{"wz", true, false},
                                          JointCoordinate{"x"},
                                          JointCoordinate{"y"},
                                          JointCoordinate{"z"}};
  static constexpr std::array<std::string_view, 0> row_names{};
  static constexpr LinkForm form = LinkForm::floating;
  static Free read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_of<S>(q.template head<4>()), q.template tail<3>()};
  }
  template <class S> void motion(const VecUpTo7<S>& q, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F.template topLeftCorner<3, 3>() = rotation_of<S>(q.template head<4>());
    S_F.template bottomRightCorner<3, 3>().setIdentity();
  }
  template <class S> void forbid(const Relative<S>&, PairRows<S>&) const {}  // (2)
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {
    q.template head<4>() = quaternion_of<S>(x.R);
    q.template tail<3>() = x.p;
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>&) const {
    W.template topLeftCorner<3, 3>() = x.R;
    W.template bottomRightCorner<3, 3>().setIdentity();
  }
};

}  // namespace tandem
