#include "tandem/model/coordinate_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "tandem/base/suggest.hpp"

namespace tandem {

namespace {

constexpr std::array<std::string_view, 6> read_quantities{"x", "y", "z", "yaw", "lean", "pitch"};

// As they are written: the name of a joint with one coordinate alone stands for it.
std::vector<std::string> coordinate_names(const ModelJoint& joint) {
  std::vector<std::string> names;
  if (!joint.joint()) return names;
  const auto& coordinates = joint.joint()->traits().coordinates;
  for (const JointCoordinate& coordinate : coordinates)
    if (coordinate.scalar && !(joint.positions_only && coordinate.angular))
      names.push_back(coordinates.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, coordinate.name));
  return names;
}

[[noreturn]] void refuse_name(const Model& model, std::string_view name, bool outputs_too) {
  std::vector<std::string> names;
  std::string of_joint;
  for (const ModelJoint& joint : model.joints) {
    const std::vector<std::string> own = coordinate_names(joint);
    names.insert(names.end(), own.begin(), own.end());
    if (name != joint.name && name.substr(0, name.rfind('.')) != joint.name) continue;
    of_joint = own.empty() ? fmt::format("; joint \"{}\" has none to name", joint.name)
                           : fmt::format("; joint \"{}\" has {}", joint.name, list_of(own));
  }
  for (const ModelOutput& output : model.outputs)
    if (outputs_too && reading_of(model, output)) names.push_back(output.name);
  for (const Body& body : model.bodies)
    for (const std::string_view quantity : read_quantities)
      if (!body.point_mass || quantity.size() == 1) names.push_back(fmt::format("{}.{}", body.name, quantity));
  std::string hint = did_you_mean(name, names);
  if (hint.empty()) hint = of_joint;
  if (hint.empty()) hint = "; write JOINT, JOINT.COORDINATE, or BODY.x, y, z, yaw, lean or pitch";
  throw std::out_of_range(fmt::format("there is no coordinate \"{}\"{}", name, hint));
}

std::optional<ModelStart> find_joint_coordinate(const Model& model, std::string_view owner, std::string_view wanted) {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (joint.name != owner || !joint.joint()) continue;
    const auto& coordinates = joint.joint()->traits().coordinates;
    if (wanted.empty() && coordinates.size() != 1) continue;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      if (!wanted.empty() && coordinates[k].name != wanted) continue;
      if (!coordinates[k].scalar || (joint.positions_only && coordinates[k].angular)) continue;
      ModelStart held;
      held.name = coordinates.size() == 1 ? joint.name : fmt::format("{}.{}", owner, coordinates[k].name);
      held.coordinate = {static_cast<int>(i), static_cast<int>(k), 1.0};
      return held;
    }
  }
  return std::nullopt;
}

std::optional<ModelStart> find_body_quantity(const Model& model, std::string_view owner, std::string_view wanted) {
  const auto which = std::find(read_quantities.begin(), read_quantities.end(), wanted);
  for (std::size_t i = 0; i < model.bodies.size() && which != read_quantities.end(); ++i) {
    if (model.bodies[i].name != owner || (model.bodies[i].point_mass && wanted.size() > 1)) continue;
    ModelStart held;
    held.of = static_cast<ModelStart::Of>(1 + (which - read_quantities.begin()));
    held.name = fmt::format("{}.{}", owner, wanted);
    held.point.body = static_cast<int>(i);
    return held;
  }
  return std::nullopt;
}

std::optional<ModelStart> coordinate_of(const Model& model, std::string_view name) {
  if (auto found = find_joint_coordinate(model, name, "")) return found;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 >= name.size()) return std::nullopt;
  const std::string_view owner = name.substr(0, dot), wanted = name.substr(dot + 1);
  if (auto found = find_joint_coordinate(model, owner, wanted)) return found;
  return find_body_quantity(model, owner, wanted);
}

}  // namespace

ModelStart find_coordinate(const Model& model, std::string_view name) {
  if (const auto found = coordinate_of(model, name)) return *found;
  refuse_name(model, name, false);
}

std::optional<ModelReading> reading_of(const Model& model, const ModelOutput& output) {
  ModelReading reading;
  reading.name = output.name;
  reading.coordinate.name = output.name;
  reading.coordinate.point = output.point;
  using Of = ModelStart::Of;
  const bool whole = output.component == Component::norm;
  const auto axis = static_cast<Of>(1 + static_cast<int>(output.component));  // x, y, z in both
  switch (output.quantity) {
    case Quantity::yaw:
    case Quantity::lean:
    case Quantity::pitch:
      reading.coordinate.of = output.quantity == Quantity::yaw    ? Of::yaw
                              : output.quantity == Quantity::lean ? Of::lean
                                                                  : Of::pitch;
      return reading;
    case Quantity::position:
      if (whole) return std::nullopt;
      reading.coordinate.of = axis;
      return reading;
    case Quantity::velocity:
      reading.what = whole ? ModelReading::What::speed : ModelReading::What::rate;
      reading.coordinate.of = whole ? Of::x : axis;
      return reading;
    case Quantity::coordinate:
    case Quantity::rate:
      if (model_coordinate(model.joints[static_cast<std::size_t>(output.joint)], output.coordinate) < 0)
        return std::nullopt;
      if (output.quantity == Quantity::rate) reading.what = ModelReading::What::rate;
      reading.coordinate.coordinate = {output.joint, output.coordinate, 1.0};
      return reading;
    default:
      return std::nullopt;
  }
}

ModelReading find_reading(const Model& model, std::string_view name) {
  constexpr std::string_view suffix = ".rate";
  const bool rate = name.ends_with(suffix) && name.size() > suffix.size();
  const std::string_view plain = rate ? name.substr(0, name.size() - suffix.size()) : name;
  for (const ModelOutput& output : model.outputs) {
    if (output.name != plain) continue;
    std::optional<ModelReading> reading = reading_of(model, output);
    if (!reading || (rate && reading->what != ModelReading::What::value)) continue;
    if (rate) reading->what = ModelReading::What::rate;
    reading->name = name;
    return *reading;
  }
  ModelReading out;
  out.name = name;
  if (const auto found = coordinate_of(model, name)) {
    out.coordinate = *found;
    return out;
  }
  const auto found = coordinate_of(model, plain);
  for (const ModelOutput& output : model.outputs)
    if (!found && output.name == plain)
      throw std::out_of_range(rate && reading_of(model, output)
                                  ? fmt::format("output \"{}\" is a rate already: write it without .rate", plain)
                                  : fmt::format("output \"{}\" is no coordinate, rate or speed", plain));
  if (!found) refuse_name(model, plain, true);
  out.coordinate = *found;
  out.what = rate ? ModelReading::What::rate : ModelReading::What::value;
  return out;
}

std::string parameter_hint(const std::vector<std::pair<std::string, Real>>& parameters, std::string_view name,
                           std::string_view told) {
  std::vector<std::string> names;
  for (const auto& parameter : parameters) names.push_back(parameter.first);
  const std::string hint = did_you_mean(name, names);
  if (hint.empty() || told.ends_with('?')) return std::string(told);
  return fmt::format("there is no coordinate or parameter \"{}\"{}", name, hint);
}

}  // namespace tandem
