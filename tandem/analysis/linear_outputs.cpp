#include "tandem/analysis/linear_outputs.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/dynamics/coordinate_reading.hpp"
#include "tandem/math/euler312.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {

LinearInputs::LinearInputs(const Model& model, const std::vector<std::string>& names) : model_(model) {
  Faults faults;
  faults.about_table("linearize", model.linearize.source);
  for (const std::string& name : names) {
    Input input;
    for (std::size_t i = 0; i < model.drives.size(); ++i)
      if (model.drives[i].name == name) input.drive = static_cast<int>(i);
    if (input.drive < 0) {
      try {
        const ModelReading reading = find_reading(model, name);
        if (reading.what == ModelReading::What::value) input.coordinate = reading.coordinate;
        if (!input.coordinate)
          faults.error(
              fmt::format("input \"{}\" is a rate; name a coordinate for the effort along it, or a drive", name));
      } catch (const std::out_of_range& error) {
        const std::string_view why = error.what();
        faults.error(fmt::format("input \"{}\": {}{} input is an effort along a coordinate, or a drive", name, why,
                                 why.ends_with('?') ? " An" : "; an"));
      }
    }
    inputs_.push_back(std::move(input));
  }
  if (faults.any_error()) throw ModelError(std::move(faults));
}

std::string LinearInputs::unit(std::size_t input) const {
  const Input& in = inputs_[input];
  if (in.coordinate) return is_angular(model_, *in.coordinate) ? "N m" : "N";
  ModelStart driven;
  driven.coordinate = model_.drives[static_cast<std::size_t>(in.drive)].coordinate;
  return is_angular(model_, driven) ? "rad/s^2" : "m/s^2";
}

void LinearInputs::right_sides(std::size_t input, const Workspace& at, Eigen::VectorXd& force,
                               Eigen::VectorXd& rows) const {
  const Input& in = inputs_[input];
  force.setZero(model_.nv);
  rows.setZero(model_.rows);
  if (in.coordinate) {
    force = rate_row(model_, *in.coordinate, at.kinematics);
    return;
  }
  for (const RowBlockInfo& info : model_.blocks)
    if (info.kind == RowBlockInfo::Kind::drive && info.index == in.drive) rows[info.first_row] = 1.0;
}

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

OutputTangent::OutputTangent(const Model& model, const Tangent& tangent, const Solution& at, const Solution& change)
    : model_(model), tangent_(tangent), y_(model.nv), lambda_(model.rows) {
  for (Eigen::Index i = 0; i < y_.size(); ++i) y_[i] = D(at.y[i], change.y[i]);
  for (Eigen::Index i = 0; i < lambda_.size(); ++i) lambda_[i] = D(at.lambda[i], change.lambda[i]);
}

double OutputTangent::change(const ModelOutput& output) const {
  const Kinematics<D>& kinematics = tangent_.kinematics();
  const auto part = [&](const Vec3<D>& vector) {
    return output.component == Component::norm ? sqrt(vector.dot(vector)).derivative
                                               : vector[static_cast<Eigen::Index>(output.component)].derivative;
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
  const auto angle = [&](int axis) { return euler312_angles<D>(kinematics.point(output.point).R)[axis].derivative; };
  const auto kinetic = [&] {
    D sum(0.0);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      const BodyMotion<D>& motion = kinematics.body(static_cast<int>(i));
      const Body& body = model_.bodies[i];
      if (!body.point_mass) sum += 0.5 * motion.w_B.dot(Vec3<D>(lift<D>(body.inertia) * motion.w_B));
      sum += 0.5 * body.mass * motion.v.dot(motion.v);
    }
    return sum.derivative;
  };
  const auto potential = [&] {
    return tangent_.applied().gravity_potential().derivative + tangent_.applied().spring_potential().derivative;
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
      return joint().value.derivative;
    case Quantity::rate:
      return joint().rate.derivative;
    case Quantity::coordinate_acceleration:
      return joint().acceleration.derivative;
    case Quantity::force:
      return part(reaction().force);
    case Quantity::torque:
      return part(reaction().torque);
    case Quantity::effort:
      for (const RowBlockInfo& info : model_.blocks)
        if (info.kind == RowBlockInfo::Kind::drive && info.index == output.drive)
          return lambda_[info.first_row].derivative;
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
