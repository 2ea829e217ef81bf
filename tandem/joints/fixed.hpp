// Fixed joint (weld): M stays on F.
//
//   (1)  X_FM = 1,  no motion
//   (2)  φ = (p, vee(R − Rᵀ)/2)
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Fixed : ScalarCoordinates {
  static constexpr std::string_view type = "fixed";
  static constexpr int nq = 0, nv = 0, position_rows = 3;
  static constexpr bool needs_point = false, needs_axis = false;
  static constexpr std::array<JointCoordinate, 0> coordinates{};
  static constexpr std::array<std::string_view, 6> row_names{"point x",    "point y",    "point z",
                                                             "rotation x", "rotation y", "rotation z"};
  static constexpr LinkForm form = LinkForm::weld;
  static Fixed read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>&) const {  // (1)
    return {};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>&, Vec6<S>&) const {}
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    no_rotation_rows(x, rows, point_rows(x, rows, 0));
  }
  template <class S> void measure(const Relative<S>&, VecUpTo7<S>&) const {}
  template <class S> void rates(const Relative<S>&, Mat6UpTo6<S>&, VecUpTo6<S>&) const {}
};

}  // namespace tandem
