#include "tandem/base/tolerances.hpp"
#include "tandem/model/compiler.hpp"

namespace tandem {

Model compile(const ModelDescription& description, Faults& faults) { return Compiler(description, faults).run(); }

Model Compiler::run() {
  out_.name = in_.name;
  out_.title = in_.title;
  out_.file = in_.file;
  out_.gravity = in_.gravity;
  out_.parameters = in_.parameters;
  out_.setup_source = in_.simulation.source;
  const std::size_t before = faults_.list().size();
  faults_.about("", {});
  compile_bodies();
  compile_joints();
  compile_constraints();
  compile_drives();
  compile_forces();
  compile_outputs();
  compile_stops();
  compile_starts();
  compile_steady();
  compile_simulation();
  faults_.about("", {});
  for (std::size_t i = before; i < faults_.list().size(); ++i)
    if (faults_.list()[i].warning) out_.warnings.push_back(faults_.list()[i]);
  out_.is_sound = !faults_.any_error();
  if (out_.is_sound) {
    list_row_blocks();
    out_.scale = find_scale(out_);
    for (RowBlockInfo& block : out_.blocks) set_row_sizes(out_, block);
  }
  return std::move(out_);
}

// Joints and constraints share names, so that either may have it.
std::string Compiler::taken_by(const char* kind, const std::string& name) const {
  const auto found = joint_names_.find(name);
  if (kind != std::string_view("constraint") || found == joint_names_.end()) return fmt::format("another {}", kind);
  const int line = in_.joints[index(found->second)].source.where.line;
  return fmt::format("joint \"{}\"{}; joints and constraints share names", name,
                     line > 0 ? fmt::format(" (line {})", line) : "");
}

bool Compiler::finite(const Source& source, std::string_view key, const Vector3& value) {
  if (value.allFinite()) return true;
  error(source, key, fmt::format("{} must be finite numbers", key));
  return false;
}

bool Compiler::is_rotation(const Source& source, std::string_view key, const Matrix3& R) {
  if ((R.transpose() * R - Matrix3::Identity()).norm() < 1e-9 && R.determinant() > 0) return true;
  error(source, key, "the orientation must be a rotation");
  return false;
}

Vector3 Compiler::unit(const Source& source, std::string_view key, const Vector3& value) {
  const Real length = value.norm();
  if (!(length > 1e-12) || !std::isfinite(value_of(length))) {
    error(source, key, fmt::format("{} must be a direction, not a zero vector", key));
    return Vector3::UnitZ();
  }
  if (std::abs(value_of(length) - 1.0) > 1e-6)
    faults_.warning_at(source.at(key),
                       fmt::format("{} has length {:.6g}; it is used normalised", key, value_of(length)));
  return value / length;
}

double Compiler::reach() const {
  double most = 0.0;
  for (const Body& body : out_.bodies) most = std::max(most, std::abs(value_of(body.X_WC.p.norm())));
  return most;
}

void Compiler::require_at_point_mass(const Source& source, std::string_view key, const BodyFrame& frame) {
  if (is_point_mass(frame.body) && !(value_of(frame.X_CF.p.norm()) <= tolerances::coincide * reach()))
    error(
        source, key,
        fmt::format("\"{}\" is a point mass: the point must be its own position", out_.bodies[index(frame.body)].name));
}

std::optional<int> Compiler::find_body(const Source& source, std::string_view key, const std::string& name) {
  if (name == world_name) return world;
  if (const auto found = body_names_.find(name); found != body_names_.end()) return found->second;
  if (faults_.is_full()) return std::nullopt;
  std::vector<std::string> names = names_of(in_.bodies);
  names.emplace_back(world_name);
  if (!any_name_refused(in_.bodies))
    error(source, key, fmt::format("there is no body \"{}\"{}", name, did_you_mean_or_list(name, names)));
  return std::nullopt;
}

std::optional<int> Compiler::find_joint(const Source& source, std::string_view key, const std::string& name) {
  if (const auto found = joint_names_.find(name); found != joint_names_.end()) return found->second;
  if (faults_.is_full()) return std::nullopt;
  const std::vector<std::string> names = names_of(in_.joints);
  if (!any_name_refused(in_.joints))
    error(source, key, fmt::format("there is no joint \"{}\"{}", name, did_you_mean_or_list(name, names)));
  return std::nullopt;
}

std::optional<std::array<int, 2>> Compiler::find_pair(const Source& source, const std::vector<std::string>& names) {
  if (names.size() != 2) {
    error(source, "bodies", "bodies must name two bodies: [first, second]");
    return std::nullopt;
  }
  const auto first = find_body(source, "bodies[0]", names[0]), second = find_body(source, "bodies[1]", names[1]);
  if (!first || !second) return std::nullopt;
  if (*first == *second) {
    error(source, "bodies", fmt::format("it joins \"{}\" with itself; name two different bodies", names[0]));
    return std::nullopt;
  }
  return std::array<int, 2>{*first, *second};
}

std::optional<BodyFrame> Compiler::find_frame(const Source& source, std::string_view key, int body,
                                              const FramePlacement& placement) {
  const Vector3 center = body == world ? Vector3(Vector3::Zero()) : out_.bodies[index(body)].center;
  if (placement.name.empty()) {
    if (!finite(source, key, placement.position) || !is_rotation(source, key, placement.rotation)) return std::nullopt;
    return BodyFrame{body, {placement.rotation, placement.position - center}};
  }
  const auto& frames = body == world ? out_.world_frames : out_.bodies[index(body)].frames;
  const auto known = frame_names_.try_emplace(body, Names{});
  if (known.second) known.first->second = index_of(frames);
  if (const auto found = known.first->second.find(placement.name); found != known.first->second.end())
    return BodyFrame{body, frames[index(found->second)].X_CF};
  const std::string owner = body == world ? "the world" : fmt::format("body \"{}\"", out_.bodies[index(body)].name);
  error(source, key,
        fmt::format("{} has no frame \"{}\"{}", owner, placement.name,
                    did_you_mean_or_list(placement.name, names_of(frames))));
  return std::nullopt;
}

std::optional<CoordinateRef> Compiler::find_coordinate(const Source& source, const CoordinateName& name, bool scalar,
                                                       const std::string& entry) {
  const std::string joint_key = "joint" + entry, coordinate_key = "coordinate" + entry;
  const auto joint_index = find_joint(source, joint_key, name.joint);
  if (!joint_index || index(*joint_index) >= out_.joints.size()) return std::nullopt;
  if (in_.joints[index(*joint_index)].source.is_refused("type")) return std::nullopt;  // told where the joint stands
  const ModelJoint& owner = out_.joints[index(*joint_index)];
  const Joint* joint = owner.joint();
  if (!joint || joint->traits().nv == 0) {
    error(source, joint_key, fmt::format("joint \"{}\" ({}) has no coordinate", name.joint, owner.type_name()));
    return std::nullopt;
  }
  const auto& coordinates = joint->traits().coordinates;
  std::vector<std::string> names;
  for (const JointCoordinate& coordinate : coordinates) names.emplace_back(coordinate.name);
  std::size_t which = 0;
  if (name.coordinate.empty()) {
    if (coordinates.size() > 1) {
      error(source, coordinate_key,
            fmt::format("joint \"{}\" ({}) has several coordinates; say which: {}", name.joint, joint->traits().type,
                        list_of(names)));
      return std::nullopt;
    }
  } else {
    const auto found = std::find(names.begin(), names.end(), name.coordinate);
    if (found == names.end()) {
      error(source, coordinate_key,
            fmt::format("joint \"{}\" ({}) has no coordinate \"{}\"; it has {}{}", name.joint, joint->traits().type,
                        name.coordinate, list_of(names), did_you_mean(name.coordinate, names)));
      return std::nullopt;
    }
    which = static_cast<std::size_t>(found - names.begin());
  }
  if (scalar && !coordinates[which].scalar) {
    error(source, coordinate_key,
          fmt::format("\"{}\" of joint \"{}\" ({}) is a component of angular velocity, not the rate "
                      "of a coordinate; it cannot be driven, coupled, sprung or held",
                      coordinates[which].name, name.joint, joint->traits().type));
    return std::nullopt;
  }
  if (owner.positions_only && coordinates[which].angular) {
    error(source, coordinate_key,
          fmt::format("\"{}\" of joint \"{}\" is an angle, but one of its bodies is a point mass",
                      coordinates[which].name, name.joint));
    return std::nullopt;
  }
  return CoordinateRef{*joint_index, static_cast<int>(which), 1.0};
}

Real Compiler::start_coordinate(const CoordinateRef& ref) const {
  const ModelJoint& joint = out_.joints[index(ref.joint)];
  const Pose<Real> X_FM = start_relative(joint.first, joint.second);
  return joint.joint()->on<Real>().measure({X_FM.R, X_FM.p})[model_coordinate(joint, ref.coordinate)];
}

static void add_body(std::vector<int>& bodies, int body) {
  if (body != world && std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
}

static RowBlockInfo joint_block(const ModelJoint& joint) {
  RowBlockInfo block;
  add_body(block.bodies, joint.first.body);
  add_body(block.bodies, joint.second.body);
  if (const Joint* known = joint.joint()) {
    const JointTraits& traits = known->traits();
    block.rows = joint.positions_only ? traits.position_rows : traits.rows();
    for (int i = 0; i < block.rows; ++i) block.row_names.emplace_back(traits.row_names[static_cast<std::size_t>(i)]);
    block.holonomic = block.rows;
  } else {
    const CustomRows& rows = std::get<CustomRows>(joint.type);
    block.rows = rows.count();
    block.holonomic = rows.holonomic();
    for (int i = 0; i < block.rows; ++i) block.row_names.push_back(fmt::format("row {}", i + 1));
  }
  return block;
}

static void add_coordinate_bodies(const std::vector<ModelJoint>& joints, const CoordinateRef& ref,
                                  std::vector<int>& bodies) {
  const ModelJoint& joint = joints[static_cast<std::size_t>(ref.joint)];
  add_body(bodies, joint.first.body);
  add_body(bodies, joint.second.body);
}

static RowBlockInfo constraint_block(const ModelConstraint& constraint, const std::vector<ModelJoint>& joints) {
  RowBlockInfo block;
  block.kind = RowBlockInfo::Kind::constraint;
  if (const auto* pair = std::get_if<PairConstraint>(&constraint.what)) {
    const ConstraintTraits& traits = pair->constraint.traits();
    add_body(block.bodies, pair->first.body);
    add_body(block.bodies, pair->second.body);
    block.rows = traits.rows();
    block.holonomic = traits.holonomic;
    block.row_names = traits.row_names;
  } else if (const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what)) {
    for (const CoordinateRef& term : relation->terms) add_coordinate_bodies(joints, term, block.bodies);
    block.rows = 1;
    block.holonomic = relation->velocity_only ? 0 : 1;
    block.row_names = {relation->velocity_only ? "speed" : "relation"};
  } else {
    const auto& custom = std::get<CustomConstraint>(constraint.what);
    for (const int body : custom.bodies) add_body(block.bodies, body);
    block.rows = custom.rows.count();
    block.holonomic = custom.rows.holonomic();
    for (int i = 0; i < block.rows; ++i) block.row_names.push_back(fmt::format("row {}", i + 1));
  }
  return block;
}

void Compiler::list_row_blocks() {
  const auto add = [this](RowBlockInfo block, std::size_t which) {
    block.index = static_cast<int>(which);
    block.first_row = out_.rows;
    out_.rows += block.rows;
    if (block.rows > 0) out_.blocks.push_back(std::move(block));
  };
  for (std::size_t i = 0; i < out_.joints.size(); ++i) add(joint_block(out_.joints[i]), i);
  for (std::size_t i = 0; i < out_.constraints.size(); ++i) add(constraint_block(out_.constraints[i], out_.joints), i);
  for (std::size_t i = 0; i < out_.drives.size(); ++i) {
    RowBlockInfo block;
    block.kind = RowBlockInfo::Kind::drive;
    block.rows = block.holonomic = 1;
    block.row_names = {"motion"};
    add_coordinate_bodies(out_.joints, out_.drives[i].coordinate, block.bodies);
    add(std::move(block), i);
  }
}

}  // namespace tandem
