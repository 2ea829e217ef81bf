#include <map>

#include "tandem/model/compiler.hpp"

namespace tandem {

namespace {

enum class Of { body, joint_coordinate, reaction, drive, model };

struct QuantityInfo {
  Quantity quantity;
  Of of;
  const char* unit;
};

const std::map<std::string, QuantityInfo, std::less<>>& quantities() {
  static const std::map<std::string, QuantityInfo, std::less<>> all{
      {"position", {Quantity::position, Of::body, "m"}},
      {"velocity", {Quantity::velocity, Of::body, "m/s"}},
      {"acceleration", {Quantity::acceleration, Of::body, "m/s^2"}},
      {"angular_velocity", {Quantity::angular_velocity, Of::body, "rad/s"}},
      {"angular_acceleration", {Quantity::angular_acceleration, Of::body, "rad/s^2"}},
      {"yaw", {Quantity::yaw, Of::body, "rad"}},
      {"lean", {Quantity::lean, Of::body, "rad"}},
      {"pitch", {Quantity::pitch, Of::body, "rad"}},
      {"coordinate", {Quantity::coordinate, Of::joint_coordinate, ""}},
      {"rate", {Quantity::rate, Of::joint_coordinate, "/s"}},
      {"coordinate_acceleration", {Quantity::coordinate_acceleration, Of::joint_coordinate, "/s^2"}},
      {"force", {Quantity::force, Of::reaction, "N"}},
      {"torque", {Quantity::torque, Of::reaction, "N m"}},
      {"effort", {Quantity::effort, Of::drive, ""}},
      {"kinetic_energy", {Quantity::kinetic_energy, Of::model, "J"}},
      {"potential_energy", {Quantity::potential_energy, Of::model, "J"}},
      {"energy", {Quantity::energy, Of::model, "J"}},
      {"largest_speed", {Quantity::largest_speed, Of::model, ""}},
  };
  return all;
}

bool is_angle(Quantity quantity) {
  return quantity == Quantity::yaw || quantity == Quantity::lean || quantity == Quantity::pitch;
}

}  // namespace

void Compiler::compile_outputs() {
  Names taken;
  for (const OutputDescription& in : in_.outputs) {
    begin("output", in, taken);
    compile_output(in);
  }
}

void Compiler::compile_output(const OutputDescription& in) {
  const auto found = quantities().find(in.quantity);
  if (found == quantities().end()) {
    std::vector<std::string> names;
    for (const auto& [name, info] : quantities()) names.push_back(name);
    return error(in.source, "quantity",
                 fmt::format("there is no quantity \"{}\"{}; known are {}", in.quantity,
                             did_you_mean(in.quantity, names), list_of(names)));
  }
  ModelOutput out;
  out.name = in.name;
  out.quantity = found->second.quantity;
  out.unit = found->second.unit;
  static const std::vector<std::string> components{"x", "y", "z", "norm"};
  const std::string component = in.component.empty() ? "norm" : in.component;
  const auto which = std::find(components.begin(), components.end(), component);
  if (which == components.end())
    return error(in.source, "component", fmt::format("component must be {}", list_of(components)));
  out.component = static_cast<Component>(which - components.begin());

  bool good = true;
  switch (found->second.of) {
    case Of::body:
      good = point_output(in, out);
      break;
    case Of::joint_coordinate:
      good = joint_output(in, out);
      break;
    case Of::reaction:
      good = reaction_output(in, out);
      break;
    case Of::drive:
      good = joint_output(in, out);
      break;
    case Of::model:
      break;
  }
  if (good) out_.outputs.push_back(std::move(out));
}

bool Compiler::point_output(const OutputDescription& in, ModelOutput& out) {
  if (in.body.empty()) {
    error(in.source, "body", fmt::format("quantity \"{}\" needs a body", in.quantity));
    return false;
  }
  const auto body = find_body(in.source, "body", in.body);
  if (!body) return false;
  if (is_angle(out.quantity) && (*body == world || out_.bodies[index(*body)].point_mass)) {
    error(in.source, "body", fmt::format("\"{}\" has no orientation to read", in.body));
    return false;
  }
  Pose<Real> X_WF = start_pose(*body);
  if (in.point) X_WF.p = *in.point;
  out.point = at(*body, X_WF);
  return true;
}

bool Compiler::joint_output(const OutputDescription& in, ModelOutput& out) {
  if (in.joint.empty()) {
    error(in.source, "joint", fmt::format("quantity \"{}\" needs a joint", in.quantity));
    return false;
  }
  const auto ref = find_coordinate(in.source, {in.joint, in.coordinate}, out.quantity == Quantity::coordinate);
  if (!ref) return false;
  out.joint = ref->joint;
  out.coordinate = ref->coordinate;
  const bool angular = out_.joints[index(ref->joint)].joint()->traits().coordinates[index(ref->coordinate)].angular;
  if (out.quantity == Quantity::effort) {
    out.unit = angular ? "N m" : "N";
    for (std::size_t i = 0; i < out_.drives.size(); ++i)
      if (out_.drives[i].coordinate.joint == ref->joint && out_.drives[i].coordinate.coordinate == ref->coordinate)
        out.drive = static_cast<int>(i);
    if (out.drive < 0 && !faults_.any_error())
      error(in.source, "joint", fmt::format("joint \"{}\" is not driven there, so it has no effort", in.joint));
    return out.drive >= 0;
  }
  out.unit = (angular ? "rad" : "m") + out.unit;
  return true;
}

bool Compiler::reaction_output(const OutputDescription& in, ModelOutput& out) {
  if (in.source.is_refused("constraint")) return false;
  if (in.joint.empty() == in.constraint.empty()) {
    error(in.source, "joint", fmt::format("quantity \"{}\" needs a joint or a constraint", in.quantity));
    return false;
  }
  if (!in.joint.empty()) {
    const auto joint = find_joint(in.source, "joint", in.joint);
    if (joint) out.joint = *joint;
    return joint.has_value();
  }
  const auto found = constraint_names_.find(in.constraint);
  if (found == constraint_names_.end()) {
    if (faults_.is_full()) return false;
    error(in.source, "constraint",
          fmt::format("there is no constraint \"{}\"{}", in.constraint,
                      did_you_mean_or_list(in.constraint, names_of(in_.constraints))));
    return false;
  }
  out.constraint = found->second;
  return true;
}

}  // namespace tandem
