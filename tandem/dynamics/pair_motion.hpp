// From the motion of two bodies to the relative motion of M seen from F, and its linear map.
//
// F on body A, M on body B; o = p_M − p_A, r = p_M − p_B (world axes), R = R_WF.
//
//   (1)  ω_FM = Rᵀ(ω_B − ω_A),   ṗ_FM = Rᵀ(v_B + ω_B × r − v_A − ω_A × o)
//   (2)  (ω_FM, ṗ_FM) = G_A V_A + G_B V_B,  V = (ω in body axes, v of the mass centre)
//   (3)  d/dt (ω_FM, ṗ_FM) = G_A y_A + G_B y_B + γ,
//        γ_ω = −Rᵀ(ω_A × ω_B)
//        γ_p = Rᵀ(ω_B × (ω_B × r) − ω_A × (ω_A × o) − 2 ω_A × R ṗ_FM)
#pragma once

#include "tandem/math/body_motion.hpp"
#include "tandem/math/relative.hpp"

namespace tandem {

template <class S> struct PairMotion {
  Relative<S> x;
  Mat6<S> G_first = Mat6<S>::Zero(), G_second = Mat6<S>::Zero();
  Vec6<S> gamma = Vec6<S>::Zero();
  Pose<S> X_WF;
  Vec3<S> p_WM;
};

template <class S>
void update_pair(const BodyMotion<S>& a, const Pose<Real>& X_AF, const BodyMotion<S>& b, const Pose<Real>& X_BM,
                 PairMotion<S>& out) {
  const Pose<S> X_WF = a.X_WC * X_AF.cast<S>();
  const Pose<S> X_WM = b.X_WC * X_BM.cast<S>();
  const Mat3<S> Rt = X_WF.R.transpose();
  const Vec3<S> o = X_WM.p - a.X_WC.p, r = X_WM.p - b.X_WC.p;
  out.X_WF = X_WF;
  out.p_WM = X_WM.p;
  out.x.R = Rt * X_WM.R;
  out.x.p = Rt * (X_WM.p - X_WF.p);
  out.x.w = Rt * (b.w_W - a.w_W);  // (1)
  const Vec3<S> v_rel = b.v + b.w_W.cross(r) - a.v - a.w_W.cross(o);
  out.x.v = Rt * v_rel;

  out.G_first.template topLeftCorner<3, 3>() = -Rt * a.X_WC.R;  // (2)
  out.G_first.template bottomLeftCorner<3, 3>() = Rt * sk<S>(o) * a.X_WC.R;
  out.G_first.template bottomRightCorner<3, 3>() = -Rt;
  out.G_second.template topLeftCorner<3, 3>() = Rt * b.X_WC.R;
  out.G_second.template bottomLeftCorner<3, 3>() = -Rt * sk<S>(r) * b.X_WC.R;
  out.G_second.template bottomRightCorner<3, 3>() = Rt;

  out.gamma.template head<3>() = -Rt * a.w_W.cross(b.w_W);  // (3)
  out.gamma.template tail<3>() =
      Rt * (b.w_W.cross(Vec3<S>(b.w_W.cross(r))) - a.w_W.cross(Vec3<S>(a.w_W.cross(o))) - 2.0 * a.w_W.cross(v_rel));
}

}  // namespace tandem
