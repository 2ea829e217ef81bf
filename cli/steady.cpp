// tandem steady: an equilibrium, or a motion along the machine's symmetries at constant rates.
#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "reaction_table.hpp"
#include "start.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

struct SteadyArguments {
  ModelArguments model;
  MethodArguments method;
  StartArguments start;
};

// Everything about a steady motion that is printed: poses and velocities, loads, the circle it goes in.
struct Seen {
  Workspace workspace;
  Uniqueness unique;
  Seen(const Model& model, const Steady& steady) : workspace(model), unique(model) {
    workspace.update(model, steady.bodies);
    unique = uniqueness(model, workspace);
  }
};

// Where a motion that turns about the vertical has its centre.
std::optional<Vector3> turning_center(const Model& model, const GroupMotion& xi) {
  const double turn = std::abs(xi.rotation.z());
  if (!(model.scale.time * turn > tolerances::printed) || xi.rotation.head<2>().norm() > tolerances::printed * turn)
    return std::nullopt;
  const Vector3 center(-xi.translation.y() / xi.rotation.z(), xi.translation.x() / xi.rotation.z(), 0.0);
  return center + Vector3::Zero();  // no −0
}

// What is compared with published numbers.
std::string nine_digits(double value, double size) {
  return std::abs(value) < tolerances::printed * size ? "0" : fmt::format("{:.9g}", value);
}

double radius(const Vector3& point, const Vector3& center) { return (point - center).head<2>().norm(); }

Json bodies_json(const Model& model, const Workspace& workspace, const Steady& steady) {
  Json json = Json::object();
  const std::optional<Vector3> center = turning_center(model, steady.motion);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = workspace.kinematics.body(static_cast<int>(i));
    Json& out = json[body.name];
    out["position"] = json_of(motion.X_WC.p);
    out["velocity"] = json_of(motion.v);
    out["speed"] = motion.v.norm();
    if (center) out["radius"] = radius(motion.X_WC.p, *center);
    if (body.point_mass) continue;
    const Vec4<double> q = steady.bodies.q().segment<4>(body.q_first);
    out["quaternion"] = {q[0], q[1], q[2], q[3]};
    out["angular_velocity"] = json_of(motion.w_B);
    const Vector3 angles = euler312_angles<double>(motion.X_WC.R);
    out["yaw"] = angles[0];
    out["lean"] = angles[1];
    out["pitch"] = angles[2];
  }
  return json;
}

Json joints_json(const Model& model, const Seen& seen, const Solution& solution) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    Json out;
    if (joint.joint()) {
      const JointMotion<double>& motion = seen.workspace.kinematics.joint(static_cast<int>(i));
      const auto& coordinates = joint.joint()->traits().coordinates;
      for (std::size_t k = 0; k < coordinates.size(); ++k) {
        const int at = model_coordinate(joint, static_cast<int>(k));
        Json& coordinate = out["coordinates"][std::string(coordinates[k].name)];
        if (at >= 0) coordinate["value"] = motion.q[at];
        coordinate["rate"] = motion.v[static_cast<Eigen::Index>(k)];
      }
    }
    out.update(
        reaction_json(joint_reaction(model, seen.workspace, solution, static_cast<int>(i)), seen.unique.joints[i]));
    json[joint.name] = std::move(out);
  }
  return json;
}

// The speed with which the point of contact runs over its plane.
double contact_speed(const Steady& steady, const Vector3& point) {
  return (steady.motion.translation + steady.motion.rotation.cross(point)).norm();
}

Json constraints_json(const Model& model, const Seen& seen, const Steady& steady) {
  Json json = Json::object();
  const std::optional<Vector3> center = turning_center(model, steady.motion);
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    const Reaction reaction = constraint_reaction(model, seen.workspace, steady.solution, static_cast<int>(i));
    Json& out = json[model.constraints[i].name];
    out = reaction_json(reaction, seen.unique.constraints[i]);
    out["point"] = json_of(reaction.point);
    if (!model.constraints[i].carries_load()) continue;
    out["speed"] = contact_speed(steady, reaction.point);
    if (center) out["radius"] = radius(reaction.point, *center);
  }
  return json;
}

