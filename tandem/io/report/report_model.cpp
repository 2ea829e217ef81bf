// What a report tells of a model: bodies with their shapes, joints, constraints and springs. All places are from the
// mass centre of their body, in its axes; quaternions are (x, y, z, w).
#include <fmt/format.h>

#include <algorithm>

#include "tandem/dynamics/pair_motion.hpp"
#include "tandem/io/report/report.hpp"
#include "tandem/io/report/report_json.hpp"
#include "tandem/observe/reactions.hpp"
#include "tandem/run/record.hpp"

namespace tandem {

using Json = nlohmann::ordered_json;

namespace {

Json vector_json(const Vector3& v) { return {v.x(), v.y(), v.z()}; }

Json quaternion_json(const Matrix3& R) {
  const Eigen::Quaterniond q(R);
  return {q.x(), q.y(), q.z(), q.w()};
}

Json frame_json(const BodyFrame& frame) {
  return {{"body", frame.body}, {"p", vector_json(frame.X_CF.p)}, {"q", quaternion_json(frame.X_CF.R)}};
}

Json shape_json(const Body& body, const Shape& shape) {
  Json json{{"kind", shape_names()[static_cast<std::size_t>(shape.kind)]},
            {"p", vector_json(shape.position - body.center)}};
  if (shape.has_radius()) json["radius"] = shape.radius;
  if (shape.has_length()) json["length"] = shape.length;
  if (shape.has_size()) json["size"] = vector_json(shape.size);
  if (shape.has_axis()) json["axis"] = vector_json(shape.direction());
  if (!shape.color.empty()) json["color"] = shape.color;
  return json;
}

Json body_json(const Body& body) {
  Json json{{"name", body.name},
            {"mass", body.mass},
            {"point_mass", body.point_mass},
            {"p", vector_json(body.X_WC.p)},
            {"q", quaternion_json(body.X_WC.R)},
            {"origin", vector_json(-body.center)},
            {"shapes", Json::array()}};
  for (const Shape& shape : body.shapes) json["shapes"].push_back(shape_json(body, shape));
  return json;
}

Json joint_json(const ModelJoint& joint) {
  Json json{{"name", joint.name},
            {"type", joint.type_name()},
            {"first", frame_json(joint.first)},
            {"second", frame_json(joint.second)}};
  json["has_axis"] = joint.joint() && joint.joint()->traits().needs_axis;
  return json;
}

Pose<double> start_pose(const Model& model, const BodyFrame& frame) {
  return frame.body == world ? frame.X_CF : model.bodies[static_cast<std::size_t>(frame.body)].X_WC * frame.X_CF;
}

Json constraint_json(const Model& model, const ModelConstraint& constraint) {
  Json json{{"name", constraint.name}, {"type", constraint.type}, {"carries_load", constraint.carries_load()}};
  const auto* pair = std::get_if<PairConstraint>(&constraint.what);
  if (!pair) return json;
  json["first"] = frame_json(pair->first);
  json["second"] = frame_json(pair->second);
  const Pose<double> X_FM = start_pose(model, pair->first).inverse() * start_pose(model, pair->second);
  Relative<double> x;
  x.R = X_FM.R;
  x.p = X_FM.p;
  if (constraint.carries_load())  // of a wheel or ball its radius
    json["radius"] = (pair->constraint.on<double>().reaction_point(x) - x.p).norm();
  else
    json["radius"] = x.p.head<2>().norm();  // of a circle about z of the first frame
  return json;
}

Json force_json(const ModelForce& force) {
  Json json{{"name", force.name}, {"type", force.force.type()}, {"points", Json::array()}};
  for (const BodyFrame& point : force.points) json["points"].push_back(frame_json(point));
  return json;
}

}  // namespace

Json report_model_json(const Model& model) {
  Json json{{"name", model.name}, {"title", model.title.empty() ? model.name : model.title}};
  json["gravity"] = vector_json(model.gravity);
  json["length"] = model.scale.length;
  for (const char* list : {"bodies", "joints", "constraints", "forces"}) json[list] = Json::array();
  for (const Body& body : model.bodies) json["bodies"].push_back(body_json(body));
  for (const ModelJoint& joint : model.joints) json["joints"].push_back(joint_json(joint));
  for (const ModelConstraint& constraint : model.constraints)
    json["constraints"].push_back(constraint_json(model, constraint));
  for (const ModelForce& force : model.forces) json["forces"].push_back(force_json(force));
  return json;
}

// ---- columns ----

std::vector<ResultColumn> report_columns(const Model& model) {
  std::vector<ResultColumn> columns = record_columns(model);
  columns.erase(columns.begin());  // the time
  const auto add = [&](const std::string& name, bool with_point) {
    for (const char* part : {"force_x", "force_y", "force_z"}) columns.push_back({name + "." + part, "N"});
    for (const char* part : {"torque_x", "torque_y", "torque_z"}) columns.push_back({name + "." + part, "N m"});
    if (!with_point) return;
    for (const char* part : {"point_x", "point_y", "point_z"}) columns.push_back({name + "." + part, "m"});
  };
  for (const ModelJoint& joint : model.joints) add(joint.name, false);
  for (const ModelConstraint& constraint : model.constraints) add(constraint.name, true);
  return columns;
}

void report_reactions(const Model& model, Simulation& simulation, std::vector<double>& out) {
  const auto add = [&](const Vector3& v) { out.insert(out.end(), v.begin(), v.end()); };
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Reaction reaction = simulation.joint_reaction(static_cast<int>(i));
    add(reaction.force);
    add(reaction.torque);
  }
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    const Reaction reaction = simulation.constraint_reaction(static_cast<int>(i));
    add(reaction.force);
    add(reaction.torque);
    add(reaction.point);
  }
}

