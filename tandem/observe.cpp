// What one can ask a simulation about its state.
#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

Energy Simulation::energy() {
  return {kinetic_energy(model_, workspace().kinematics), workspace().applied.gravity_potential(),
          workspace().applied.spring_potential()};
}

Vector3 Simulation::mass_center() {
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    sum += model_.bodies[i].mass * workspace().kinematics.body(static_cast<int>(i)).X_WC.p;
    mass += model_.bodies[i].mass;
  }
  return sum / mass;
}

Pose<double> Simulation::pose(const BodyFrame& frame) {
  return workspace().kinematics.body(frame.body).X_WC * frame.X_CF;
}

Twist<double> Simulation::velocity(const BodyFrame& frame) {
  const PointMotion<double> point = workspace().kinematics.point(frame);
  return {point.w, point.v};
}

Twist<double> Simulation::acceleration(const BodyFrame& frame) {
  if (frame.body == world) return {};
  const Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
  const BodyMotion<double>& motion = workspace().kinematics.body(frame.body);
  const Eigen::VectorXd& y = solution().y;
  const Vector3 r = motion.X_WC.R * frame.X_CF.p;
  const Vector3 alpha =
      body.point_mass ? Vector3(Vector3::Zero()) : Vector3(motion.X_WC.R * y.segment<3>(body.v_first));
  const Vector3 a = y.segment<3>(body.v_first + body.nv() - 3);
  return {alpha, a + alpha.cross(r) + motion.w_W.cross(Vector3(motion.w_W.cross(r)))};
}

Eigen::MatrixXd Simulation::jacobian(const BodyFrame& frame) {
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(6, model_.nv);
  if (frame.body == world) return jacobian;
  const Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
  const BodyMotion<double>& motion = workspace().kinematics.body(frame.body);
  Mat6<double> six = Mat6<double>::Zero();
  six.topLeftCorner<3, 3>() = motion.X_WC.R;
  six.bottomRows<3>() = point_jacobian<double>(motion, motion.X_WC.R * frame.X_CF.p);
  jacobian.middleCols(body.v_first, body.nv()) = body_columns(body, six);
  return jacobian;
}

CoordinateRef Simulation::find_coordinate(std::string_view joint, std::string_view coordinate) const {
  const int index = model_.joint(joint);
  const Joint* known = model_.joints[static_cast<std::size_t>(index)].joint();
  std::vector<std::string> names;
  if (known)
    for (const JointCoordinate& each : known->traits().coordinates) names.emplace_back(each.name);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == coordinate || (coordinate.empty() && names.size() == 1)) return {index, static_cast<int>(i), 1.0};
  throw std::out_of_range(
      fmt::format("joint \"{}\" has no coordinate \"{}\"{}", joint, coordinate, did_you_mean(coordinate, names)));
}

double Simulation::coordinate(std::string_view joint, std::string_view coordinate) {
  const CoordinateRef ref = find_coordinate(joint, coordinate);
  const int at = model_coordinate(model_.joints[static_cast<std::size_t>(ref.joint)], ref.coordinate);
  if (at < 0)
    throw std::out_of_range(fmt::format("\"{}\" of joint \"{}\" is a speed without a coordinate", coordinate, joint));
  return workspace().kinematics.joint(ref.joint).q[at];
}

double Simulation::rate(std::string_view joint, std::string_view coordinate) {
  const CoordinateRef ref = find_coordinate(joint, coordinate);
  return workspace().kinematics.joint(ref.joint).v[ref.coordinate];
}

Eigen::VectorXd Simulation::joint_acceleration(int joint) {
  const ModelJoint& owner = model_.joints[static_cast<std::size_t>(joint)];
  const JointMotion<double>& motion = workspace().kinematics.joint(joint);
  if (!owner.joint()) return {};
  const Eigen::VectorXd& y = solution().y;
  Vec6<double> relative = motion.pair.gamma;
  const auto add = [&](int index, const Mat6<double>& G) {
    if (index == world) return;
    const Body& body = model_.bodies[static_cast<std::size_t>(index)];
    relative += body_columns(body, G) * y.segment(body.v_first, body.nv());
  };
  add(owner.first.body, motion.pair.G_first);
  add(owner.second.body, motion.pair.G_second);
  return motion.W.transpose() * relative + motion.rate_bias;
}

Reaction Simulation::reaction(std::string_view name) {
  const auto named = [name](const auto& thing) { return thing.name == name; };
  const auto joint = std::find_if(model_.joints.begin(), model_.joints.end(), named);
  if (joint != model_.joints.end())
    return joint_reaction(model_, workspace(), solution(), static_cast<int>(joint - model_.joints.begin()));
  return constraint_reaction(model_, workspace(), solution(), model_.constraint(name));
}

}  // namespace tandem
