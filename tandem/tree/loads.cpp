#include "tandem/tree/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

void TreeLoads::build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
                      const std::vector<Pose<double>>& X_LC) {
  model_ = &model;
  angles_.setZero(model.angles);
  powers_.emplace(model, ForcePower::Laws::undeclared);
  std::vector<const Forest::Node*> node_of_joint(model.joints.size(), nullptr);
  for (const Forest::Node& node : forest.nodes)
    if (node.joint >= 0) node_of_joint[static_cast<std::size_t>(node.joint)] = &node;
  const auto place_point = [&](const BodyFrame& point) -> Point {
    if (point.body == world) return {0, M3<double>(point.X_CF.R), V3<double>(point.X_CF.p)};
    const int node = forest.node_of_body[static_cast<std::size_t>(point.body)];
    const int link = link_of_node[static_cast<std::size_t>(node)];
    const Pose<double> X_LP = X_LC[static_cast<std::size_t>(link)] * point.X_CF;
    return {link, M3<double>(X_LP.R), V3<double>(X_LP.p)};
  };
  const auto place = [&](const CoordinateRef& ref) -> Coordinate {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
    const int at = model_coordinate(joint, ref.coordinate);
    if (const Forest::Node* node = node_of_joint[static_cast<std::size_t>(ref.joint)])
      return {at < 0 ? -1 : node->q_first + at, node->v_first + ref.coordinate};
    const JointCoordinate& traits = joint.joint()->traits().coordinates[static_cast<std::size_t>(ref.coordinate)];
    measured_.push_back({.joint = &joint.joint()->on<double>(),
                         .first = place_point(joint.first),
                         .second = place_point(joint.second),
                         .coordinate = at,
                         .speed = ref.coordinate});
    if (traits.angular && !traits.counts_turns && at >= 0) measured_.back().angle = joint.turns_first + ref.coordinate;
    wants_world_ = true;
    return {.measured = static_cast<int>(measured_.size()) - 1};
  };
  for (const ModelForce& force : model.forces) {
    const auto& line = force.force.line();
    if (line && node_of_joint[static_cast<std::size_t>(force.coordinates.front().joint)]) {
      const auto [q, v, _] = place(force.coordinates.front());
      const bool constant = line->constant.is_constant();
      if (!constant) moving_.emplace_back(lines_.size(), line->constant);
      lines_.push_back({q, v, line->stiffness, line->damping, line->rest, constant ? line->constant.constant() : 0.0});
      continue;
    }
    Law law{.force = &force, .points = {}, .coordinates = {}};
    for (const CoordinateRef& ref : force.coordinates) law.coordinates.push_back(place(ref));
    for (const BodyFrame& point : force.points) {
      wants_world_ = wants_world_ || point.body != world;
      law.points.push_back(place_point(point));
    }
    laws_.push_back(std::move(law));
  }
}

PointMotion<double> TreeLoads::motion_of(const Point& point, const std::vector<TreeLink<double>>& links) {
  if (point.link == 0) return {.R = point.R.matrix(), .p = point.p.vector()};
  const TreeLink<double>& link = links[static_cast<std::size_t>(point.link)];
  return {.R = (link.R_W * point.R).matrix(),
          .p = (link.p_W + link.R_W * point.p).vector(),
          .v = (link.R_W * (link.v_origin + cross(link.w, point.p))).vector(),
          .w = (link.R_W * link.w).vector()};
}

// A force and a torque at a point, all in the world, on a link. (1)
static void push(std::vector<TreeLink<double>>& links, int on, const V3<double>& at, const V3<double>& torque,
                 const V3<double>& force) {
  if (on == 0) return;
  TreeLink<double>& link = links[static_cast<std::size_t>(on)];
  link.p_w = link.p_w - link.R_W.transposed_times(torque + cross(at - link.p_W, force));
  link.p_v = link.p_v - link.R_W.transposed_times(force);
}

