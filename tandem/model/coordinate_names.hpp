// Coordinates by name, as people write them: JOINT, JOINT.COORDINATE, or BODY.x, y, z, yaw, lean or pitch.
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

// Throws std::out_of_range with a suggestion.
ModelStart find_coordinate(const Model& model, std::string_view name);

// The same, with .rate behind it for its rate, and outputs that are coordinates, rates or the speed of a point.
ModelReading find_reading(const Model& model, std::string_view name);
// Nothing when the output is none of these.
std::optional<ModelReading> reading_of(const Model& model, const ModelOutput& output);

// What was told about a name that is no coordinate, with a suggestion where it is much like a parameter.
std::string parameter_hint(const std::vector<std::pair<std::string, Real>>& parameters, std::string_view name,
                           std::string_view told);

}  // namespace tandem
