// Spherical joint (ball): M turns freely about F's origin. Speeds are ω in the axes of M.
//
//   (1)  X_FM = (R(q), 0),  S = (R; 0),  c = (R (ω' × ω'); 0) = 0
//   (2)  φ = p
//   (3)  q from R;  ω' = Rᵀ ω,  W = (R; 0);  q̇ = ¼ T(q)ᵀ ω'
#pragma once

#include "tandem/joints/joint.hpp"

namespace tandem {

// Coordinates that begin with a quaternion and go on with plain numbers: shared by spherical and free joints.
struct QuaternionCoordinates {
  template <class S> VecUpTo7<S> coordinate_rate(const VecUpTo7<S>& q, const VecUpTo6<S>& v) const {  // (3)
    VecUpTo7<S> q_dot(v.size() + 1);
    q_dot.template head<4>() = quaternion_rate<S>(q.template head<4>(), v.template head<3>());
    q_dot.tail(v.size() - 3) = v.tail(v.size() - 3);
    return q_dot;
  }
  template <class S> VecUpTo7<S> retract(const VecUpTo7<S>& q, const VecUpTo6<S>& delta) const {
    VecUpTo7<S> moved(q.size());
    moved.template head<4>() = quaternion_retract<S>(q.template head<4>(), delta.template head<3>());
    moved.tail(q.size() - 4) = q.tail(q.size() - 4) + delta.tail(q.size() - 4);
    return moved;
  }
  template <class S> VecUpTo6<S> difference(const VecUpTo7<S>& q1, const VecUpTo7<S>& q0) const {
    VecUpTo6<S> delta(q1.size() - 1);
    delta.template head<3>() = quaternion_difference<S>(q1.template head<4>(), q0.template head<4>());
    delta.tail(q1.size() - 4) = q1.tail(q1.size() - 4) - q0.tail(q1.size() - 4);
    return delta;
  }
};

struct Spherical : QuaternionCoordinates {
  static constexpr std::string_view type = "spherical";
  static constexpr int nq = 4, nv = 3, position_rows = 3;
  static constexpr bool needs_axis = false;
  static constexpr std::array coordinates{JointCoordinate{"wx", true, false}, JointCoordinate{"wy", true, false},
                                          JointCoordinate{"wz", true, false}};
  static constexpr std::array<std::string_view, 3> row_names{"point x", "point y", "point z"};
  static constexpr LinkForm form = LinkForm::ball;
  static Spherical read(Properties&) { return {}; }

  template <class S> Pose<S> pose(const VecUpTo7<S>& q) const {  // (1)
    return {rotation_of<S>(q.template head<4>()), Vec3<S>::Zero()};
  }
  template <class S> void motion(const VecUpTo7<S>& q, const VecUpTo6<S>&, Mat6UpTo6<S>& S_F, Vec6<S>&) const {  // (1)
    S_F.template topRows<3>() = rotation_of<S>(q.template head<4>());
  }
  template <class S> void forbid(const Relative<S>& x, PairRows<S>& rows) const {  // (2)
    point_rows(x, rows, 0);
  }
  template <class S> void measure(const Relative<S>& x, VecUpTo7<S>& q) const {  // (3)
    q = quaternion_of<S>(x.R);
  }
  template <class S> void rates(const Relative<S>& x, Mat6UpTo6<S>& W, VecUpTo6<S>&) const {  // (3)
    W.template topRows<3>() = x.R;
  }
};

}  // namespace tandem
