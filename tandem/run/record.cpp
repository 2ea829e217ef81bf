#include "tandem/run/record.hpp"

#include <fmt/format.h>

#include "tandem/observe/outputs.hpp"

namespace tandem {

namespace {

// Visits every joint coordinate that has a column: joint, coordinate, its place among the speeds.
template <class Visit> void for_each_coordinate(const Model& model, Visit&& visit) {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) continue;
    const auto& coordinates = joint.joint()->traits().coordinates;
    for (int k = 0; k < joint.joint()->traits().nv; ++k) {
      const JointCoordinate& coordinate = coordinates[static_cast<std::size_t>(k)];
      if (model_coordinate(joint, k) >= 0 && !(joint.positions_only && coordinate.angular)) visit(i, coordinate, k);
    }
  }
}

}  // namespace

std::string normal_force_name(const Model& model, const Contact& contact) {
  return fmt::format("{}.normal_force", model.constraints[static_cast<std::size_t>(contact.constraint)].name);
}

std::vector<std::string> columns_not_unique(const Model& model, const Uniqueness& unique) {
  std::vector<std::string> names;
  for (const ModelOutput& output : model.outputs)
    if (!unique.of(model, output)) names.push_back(output.name);
  for (const Contact& contact : contacts(model))
    if (!unique.load(contact)) names.push_back(normal_force_name(model, contact));
  return names;
}

std::vector<ResultColumn> record_columns(const Model& model) {
  std::vector<ResultColumn> columns{{"t", "s"}};
  for (const ModelOutput& output : model.outputs) columns.push_back({output.name, output.unit});
  for (const Body& body : model.bodies) {
    const auto add = [&](std::initializer_list<const char*> parts, const char* unit) {
      for (const char* part : parts) columns.push_back({fmt::format("{}.{}", body.name, part), unit});
    };
    add({"x", "y", "z"}, "m");
    if (!body.point_mass) add({"qx", "qy", "qz", "qw"}, "");
    add({"vx", "vy", "vz"}, "m/s");
    if (!body.point_mass) add({"wx", "wy", "wz"}, "rad/s");
  }
  for_each_coordinate(model, [&](std::size_t i, const JointCoordinate& coordinate, int) {
    const char* unit = coordinate.angular ? "rad" : "m";
    columns.push_back({fmt::format("{}.{}", model.joints[i].name, coordinate.name), unit});
    columns.push_back({fmt::format("{}.{}_rate", model.joints[i].name, coordinate.name), fmt::format("{}/s", unit)});
  });
  for (const char* name : {"kinetic_energy", "gravity_energy", "spring_energy", "work_of_dampers", "work_of_drives",
                           "work_of_forces", "energy_balance"})
    columns.push_back({name, "J"});
  for (const char* name : {"momentum_x", "momentum_y", "momentum_z"}) columns.push_back({name, "kg m/s"});
  for (const char* name : {"angular_momentum_x", "angular_momentum_y", "angular_momentum_z"})
    columns.push_back({name, "kg m^2/s"});
  for (const char* name : {"position_residual_before", "velocity_residual_before", "position_residual",
                           "velocity_residual", "acceleration_residual"})
    columns.push_back({name, ""});
  columns.push_back({"constraint_power", "W"});
  columns.push_back({"quaternion_error", ""});
  columns.push_back({"rank", ""});
  columns.push_back({"iterations", ""});
  for (const Contact& contact : contacts(model)) columns.push_back({normal_force_name(model, contact), "N"});
  return columns;
}

void record_values(const Model& model, Simulation& simulation, const HealthRow& health, std::vector<double>& out) {
  out.clear();
  out.push_back(health.t);
  for (const ModelOutput& output : model.outputs) out.push_back(output_value(model, output, simulation));
  const auto add = [&](const auto& values) { out.insert(out.end(), values.begin(), values.end()); };
  const State& bodies = simulation.bodies();
  for (const Body& body : model.bodies) {
    const auto q = bodies.q().segment(body.q_first, body.nq());
    const auto v = bodies.v().segment(body.v_first, body.nv());
    add(q.tail<3>());
    if (!body.point_mass) add(q.head<4>());
    add(v.tail<3>());
    if (!body.point_mass) add(v.head<3>());
  }
  for_each_coordinate(model, [&](std::size_t i, const JointCoordinate&, int speed) {
    const CoordinateMotion<double> motion = simulation.joint_motion(static_cast<int>(i), speed);
    out.push_back(motion.q);
    out.push_back(motion.v);
  });
  add(std::array{health.energy.kinetic, health.energy.gravity, health.energy.spring, health.work.dampers,
                 health.work.drives, health.work.forces, health.balance});
  add(health.momentum.linear);
  add(health.momentum.angular);
  add(std::array{health.before.position, health.before.velocity, health.after.position, health.after.velocity,
                 health.acceleration, health.power, health.quaternion_error, static_cast<double>(health.rank),
                 static_cast<double>(health.iterations)});
  add(health.loads);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!std::isfinite(out[i]))
      throw NumericalError(
          fmt::format("{} is {}, which is not a finite number", record_columns(model)[i].header(), out[i]));
}

}  // namespace tandem