void print_motion(const Model& model, const Steady& steady) {
  const double least = std::min(1.0, model.scale.length), time = model.scale.time;  // metres or radians
  Table motion({"along", "rate"});
  for (Eigen::Index k = steady.symmetry.moves_time ? 1 : 0; k < steady.rates.size(); ++k)
    motion.row({steady.symmetry.names[static_cast<std::size_t>(k)], number(steady.rates[k], least / time)});
  if (steady.symmetry.moves_time && steady.symmetry.names.front() != "time")
    motion.row({steady.symmetry.names.front(), "1"});
  if (!motion.empty()) {
    fmt::print("\n");
    motion.print();
  }
  if (steady.held.empty()) return;
  fmt::print("\n");
  Table held({"held", "wanted", "is"});
  for (const HeldValue& each : steady.held)
    held.row({each.name, number(each.wanted), number(each.value, least * std::min(1.0, 1.0 / time))});
  held.print();
}

void print_bodies(const Model& model, const Steady& steady, const Workspace& workspace) {
  const std::optional<Vector3> center = turning_center(model, steady.motion);
  std::vector<std::string> heading{"body", "speed [m/s]", "yaw", "lean", "pitch [rad]"};
  if (center) heading.emplace_back("radius [m]");
  Table bodies(heading);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyMotion<double>& motion = workspace.kinematics.body(static_cast<int>(i));
    const Vector3 angles = euler312_angles<double>(motion.X_WC.R);
    std::vector<std::string> row{model.bodies[i].name, number(motion.v.norm(), model.scale.speed())};
    for (int k = 0; k < 3; ++k) row.push_back(model.bodies[i].point_mass ? "" : number(angles[k], 1.0));
    if (center) row.push_back(number(radius(motion.X_WC.p, *center), model.scale.length));
    bodies.row(row);
  }
  fmt::print("\n");
  bodies.print();
}

void print_joints(const Model& model, const Workspace& workspace) {
  Table table({"joint", "value", "rate", "unit"});
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) continue;
    const JointMotion<double>& motion = workspace.kinematics.joint(static_cast<int>(i));
    const auto& coordinates = joint.joint()->traits().coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const int at = model_coordinate(joint, static_cast<int>(k));
      const double size = coordinates[k].angular ? 1.0 : model.scale.length;
      table.row({coordinates.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, coordinates[k].name),
                 at >= 0 ? nine_digits(motion.q[at], size) : "",
                 nine_digits(motion.v[static_cast<Eigen::Index>(k)], size / model.scale.time),
                 coordinates[k].angular ? "rad, rad/s" : "m, m/s"});
    }
  }
  if (table.empty()) return;
  fmt::print("\n");
  table.print();
}

// How what touches the ground runs over it.
void print_contacts(const Model& model, const Steady& steady, const Workspace& workspace) {
  const std::optional<Vector3> center = turning_center(model, steady.motion);
  std::vector<std::string> heading{"contact", "speed [m/s]"};
  if (center) heading.emplace_back("radius [m]");
  Table table(heading);
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    if (!model.constraints[i].carries_load()) continue;
    const Vector3 point = constraint_reaction(model, workspace, steady.solution, static_cast<int>(i)).point;
    std::vector<std::string> row{model.constraints[i].name,
                                 nine_digits(contact_speed(steady, point), model.scale.speed())};
    if (center) row.push_back(nine_digits(radius(point, *center), model.scale.length));
    table.row(row);
  }
  if (table.empty() || steady.rests()) return;
  fmt::print("\n");
  table.print();
}

