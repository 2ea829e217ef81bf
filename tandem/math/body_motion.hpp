// Motion of a body: pose of its centre frame C (origin at the mass centre, body axes) and velocity.
//
//   (1)  velocity V = (ω in body axes, v of the mass centre in world axes), acceleration y = (ω̇ in body axes, v̇)
//   (2)  a point at r = R p_CQ:   v_Q = v + ω × r,   a_Q = v̇ + α × r + ω × (ω × r),   α = R ω̇
#pragma once

#include "tandem/math/spatial.hpp"

namespace tandem {

template <class S> struct BodyMotion {
  Pose<S> X_WC;
  Vec3<S> w_B = Vec3<S>::Zero();  // ω in body axes
  Vec3<S> w_W = Vec3<S>::Zero();  // ω in world axes
  Vec3<S> v = Vec3<S>::Zero();    // of the mass centre, world axes

  Vec6<S> velocity() const { return (Vec6<S>() << w_B, v).finished(); }
};

// The Jacobian of a point at r (world axes, from the mass centre): v_Q = J V, J = [−sk(r) R, 1].
template <class S> Eigen::Matrix<S, 3, 6> point_jacobian(const BodyMotion<S>& body, const Vec3<S>& r) {
  Eigen::Matrix<S, 3, 6> j;
  j.template leftCols<3>() = -sk<S>(r) * body.X_WC.R;
  j.template rightCols<3>().setIdentity();
  return j;
}

}  // namespace tandem
