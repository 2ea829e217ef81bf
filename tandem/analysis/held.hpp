// Coordinates that assembly holds, as rows behind those of the model.
//
//   (1)  a joint coordinate:               φ = q − value,                 φ̇ = Wᵀ V
//   (2)  x, y, z of a point at r = R p_CQ: φ = (p + r) · axis − value,    φ̇ = (v + ω × r) · axis
//   (3)  yaw, lean, pitch:                 φ = p_k − value,               φ̇ = (A'⁻¹ ω')_k      (math/euler312.hpp)
// A speed is held by the same row at velocity level: φ̇ = rate.
#pragma once

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

struct HeldReading {
  double value = 0.0, rate = 0.0;
};

HeldReading read_held(const Model& model, const ModelStart& held, const Kinematics<double>& kinematics);

// By name: JOINT, JOINT.COORDINATE, or BODY.x, y, z, yaw, lean or pitch. Throws std::out_of_range with a suggestion.
ModelStart find_held(const Model& model, std::string_view name);

// Neither value nor rate: the coordinate stays where it is. Only a rate: the speed is held and the coordinate is free.
inline bool holds_position(const ModelStart& held) { return held.value || !held.rate; }
inline bool holds_speed(const ModelStart& held) { return held.rate.has_value(); }

// Copies of the model for assembly alone (the rows have no bias): each held coordinate, or each held speed, is one row
// behind the model's own, in the order of Model::starts.
Model with_held_positions(const Model& model, const Kinematics<double>& guess);
Model with_held_speeds(const Model& model);

}  // namespace tandem
