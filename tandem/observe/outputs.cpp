#include "tandem/observe/outputs.hpp"

#include <limits>

#include "tandem/math/euler312.hpp"

namespace tandem {

static double component_of(const Vector3& vector, Component component) {
  return component == Component::norm ? vector.norm() : vector[static_cast<Eigen::Index>(component)];
}

static Reaction reaction_in(const ModelOutput& output, Simulation& simulation) {
  return output.joint >= 0 ? simulation.joint_reaction(output.joint)
                           : simulation.constraint_reaction(output.constraint);
}

static double largest_speed(Simulation& simulation) {
  double most = 0.0;
  for (const BodyMotion<double>& motion : simulation.motions())
    most = std::max({most, motion.v.norm(), motion.w_B.norm()});
  return most;
}

static double lowest_load(const Model& model, Simulation& simulation) {
  double least = std::numeric_limits<double>::max();
  for (const RowBlockInfo& info :
       model.blocks)  // not contacts(): this one is asked in every step and must not allocate
    if (info.kind == RowBlockInfo::Kind::constraint &&
        model.constraints[static_cast<std::size_t>(info.index)].carries_load())
      least = std::min(least, simulation.force_along(info.first_row));
  return least;
}

static double effort(const Model& model, Simulation& simulation, int drive) {
  std::size_t at = 0;
  const RowBlockInfo* block = find_block(model, RowBlockInfo::Kind::drive, drive, at);
  return block ? simulation.force_along(block->first_row) : 0.0;
}

double output_value(const Model& model, const ModelOutput& output, Simulation& simulation) {
  const auto part = [&](const Vector3& vector) { return component_of(vector, output.component); };
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
      return simulation.joint_motion(output.joint, output.coordinate).q;
    case Quantity::rate:
      return simulation.joint_motion(output.joint, output.coordinate).v;
    case Quantity::coordinate_acceleration:
      return simulation.joint_acceleration(output.joint)[output.coordinate];
    case Quantity::force:
      return part(reaction_in(output, simulation).force);
    case Quantity::torque:
      return part(reaction_in(output, simulation).torque);
    case Quantity::effort:
      return effort(model, simulation, output.drive);
    case Quantity::kinetic_energy:
      return simulation.energy().kinetic;
    case Quantity::potential_energy:
      return simulation.energy().gravity + simulation.energy().spring;
    case Quantity::energy:
      return simulation.energy().total();
    case Quantity::time:
      return simulation.state().t;
    case Quantity::largest_speed:
      return largest_speed(simulation);
    case Quantity::lowest_load:
      return lowest_load(model, simulation);
  }
  return 0.0;
}

}  // namespace tandem
