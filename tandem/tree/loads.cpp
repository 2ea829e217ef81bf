#include "tandem/tree/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

std::optional<std::string> TreeLoads::obstacle(const Model& model, const Forest& forest) {
  for (const ModelForce& force : model.forces)
    for (const CoordinateRef& ref : force.coordinates)
      if (std::find(forest.loops.begin(), forest.loops.end(), ref.joint) != forest.loops.end())
        return fmt::format("force \"{}\" acts along joint \"{}\", which closes a loop", force.name,
                           model.joints[static_cast<std::size_t>(ref.joint)].name);
  return std::nullopt;
}

void TreeLoads::build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
                      const std::vector<Pose<double>>& X_LC) {
  model_ = &model;
  powers_.emplace(model, ForcePower::Laws::undeclared);
  std::vector<const Forest::Node*> node_of_joint(model.joints.size(), nullptr);
  for (const Forest::Node& node : forest.nodes)
    if (node.joint >= 0) node_of_joint[static_cast<std::size_t>(node.joint)] = &node;
  const auto place = [&](const CoordinateRef& ref) {
    const Forest::Node& node = *node_of_joint[static_cast<std::size_t>(ref.joint)];
    const int at = model_coordinate(model.joints[static_cast<std::size_t>(ref.joint)], ref.coordinate);
    return std::pair{at < 0 ? -1 : node.q_first + at, node.v_first + ref.coordinate};
  };
  for (const ModelForce& force : model.forces) {
    if (const auto& line = force.force.line()) {
      const auto [q, v] = place(force.coordinates.front());
      const bool constant = line->constant.is_constant();
      if (!constant) moving_.emplace_back(lines_.size(), line->constant);
      lines_.push_back({q, v, line->stiffness, line->damping, line->rest, constant ? line->constant.constant() : 0.0});
      continue;
    }
    Law law{.force = &force, .points = {}, .coordinates = {}};
    for (const CoordinateRef& ref : force.coordinates) law.coordinates.push_back(place(ref));
    for (const BodyFrame& point : force.points) {
      wants_world_ = wants_world_ || point.body != world;
      if (point.body == world) {
        law.points.push_back({0, M3<double>(point.X_CF.R), V3<double>(point.X_CF.p)});
        continue;
      }
      const int node = forest.node_of_body[static_cast<std::size_t>(point.body)];
      const int link = link_of_node[static_cast<std::size_t>(node)];
      const Pose<double> X_LP = X_LC[static_cast<std::size_t>(link)] * point.X_CF;
      law.points.push_back({link, M3<double>(X_LP.R), V3<double>(X_LP.p)});
    }
    laws_.push_back(std::move(law));
  }
}

void TreeLoads::apply(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      std::vector<TreeLink<double>>& links, Eigen::VectorXd& tau) {
  dampers_ = forces_ = 0.0;
  powers_->reset();
  for (const auto& [line, constant] : moving_) lines_[line].constant = constant(t);
  for (const Line& line : lines_) {  // (2)
    const double speed = v[line.v], damped = line.damping * speed;
    tau[line.v] += line.constant - damped - (line.q < 0 ? 0.0 : line.stiffness * (q[line.q] - line.rest));
    dampers_ -= damped * speed;  // (3)
    forces_ += line.constant * speed;
  }
  for (const Law& law : laws_) apply_law(law, t, q, v, links, tau);
}

void TreeLoads::apply_law(const Law& law, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                          std::vector<TreeLink<double>>& links, Eigen::VectorXd& tau) {
  at_.points.resize(law.points.size());
  at_.coordinates.resize(law.coordinates.size());
  for (std::size_t i = 0; i < law.points.size(); ++i) {
    const Point& point = law.points[i];
    PointMotion<double>& motion = at_.points[i];
    if (point.link == 0) {
      motion = {point.R.matrix(), point.p.vector(), Vector3::Zero(), Vector3::Zero()};
      continue;
    }
    const TreeLink<double>& link = links[static_cast<std::size_t>(point.link)];
    motion.R = (link.R_W * point.R).matrix();
    motion.p = (link.p_W + link.R_W * point.p).vector();
    motion.w = (link.R_W * link.w).vector();
    motion.v = (link.R_W * (link.v_origin + cross(link.w, point.p))).vector();
  }
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) {
    const auto [at, speed] = law.coordinates[i];
    at_.coordinates[i] = {at < 0 ? 0.0 : q[at], v[speed]};
  }
  loads_.reset(law.points.size(), law.coordinates.size());
  law.force->force.apply<double>(at_, t, loads_);
  for (std::size_t i = 0; i < law.points.size(); ++i) {  // (1)
    const Point& point = law.points[i];
    if (point.link == 0) continue;
    TreeLink<double>& link = links[static_cast<std::size_t>(point.link)];
    const V3<double> f = link.R_W.transposed_times(V3<double>(loads_.forces[i]));
    link.p_w = link.p_w - link.R_W.transposed_times(V3<double>(loads_.torques[i])) - cross(point.p, f);
    link.p_v = link.p_v - f;
  }
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) tau[law.coordinates[i].second] += loads_.efforts[i];
  if (law.force->force.declares_power()) {  // (3)
    dampers_ += loads_.damped;
    forces_ += loads_.brought;
  } else if (!law.force->force.conservative()) {
    powers_->add(*model_, *law.force, at_, t);
  }
}

}  // namespace tandem