void TreeLoads::apply(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      std::vector<TreeLink<double>>& links, Eigen::VectorXd& tau) {
  dampers_ = forces_ = stored_ = 0.0;
  powers_->reset();
  for (const auto& [line, constant] : moving_) lines_[line].constant = constant(t);
  for (const Line& line : lines_) {  // (2)
    const double speed = v[line.v], damped = line.damping * speed;
    tau[line.v] += line.constant - damped - (line.q < 0 ? 0.0 : line.stiffness * (q[line.q] - line.rest));
    dampers_ -= damped * speed;  // (4)
    forces_ += line.constant * speed;
  }
  for (Measured& each : measured_) measure(each, links);
  for (const Law& law : laws_) apply_law(law, t, q, v, links, tau);
}

double TreeLoads::potential(const Eigen::VectorXd& q) const {
  double sum = stored_;
  for (const Line& line : lines_) {
    const double stretch = line.q < 0 ? 0.0 : q[line.q] - line.rest;
    sum += 0.5 * line.stiffness * stretch * stretch;
  }
  return sum;
}

void TreeLoads::measure(Measured& one, const std::vector<TreeLink<double>>& links) const {  // (3)
  const PointMotion<double> F = motion_of(one.first, links), M = motion_of(one.second, links);
  const Vector3 arm = M.p - F.p;
  const Relative<double> x{F.R.transpose() * M.R, F.R.transpose() * arm, F.R.transpose() * (M.w - F.w),
                           F.R.transpose() * (M.v - F.v - F.w.cross(arm))};
  Mat6UpTo6<double> W;
  VecUpTo6<double> bias;
  one.joint->rates(x, W, bias);
  const Vec6<double> along = W.col(one.speed);
  double angle = one.coordinate < 0 ? 0.0 : one.joint->measure(x)[one.coordinate];
  if (one.angle >= 0) angle = unwrap_angle<double>(angle, angles_[one.angle]);
  one.motion = {angle, along.dot(x.twist())};
  one.n = V3<double>(Vector3(F.R * (along.head<3>() + x.p.cross(along.tail<3>()))));
  one.f = V3<double>(Vector3(F.R * along.tail<3>()));
  one.at = V3<double>(F.p);
}

void TreeLoads::apply_law(const Law& law, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          std::vector<TreeLink<double>>& links, Eigen::VectorXd& tau) {
  at_.points.resize(law.points.size());
  at_.coordinates.resize(law.coordinates.size());
  for (std::size_t i = 0; i < law.points.size(); ++i) at_.points[i] = motion_of(law.points[i], links);
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) {
    const Coordinate& along = law.coordinates[i];
    at_.coordinates[i] = along.measured >= 0 ? measured_[static_cast<std::size_t>(along.measured)].motion
                                             : CoordinateMotion<double>{along.q < 0 ? 0.0 : q[along.q], v[along.v]};
  }
  loads_.reset(law.points.size(), law.coordinates.size());
  law.force->force.apply<double>(at_, t, loads_);
  stored_ += loads_.potential;
  for (std::size_t i = 0; i < law.points.size(); ++i) {  // (1)
    if (law.points[i].link == 0) continue;
    TreeLink<double>& link = links[static_cast<std::size_t>(law.points[i].link)];
    const V3<double> f = link.R_W.transposed_times(V3<double>(loads_.forces[i]));
    link.p_w = link.p_w - link.R_W.transposed_times(V3<double>(loads_.torques[i])) - cross(law.points[i].p, f);
    link.p_v = link.p_v - f;
  }
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) {
    const Coordinate& along = law.coordinates[i];
    const double effort = loads_.efforts[i];
    if (along.measured < 0) {
      tau[along.v] += effort;
      continue;
    }
    const Measured& on = measured_[static_cast<std::size_t>(along.measured)];  // (3)
    push(links, on.second.link, on.at, effort * on.n, effort * on.f);
    push(links, on.first.link, on.at, -effort * on.n, -effort * on.f);
  }
  if (law.force->force.declares_power()) {  // (4)
    dampers_ += loads_.damped;
    forces_ += loads_.brought;
  } else if (!law.force->force.conservative()) {
    powers_->add(*model_, *law.force, at_, t);
  }
}

}  // namespace tandem
