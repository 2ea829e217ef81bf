// Prismatic joint (slider): M moves along z of F and does not turn.
//
//   (1)  X_FM = (1, z s),  S = (0; z),  c = 0
//   (2)  φ = (p_x, p_y, vee(R − Rᵀ)/2)
//   (3)  s = p_z
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

struct Prismatic : ScalarCoordinates {
  static constexpr std::string_view type = "prismatic";
  static constexpr int nq = 1, nv = 1, position_rows = 2;
  static constexpr bool needs_point = false;
  static constexpr std::array coordinates{JointCoordinate{"displacement"}};
  static constexpr std::array<std::string_view, 5> row_names{"point x", "point y", "rotation x", "rotation y",
                                                             "rotation z"};
  static constexpr LinkAxis axes[] = {{LinkAxis::slide, 2, 0}};
  static Prismatic read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {Mat3<S>::Identity(), q[0] * Vec3<S>::UnitZ()};
  }
  template <class S> void motion(const VecUpTo7<S>&, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F(5, 0) = S(1.0);
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    no_rotation_rows(x, rows, position_row(x, 1, rows, position_row(x, 0, rows, 0)));
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {  // (3)
    q[0] = x.p.z();
  }
  template <class S> void rates(const Relative<S>&, Mat6UpTo6<S>& W, VecUpTo6<S>&) const {  // (3)
    W(5, 0) = S(1.0);
  }
};

}  // namespace tandem
