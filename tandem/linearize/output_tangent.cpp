#include "tandem/linearize/output_tangent.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/suggest.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/observe/coordinate_reading.hpp"
#include "tandem/observe/loaded.hpp"

namespace tandem {

static bool is_differentiable(const ModelOutput& output) {
  switch (output.quantity) {
    case Quantity::largest_speed:
    case Quantity::lowest_load:
    case Quantity::time:
      return false;
    default:
      return true;
  }
}

std::vector<ModelOutput> linear_outputs(const Model& model, const std::vector<std::string>& names) {
  std::vector<ModelOutput> out;
  if (names.empty()) {
    for (const ModelOutput& output : model.outputs)
      if (is_differentiable(output)) out.push_back(output);
    return out;
  }
  Faults faults;
  faults.about_table("linearize", model.linearize.source);
  std::vector<std::string> known;
  for (const ModelOutput& output : model.outputs) known.push_back(output.name);
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      faults.error(fmt::format("there is no output \"{}\"{}", name, did_you_mean(name, known)));
      continue;
    }
    const ModelOutput& output = model.outputs[static_cast<std::size_t>(found - known.begin())];
    if (is_differentiable(output))
      out.push_back(output);
    else
      faults.error(fmt::format("output \"{}\" has no derivative", name));
  }
  if (faults.any_error()) throw ModelError(std::move(faults));
  return out;
}

OutputTangent::OutputTangent(const Model& model, const Tangent& tangent, VecX<D> y, VecX<D> lambda)
    : model_(model), tangent_(tangent), y_(std::move(y)), lambda_(std::move(lambda)) {}

double OutputTangent::change(const ModelOutput& output) const {
  const Kinematics<D>& kinematics = tangent_.kinematics();
  const auto part = [&](const Vec3<D>& vector) {
    return derivative_of(output.component == Component::norm ? norm<D>(vector)
                                                             : vector[static_cast<Eigen::Index>(output.component)]);
  };
  const auto acceleration = [&](bool angular) {
    if (output.point.body == world) return Vec3<D>(Vec3<D>::Zero());
    const Body& body = model_.bodies[static_cast<std::size_t>(output.point.body)];
    const BodyMotion<D>& motion = kinematics.body(output.point.body);
    const Vec3<D> alpha =
        body.point_mass ? Vec3<D>(Vec3<D>::Zero()) : Vec3<D>(motion.X_WC.R * y_.segment<3>(body.v_first));
    const Vec3<D> r = kinematics.point(output.point).p - motion.X_WC.p;
    const Vec3<D> spin = motion.w_W.cross(r);
    return angular ? alpha
                   : Vec3<D>(y_.segment<3>(body.v_first + body.nv() - 3) + alpha.cross(r) + motion.w_W.cross(spin));
  };
  const auto reaction = [&] {
    const Loaded<D> loaded{model_, kinematics, tangent_.applied(), tangent_.all_rows(), lambda_};
    return output.joint >= 0 ? joint_reaction(loaded, output.joint) : constraint_reaction(loaded, output.constraint);
  };
  const auto angle = [&](int axis) {
    return derivative_of(euler312_angles<D>(kinematics.point(output.point).R)[axis]);
  };
  const auto kinetic = [&] {
    D sum(0.0);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const BodyMotion<D>& motion = kinematics.body(static_cast<int>(i));
      const Body& body = model_.bodies[i];
      if (!body.point_mass) sum += 0.5 * motion.w_B.dot(Vec3<D>(lift<D>(body.inertia) * motion.w_B));
      sum += 0.5 * body.mass * motion.v.dot(motion.v);
    }
    return derivative_of(sum);
  };
  const auto potential = [&] {
    return derivative_of(tangent_.applied().gravity_potential()) + derivative_of(tangent_.applied().spring_potential());
  };
  const auto joint = [&] {
    ModelStart what;
    what.coordinate = {output.joint, output.coordinate, 1.0};
    return read_coordinate<D>(model_, what, kinematics, &y_);
  };
  switch (output.quantity) {
    case Quantity::position:
      return part(kinematics.point(output.point).p);
    case Quantity::velocity:
      return part(kinematics.point(output.point).v);
    case Quantity::angular_velocity:
      return part(kinematics.point(output.point).w);
    case Quantity::acceleration:
      return part(acceleration(false));
    case Quantity::angular_acceleration:
      return part(acceleration(true));
    case Quantity::yaw:
      return angle(0);
    case Quantity::lean:
      return angle(1);
    case Quantity::pitch:
      return angle(2);
    case Quantity::coordinate:
      return derivative_of(joint().value);
    case Quantity::rate:
      return derivative_of(joint().rate);
    case Quantity::coordinate_acceleration:
      return derivative_of(joint().acceleration);
    case Quantity::force:
      return part(reaction().force);
    case Quantity::torque:
      return part(reaction().torque);
    case Quantity::effort:
      for (const RowBlockInfo& info : model_.blocks)
        if (info.kind == RowBlockInfo::Kind::drive && info.index == output.drive)
          return derivative_of(lambda_[info.first_row]);
      return 0.0;
    case Quantity::kinetic_energy:
      return kinetic();
    case Quantity::potential_energy:
      return potential();
    case Quantity::energy:
      return kinetic() + potential();
    case Quantity::time:
    case Quantity::largest_speed:
    case Quantity::lowest_load:
      break;
  }
  return 0.0;
}

}  // namespace tandem
