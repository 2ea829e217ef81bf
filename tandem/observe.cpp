// What one can ask a simulation about its state.
#include <fmt/format.h>

#include <stdexcept>

#include "tandem/base/suggest.hpp"
#include "tandem/integrate/tree_flow.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

std::span<const BodyMotion<double>> Simulation::motions() { return moving().bodies(); }

const Eigen::VectorXd& Simulation::accelerations() {
  const TreeReading* reading = read_accelerations();
  return reading ? reading->y() : solution().y;
}

RowsHere Simulation::rows(bool all) {
  if (!all)
    if (const TreeReading* reading = read_accelerations())
      return {reading->rows(), reading->blocks(), reading->y(), reading->lambda(), reading->rank(), false};
  const Solution& solution = this->solution();
  return {workspace().rows, all_blocks_, solution.y, solution.lambda, solution.rank, true};
}

double Simulation::force_along(int row) {
  const TreeReading* reading = read_accelerations();
  return (reading ? reading->lambda() : solution().lambda)[row];
}

CoordinateMotion<double> Simulation::joint_motion(int joint, int coordinate) {
  if (const TreeReading* reading = read_motions()) return reading->coordinate(joint, coordinate);
  const JointMotion<double>& motion = workspace().kinematics.joint(joint);
  const int at = model_coordinate(model_.joints[static_cast<std::size_t>(joint)], coordinate);
  return {at < 0 ? 0.0 : motion.q[at], motion.v[coordinate]};
}

Energy Simulation::energy() {
  const std::span<const BodyMotion<double>> bodies = motions();
  Energy out{.kinetic = kinetic_energy(model_, bodies)};
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    out.gravity -= model_.bodies[i].mass * model_.gravity.dot(bodies[i].X_WC.p);
  if (model_.forces.empty()) return out;
  const TreeReading* reading = read_accelerations();
  out.spring = reading ? reading->potential() : workspace().applied.spring_potential();
  return out;
}

Vector3 Simulation::mass_center() {
  const std::span<const BodyMotion<double>> bodies = motions();
  Vector3 sum = Vector3::Zero();
  double mass = 0.0;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    sum += model_.bodies[i].mass * bodies[i].X_WC.p;
    mass += model_.bodies[i].mass;
  }
  return sum / mass;
}

Pose<double> Simulation::pose(const BodyFrame& frame) { return moving().body(frame.body).X_WC * frame.X_CF; }

Twist<double> Simulation::velocity(const BodyFrame& frame) {
  const PointMotion<double> point = moving().point(frame);
  return {point.w, point.v};
}

Twist<double> Simulation::acceleration(const BodyFrame& frame) {
  if (frame.body == world) return {};
  const Body& body = model_.bodies[static_cast<std::size_t>(frame.body)];
  const Eigen::VectorXd& y = accelerations();
  const BodyMotion<double>& motion = moving().body(frame.body);
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
  const BodyMotion<double>& motion = moving().body(frame.body);
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
  return joint_motion(ref.joint, ref.coordinate).q;
}

double Simulation::rate(std::string_view joint, std::string_view coordinate) {
  const CoordinateRef ref = find_coordinate(joint, coordinate);
  return joint_motion(ref.joint, ref.coordinate).v;
}

Eigen::VectorXd Simulation::joint_acceleration(int joint) {
  const ModelJoint& owner = model_.joints[static_cast<std::size_t>(joint)];
  if (!owner.joint()) return {};
  const TreeReading* reading = read_accelerations();
  if (reading && reading->is_of_tree(joint)) return reading->joint_acceleration(joint);
  const Eigen::VectorXd& y = accelerations();
  const JointMotion<double>& motion =
      reading ? reading->kinematics().joint(joint) : workspace().kinematics.joint(joint);
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
  if (joint != model_.joints.end()) return joint_reaction(static_cast<int>(joint - model_.joints.begin()));
  return constraint_reaction(model_.constraint(name));
}

Reaction Simulation::joint_reaction(int joint) {
  const TreeReading* reading = read_accelerations();
  if (!reading || !reading->knows_force(joint)) return tandem::joint_reaction(model_, workspace(), solution(), joint);
  if (!reading->is_of_tree(joint)) return reaction_of(tandem::joint_reaction(loaded(*reading), joint));
  reading = fast_->read_forces(state_);
  const Wrench<double>& on_second = reading->force(joint);
  const BodyFrame& at = model_.joints[static_cast<std::size_t>(joint)].first;
  return {on_second.force, on_second.torque, reading->kinematics().point(at).p};
}

Reaction Simulation::constraint_reaction(int constraint) {
  if (const TreeReading* reading = read_accelerations())
    return reaction_of(tandem::constraint_reaction(loaded(*reading), constraint));
  return tandem::constraint_reaction(model_, workspace(), solution(), constraint);
}

// No force law acts along the joints that are asked for.
Loaded<double> Simulation::loaded(const TreeReading& reading) const {
  return {model_, reading.kinematics(), workspace_.applied, reading.rows(), reading.lambda()};
}

}  // namespace tandem
