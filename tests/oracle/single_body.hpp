// An oracle: one constrained body, solved in three ways: along its freedoms, with multipliers, and in its own
// coordinates.
//
// Spatial vectors are angular first. I is the inertia (6×6, positive definite), v = S q̇ the velocity, S(q) the allowed
// motion (6×n_f), T the forbidden one (6×n_c, n_f + n_c = 6, Tᵀ S = 0), a the spatial acceleration, f the external
// wrench, f_g a wrench known beforehand such as the weight, f_c the constraint wrench, which does no work: Sᵀ f_c = 0.
//
//   (1)  f + f_c = I a + p,                       p = v ×* I v − f_g
//   (2)  a = S q̈ + ṡ,                             ṡ = Ṡ q̇
// Method 1, along the freedoms:
//   (3)  q̈ = (Sᵀ I S)⁻¹ Sᵀ (f − I ṡ − p)
//   (4)  a = Φ f + b,                             Φ = S (Sᵀ I S)⁻¹ Sᵀ,  b = ṡ − Φ (I ṡ + p)
// Method 2, with multipliers; the second row is d/dt (Tᵀ v) = 0:
//   (5)  [I T; Tᵀ 0] [a; −λ] = [f − p; −Ṫᵀ v],    f_c = T λ
//   (6)  Ṫᵀ v = −Tᵀ ṡ,                            from d/dt (Tᵀ S) = 0
// Method 3, in the body's own coordinates:
//   (7)  H q̈ + C = τ,                             H = Sᵀ I S,  C = Sᵀ (I ṡ + p),  τ = Sᵀ f
//
// Trap: axes and origin of all vectors must both be fixed in space or both be fixed in the body. Only then is a the
// plain rate of the components of v, and ṡ that of S at held q̇. World axes at a moving centre will not do.
// Source: Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 3; method 1 is that of Eldredge (2008).
#pragma once

#include "tandem/math/spatial.hpp"

namespace tandem::oracle {

struct ConstrainedBody {
  Mat6<double> I = Mat6<double>::Zero();
  MatX<double> S;                             // 6 × n_f, independent columns; n_f from 0 to 6
  Vec6<double> s_dot = Vec6<double>::Zero();  // Ṡ q̇
  Vec6<double> p = Vec6<double>::Zero();      // see bias_wrench
};

// How the body answers to a wrench through its joint: a = Φ f + b.
struct ApparentInertia {
  Mat6<double> Phi;  // apparent inverse inertia: range S, null space T, rank n_f, Φ I Φ = Φ
  Vec6<double> b;    // the acceleration without an external wrench
};

struct ForbiddenMotion {
  MatX<double> T;        // 6 × n_c, independent columns, Tᵀ S = 0
  VecX<double> T_dot_v;  // Ṫᵀ v
};

struct JointSpaceEquation {  // H q̈ + C = τ
  MatX<double> H;
  VecX<double> C;
};

struct ConstrainedMotion {
  VecX<double> q_ddot;
  Vec6<double> a;
  Vec6<double> f_c;
};

// All of these throw std::invalid_argument when sizes do not fit, a number is not finite, I is not symmetric positive
// definite, or the columns of S are not independent.

Vec6<double> bias_wrench(const Vec6<double>& v, const Mat6<double>& I, const Vec6<double>& f_g);

ApparentInertia apparent_inertia(const ConstrainedBody& body);
ConstrainedMotion solve_by_apparent_inertia(const ConstrainedBody& body, const Vec6<double>& f);  // method 1

// T with orthonormal columns, found from S, and its rate by (6).
ForbiddenMotion forbidden_motion(const ConstrainedBody& body);
// Also refuses a T that S violates, and a rate of T that does not fit the rate of S.
ConstrainedMotion solve_by_multipliers(const ConstrainedBody& body, const ForbiddenMotion& forbidden,
                                       const Vec6<double>& f);                               // method 2
ConstrainedMotion solve_by_multipliers(const ConstrainedBody& body, const Vec6<double>& f);  // method 2, T from S

JointSpaceEquation joint_space_equation(const ConstrainedBody& body);
ConstrainedMotion solve_in_joint_space(const ConstrainedBody& body, const Vec6<double>& f);  // method 3

}  // namespace tandem::oracle
