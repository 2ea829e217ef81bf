// What a named coordinate reads: its value, its rate and its acceleration.
//
//   (1)  of a joint:                 q, v as measured,   v̇ = Wᵀ (G_A y_A + G_B y_B + γ) + rate bias
//   (2)  x, y, z of a point at r:    p + r,   v + ω × r,   v̇ + α × r + ω × (ω × r)
//   (3)  yaw, lean, pitch:           p,   ṗ = A'⁻¹ ω',   p̈ = A'⁻¹ (ω̇' − Ȧ' ṗ)              (math/euler312.hpp)
#pragma once

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

template <class S> struct CoordinateReading { S value{}, rate{}, acceleration{}; };

// `y`: the accelerations of all bodies, laid out as State::v. Without them there is no acceleration.
template <class S>
CoordinateReading<S> read_coordinate(const Model& model, const ModelStart& what, const Kinematics<S>& kinematics,
                                     const VecX<S>* y = nullptr);

// The row w with rate = w · v: also what an effort of 1 along the coordinate does to the bodies.
VecX<Real> rate_row(const Model& model, const ModelStart& what, const Kinematics<Real>& kinematics);

// Radians, or metres.
bool is_angular(const Model& model, const ModelStart& what);

#define TANDEM_DECLARE(S)                                                                                        \
  extern template CoordinateReading<S> read_coordinate<S>(const Model&, const ModelStart&, const Kinematics<S>&, \
                                                          const VecX<S>*);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