void print_loads(const Model& model, const Steady& steady, const Seen& seen) {
  Table loads({"what it carries", "force x [N]", "y", "z", "torque x [N m]", "y", "z"});
  add_reactions(model, seen.workspace, steady.solution, seen.unique, loads);
  if (loads.empty()) return;
  fmt::print("\n");
  loads.print();
  if (!seen.unique.all()) fmt::print("  {}\n", faint(std::string(shared_load_note)));
}

void print_steady(const Model& model, const Steady& steady, const Seen& seen) {
  fmt::print("{}: {} in {} iterations; accelerations off by {:.2e}, rows by {:.2e}\n", bold(model.name),
             steady.rests() ? "an equilibrium" : "a steady motion", steady.iterations, steady.residual,
             steady.row_residual);
  print_motion(model, steady);
  const std::optional<Vector3> center = turning_center(model, steady.motion);
  if (center)
    fmt::print("\nturns about ({}, {}) at {:.9g} rad/s\n", number(center->x(), model.scale.length),
               number(center->y(), model.scale.length), steady.motion.rotation.z());
  print_bodies(model, steady, seen.workspace);
  print_joints(model, seen.workspace);
  print_contacts(model, steady, seen.workspace);
  print_loads(model, steady, seen);
}

void find_and_print(const SteadyArguments& arguments) {
  arguments.method.check();
  Model model = arguments.model.load();
  arguments.method.apply(model.setup);
  arguments.start.hold_in_steady(model);
  arguments.start.place(model);
  const Steady steady = from_start(model, [&] { return find_steady(model); });
  if (arguments.model.json)
    print_json(steady_json(model, steady));
  else
    print_steady(model, steady, Seen(model, steady));
}

}  // namespace

Json steady_json(const Model& model, const Steady& steady) {
  const Seen seen(model, steady);
  Json json;
  json["model"] = model.name;
  json["kind"] = steady.rests() ? "equilibrium" : "steady motion";
  json["residual"] = steady.residual;
  json["row_residual"] = steady.row_residual;
  json["iterations"] = steady.iterations;
  json["symmetries"] = Json::array();
  for (Eigen::Index k = 0; k < steady.rates.size(); ++k)
    json["symmetries"].push_back(
        {{"name", steady.symmetry.names[static_cast<std::size_t>(k)]}, {"rate", steady.rates[k]}});
  json["rotation"] = json_of(steady.motion.rotation);
  json["translation"] = json_of(steady.motion.translation);
  if (const auto center = turning_center(model, steady.motion)) {
    json["yaw_rate"] = steady.motion.rotation.z();
    json["center"] = {center->x(), center->y()};
  }
  json["held"] = Json::object();
  for (const HeldValue& each : steady.held) json["held"][each.name] = {{"wanted", each.wanted}, {"value", each.value}};
  json["bodies"] = bodies_json(model, seen.workspace, steady);
  json["joints"] = joints_json(model, seen, steady.solution);
  json["constraints"] = constraints_json(model, seen, steady);
  return json;
}

void add_steady(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "steady", "Find an equilibrium, or a motion at constant rates along the machine's symmetries, near the start");
  auto arguments = std::make_shared<SteadyArguments>();
  arguments->model.add_to(*command);
  arguments->method.add_to(*command);
  arguments->start.add_to(*command);
  command->footer(
      "Symmetries are found: shifts and turns of the whole machine, spins of its round bodies.\n\n"
      "Examples:\n"
      "  tandem steady bicycle                          straight ahead at the speed of the start, wheel loads\n"
      "  tandem steady bicycle --hold lean=pi/18        the hands-free circle with 10 degrees of lean\n"
      "  tandem steady four-bar                         where it comes to rest\n"
      "  tandem steady my-machine.toml --assemble       near a start that was written down roughly\n"
      "  tandem steady rolling-disc --hold lean=0.3 --json");
  command->callback([arguments] { find_and_print(*arguments); });
}

}  // namespace tandem::cli
