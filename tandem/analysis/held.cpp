#include "tandem/analysis/held.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/math/euler312.hpp"

namespace tandem {

namespace {

constexpr std::array<std::string_view, 6> quantities{"x", "y", "z", "yaw", "lean", "pitch"};

bool is_angle(const ModelStart& held) { return held.of >= ModelStart::Of::yaw; }

// Which of x, y, z or of yaw, lean, pitch.
int axis_of(const ModelStart& held) {
  return static_cast<int>(held.of) - static_cast<int>(is_angle(held) ? ModelStart::Of::yaw : ModelStart::Of::x);
}

// One row on one body. Its value is what it reads, less what is wanted.
struct BodyRow {
  static constexpr bool gives_bias = true;  // nobody asks for accelerations during assembly
  bool angle = false;
  int axis = 0;
  Vector3 point = Vector3::Zero();  // from the mass centre
  double value = 0.0, rate = 0.0;

  template <class S> void operator()(std::span<const BodyMotion<S>> bodies, const S&, BodyRows<S>& rows) const {
    const BodyMotion<S>& body = bodies[0];
    rows.phi_t[0] = S(-rate);
    if (angle) {  // (3)
      const Vec3<S> p = euler312_of<S>(body.X_WC.R);
      rows.phi[0] = wrap_angle<S>(p[axis] - value);
      rows.J.row(0).template head<3>() = euler312_body_matrix_inverse<S>(p).row(axis);
    } else {  // (2)
      const Vec3<S> r = body.X_WC.R * lift<S>(point);
      rows.phi[0] = body.X_WC.p[axis] + r[axis] - value;
      rows.J.row(0) = point_jacobian<S>(body, r).row(axis);
    }
  }
};

void add_row(Model& model, const ModelStart& held, bool velocity_only, double value) {
  ModelConstraint constraint{
      .name = held.name, .type = "held", .one_sided = false, .soft = {}, .what = CoordinateConstraint{}};
  RowBlockInfo block;
  block.kind = RowBlockInfo::Kind::constraint;
  block.index = static_cast<int>(model.constraints.size());
  block.first_row = model.rows;
  block.rows = 1;
  block.holonomic = velocity_only ? 0 : 1;
  block.row_names = {"held"};
  const auto touch = [&](int body) {
    if (body != world) block.bodies.push_back(body);
  };
  if (held.of == ModelStart::Of::joint) {  // (1)
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(held.coordinate.joint)];
    touch(joint.first.body);
    touch(joint.second.body);
    constraint.what = CoordinateConstraint{{held.coordinate}, velocity_only, value};
  } else {
    touch(held.point.body);
    const BodyRow row{is_angle(held), axis_of(held), held.point.X_CF.p, velocity_only ? 0.0 : value,
                      velocity_only ? value : 0.0};
    constraint.what =
        CustomConstraint{CustomRows(velocity_only ? 0 : 1, velocity_only ? 1 : 0, row), {held.point.body}};
  }
  model.constraints.push_back(std::move(constraint));
  model.blocks.push_back(std::move(block));
  ++model.rows;
}

[[noreturn]] void refuse_name(const Model& model, std::string_view name) {
  std::vector<std::string> names;
  for (const ModelJoint& joint : model.joints) {
    if (!joint.joint()) continue;
    const auto& coordinates = joint.joint()->traits().coordinates;
    for (const JointCoordinate& coordinate : coordinates)
      if (coordinate.scalar)
        names.push_back(coordinates.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, coordinate.name));
  }
  for (const Body& body : model.bodies)
    for (const std::string_view quantity : quantities)
      if (!body.point_mass || quantity.size() == 1) names.push_back(fmt::format("{}.{}", body.name, quantity));
  const std::string hint = did_you_mean(name, names);
  throw std::out_of_range(fmt::format("there is no coordinate \"{}\"{}", name,
                                      !hint.empty() ? hint
                                                    : "; write JOINT, JOINT.COORDINATE, or BODY.x, y, z, yaw, lean or "
                                                      "pitch"));
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
  const auto which = std::find(quantities.begin(), quantities.end(), wanted);
  for (std::size_t i = 0; i < model.bodies.size() && which != quantities.end(); ++i) {
    if (model.bodies[i].name != owner || (model.bodies[i].point_mass && wanted.size() > 1)) continue;
    ModelStart held;
    held.of = static_cast<ModelStart::Of>(1 + (which - quantities.begin()));
    held.name = fmt::format("{}.{}", owner, wanted);
    held.point.body = static_cast<int>(i);
    return held;
  }
  return std::nullopt;
}

}  // namespace

HeldReading read_held(const Model& model, const ModelStart& held, const Kinematics<double>& kinematics) {
  if (held.of == ModelStart::Of::joint) {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(held.coordinate.joint)];
    const JointMotion<double>& motion = kinematics.joint(held.coordinate.joint);
    return {motion.q[model_coordinate(joint, held.coordinate.coordinate)], motion.v[held.coordinate.coordinate]};
  }
  const int axis = axis_of(held);
  if (!is_angle(held)) {
    const PointMotion<double> point = kinematics.point(held.point);
    return {point.p[axis], point.v[axis]};
  }
  const BodyMotion<double>& body = kinematics.body(held.point.body);
  const Vector3 p = euler312_of<double>(body.X_WC.R);
  return {p[axis], (euler312_body_matrix_inverse<double>(p) * body.w_B)[axis]};
}

ModelStart find_held(const Model& model, std::string_view name) {
  if (const auto held = find_joint_coordinate(model, name, "")) return *held;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot + 1 < name.size()) {
    const std::string_view owner = name.substr(0, dot), wanted = name.substr(dot + 1);
    if (const auto held = find_joint_coordinate(model, owner, wanted)) return *held;
    if (const auto held = find_body_quantity(model, owner, wanted)) return *held;
  }
  refuse_name(model, name);
}

Model with_held_positions(const Model& model, const Kinematics<double>& guess) {
  Model out = model;
  for (const ModelStart& held : model.starts)
    if (holds_position(held)) add_row(out, held, false, held.value.value_or(read_held(model, held, guess).value));
  return out;
}

Model with_held_speeds(const Model& model) {
  Model out = model;
  for (const ModelStart& held : model.starts)
    if (holds_speed(held)) add_row(out, held, true, *held.rate);
  return out;
}

}  // namespace tandem
