// Translational joint: M moves without turning. The joint of a point mass.
//
//   (1)  X_FM = (1, p),  S = (0; 1),  c = 0
//   (2)  φ = vee(R − Rᵀ)/2
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Translational : ScalarCoordinates {
  static constexpr std::string_view type = "translational";
  static constexpr int nq = 3, nv = 3, position_rows = 0;
  static constexpr bool needs_point = false, needs_axis = false;
  static constexpr std::array coordinates{JointCoordinate{"x"}, JointCoordinate{"y"}, JointCoordinate{"z"}};
  static constexpr std::array<std::string_view, 3> row_names{"rotation x", "rotation y", "rotation z"};
  static constexpr LinkAxis axes[] = {{LinkAxis::slide, 0, 0}, {LinkAxis::slide, 1, 1}, {LinkAxis::slide, 2, 2}};
  static Translational read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {Mat3<S>::Identity(), Vec3<S>(q[0], q[1], q[2])};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F.template bottomRows<3>().setIdentity();
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    no_rotation_rows(x, rows, 0);
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const { q = x.p; }
  template <class S> void rates(const Relative<S>&, Mat6UpTo6<S>& W, VecUpTo6<S>&) const {
    W.template bottomRows<3>().setIdentity();
  }
};

}  // namespace tandem