void ReportTable::mark_not_unique(const Model& model, const Uniqueness& unique) {
  not_unique_.clear();
  const auto add = [&](std::size_t column, bool is_unique) {
    if (!is_unique) not_unique_.push_back(column);
  };
  std::size_t at = columns_.size() - 6 * model.joints.size() - 9 * model.constraints.size();  // of the reactions
  for (const std::string& name : columns_not_unique(model, unique)) {
    const auto end = columns_.begin() + static_cast<std::ptrdiff_t>(at);
    const auto found = std::find_if(columns_.begin(), end, [&](const auto& column) { return column.name == name; });
    if (found != end) add(static_cast<std::size_t>(found - columns_.begin()), false);
  }
  const auto add_parts = [&](const UniqueReaction& reaction) {
    for (const auto* parts : {&reaction.force, &reaction.torque})
      for (const bool part : *parts) add(at++, part);
  };
  for (const UniqueReaction& reaction : unique.joints) add_parts(reaction);
  for (const UniqueReaction& reaction : unique.constraints) {
    add_parts(reaction);
    at += 3;  // the point
  }
}

// Names may repeat between a body and a joint. Bodies come first, joints after them, reactions at the end.
Json report_places_json(const Model& model, const std::vector<ResultColumn>& columns) {
  const auto find_from = [&](std::size_t from, const std::string& name) {
    const auto begin = columns.begin() + static_cast<std::ptrdiff_t>(std::min(from, columns.size()));
    const auto found = std::find_if(begin, columns.end(), [&](const auto& column) { return column.name == name; });
    return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
  };
  Json bodies = Json::array(), joints = Json::array(), constraints = Json::array();
  std::size_t after = model.outputs.size();
  for (const Body& body : model.bodies) {
    const int pose = find_from(after, body.name + ".x"), speed = find_from(after, body.name + ".vx");
    bodies.push_back({{"pose", pose}, {"velocity", speed}});
    if (pose >= 0) after = static_cast<std::size_t>(pose) + 1;
  }
  for (const ModelJoint& joint : model.joints) {
    Json coordinates = Json::array();
    const std::size_t count = joint.joint() ? joint.joint()->traits().coordinates.size() : 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::string_view name = joint.joint()->traits().coordinates[k].name;
      const int at = find_from(after, fmt::format("{}.{}", joint.name, name));
      if (at < 0) continue;
      coordinates.push_back(at);
      after = static_cast<std::size_t>(at) + 1;
    }
    joints.push_back({{"coordinates", coordinates}, {"reaction", -1}});
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const int at = find_from(after, model.joints[i].name + ".force_x");
    joints[i]["reaction"] = at;
    if (at >= 0) after = static_cast<std::size_t>(at) + 1;
  }
  for (const ModelConstraint& constraint : model.constraints) {
    const int at = find_from(after, constraint.name + ".force_x");
    constraints.push_back({{"reaction", at}});
    if (at >= 0) after = static_cast<std::size_t>(at) + 1;
  }
  return {{"bodies", bodies}, {"joints", joints}, {"constraints", constraints}};
}

}  // namespace tandem
