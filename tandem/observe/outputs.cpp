#include "tandem/observe/outputs.hpp"

#include <limits>

#include "tandem/math/euler312.hpp"

namespace tandem {

static double component_of(const Vector3& vector, Component component) {
  return component == Component::norm ? vector.norm() : vector[static_cast<Eigen::Index>(component)];
}

static Reaction reaction_of(const Model& model, const ModelOutput& output, Simulation& simulation) {
  const Solution& solution = simulation.solution();
  return output.joint >= 0 ? joint_reaction(model, simulation.workspace(), solution, output.joint)
                           : constraint_reaction(model, simulation.workspace(), solution, output.constraint);
}

static double largest_speed(const Model& model, Simulation& simulation) {
  double most = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    most = std::max({most, motion.v.norm(), motion.w_B.norm()});
  }
  return most;
}

static double lowest_load(const Model& model, Simulation& simulation) {
  double least = std::numeric_limits<double>::max();
  for (const RowBlockInfo& info :
       model.blocks)  // not contacts(): this one is asked in every step and must not allocate
    if (info.kind == RowBlockInfo::Kind::constraint &&
        model.constraints[static_cast<std::size_t>(info.index)].carries_load())
      least = std::min(least, simulation.solution().lambda[info.first_row]);
  return least;
}

double output_value(const Model& model, const ModelOutput& output, Simulation& simulation) {
  const auto part = [&](const Vector3& vector) { return component_of(vector, output.component); };
  const JointMotion<double>* joint =
      output.joint >= 0 ? &simulation.workspace().kinematics.joint(output.joint) : nullptr;
  switch (output.quantity) {
    case Quantity::position:
      return part(simulation.pose(output.point).p);
    case Quantity::velocity:
      return part(simulation.velocity(output.point).v);
    case Quantity::acceleration:
      return part(simulation.acceleration(output.point).v);
    case Quantity::angular_velocity:
      return part(simulation.velocity(output.point).w);
    case Quantity::angular_acceleration:
      return part(simulation.acceleration(output.point).w);
    case Quantity::yaw:
      return euler312_angles<double>(simulation.pose(output.point).R)[0];
    case Quantity::lean:
      return euler312_angles<double>(simulation.pose(output.point).R)[1];
    case Quantity::pitch:
      return euler312_angles<double>(simulation.pose(output.point).R)[2];
    case Quantity::coordinate:
      return joint->q[model_coordinate(model.joints[static_cast<std::size_t>(output.joint)], output.coordinate)];
    case Quantity::rate:
      return joint->v[output.coordinate];
    case Quantity::coordinate_acceleration:
      return simulation.joint_acceleration(output.joint)[output.coordinate];
    case Quantity::force:
      return part(reaction_of(model, output, simulation).force);
    case Quantity::torque:
      return part(reaction_of(model, output, simulation).torque);
    case Quantity::effort:
      return drive_effort(model, simulation.solution(), output.drive);
    case Quantity::kinetic_energy:
      return simulation.energy().kinetic;
    case Quantity::potential_energy:
      return simulation.energy().gravity + simulation.energy().spring;
    case Quantity::energy:
      return simulation.energy().total();
    case Quantity::time:
      return simulation.state().t;
    case Quantity::largest_speed:
      return largest_speed(model, simulation);
    case Quantity::lowest_load:
      return lowest_load(model, simulation);
  }
  return 0.0;
}

}  // namespace tandem
