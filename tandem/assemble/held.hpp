// Coordinates that assembly holds, as rows behind those of the model.
//
//   (1)  a joint coordinate:               φ = q − value,                 φ̇ = Wᵀ V
//   (2)  x, y, z of a point at r = R p_CQ: φ = (p + r) · axis − value,    φ̇ = (v + ω × r) · axis
//   (3)  yaw, lean, pitch:                 φ = p_k − value,               φ̇ = (A'⁻¹ ω')_k      (math/euler312.hpp)
// A speed is held by the same row at velocity level: φ̇ = rate.
#pragma once

#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {

// Neither value nor rate: the coordinate stays where it is. Only a rate: the speed is held and the coordinate is free.
inline bool holds_position(const ModelStart& held) { return held.value || !held.rate; }
inline bool holds_speed(const ModelStart& held) { return held.rate.has_value(); }

// Copies of the model for assembly alone (the rows have no bias): each held coordinate, or each held speed, is one row
// behind the model's own, in the order of Model::starts.
Model with_held_positions(const Model& model, const Kinematics<double>& guess);
Model with_held_speeds(const Model& model);

}  // namespace tandem
