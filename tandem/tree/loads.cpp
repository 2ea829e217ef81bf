#include "tandem/tree/loads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

template <class S>
void TreeLoads<S>::build(const Model& model, const Forest& forest, const std::vector<int>& link_of_node,
                         const std::vector<Pose<S>>& X_LC) {
  model_ = &model;
  angles_.setZero(model.angles);
  powers_.emplace(model, ForcePower::Laws::undeclared);
  std::vector<const Forest::Node*> node_of_joint(model.joints.size(), nullptr);
  for (const Forest::Node& node : forest.nodes)
    if (node.joint >= 0) node_of_joint[static_cast<std::size_t>(node.joint)] = &node;
  const auto place_point = [&](const BodyFrame& point) -> Point {
    const Pose<S> X_CP = point.X_CF.template cast<S>();
    if (point.body == world) return {0, M3<S>(X_CP.R), V3<S>(X_CP.p)};
    const int node = forest.node_of_body[static_cast<std::size_t>(point.body)];
    const int link = link_of_node[static_cast<std::size_t>(node)];
    const Pose<S> X_LP = X_LC[static_cast<std::size_t>(link)] * X_CP;
    return {link, M3<S>(X_LP.R), V3<S>(X_LP.p)};
  };
  const auto place = [&](const CoordinateRef& ref) -> Coordinate {
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(ref.joint)];
    const int at = model_coordinate(joint, ref.coordinate);
    if (const Forest::Node* node = node_of_joint[static_cast<std::size_t>(ref.joint)])
      return {at < 0 ? -1 : node->q_first + at, node->v_first + ref.coordinate};
    const JointCoordinate& traits = joint.joint()->traits().coordinates[static_cast<std::size_t>(ref.coordinate)];
    measured_.push_back({.joint = kernel_on<S>(*joint.joint()),
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
      lines_.push_back(
          {q, v, line->stiffness, line->damping, line->rest, constant ? S(line->constant.constant()) : S(0.0)});
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

template <class S> PointMotion<S> TreeLoads<S>::motion_of(const Point& point, const std::vector<TreeLink<S>>& links) {
  if (point.link == 0) return {.R = point.R.matrix(), .p = point.p.vector()};
  const TreeLink<S>& link = links[static_cast<std::size_t>(point.link)];
  return {.R = (link.R_W * point.R).matrix(),
          .p = (link.p_W + link.R_W * point.p).vector(),
          .v = (link.R_W * (link.v_origin + cross(link.w, point.p))).vector(),
          .w = (link.R_W * link.w).vector()};
}

// A force and a torque at a point, all in the world, on a link. (1)
template <class S>
static void push(std::vector<TreeLink<S>>& links, int on, const V3<S>& at, const V3<S>& torque, const V3<S>& force) {
  if (on == 0) return;
  TreeLink<S>& link = links[static_cast<std::size_t>(on)];
  link.p_w = link.p_w - link.R_W.transposed_times(torque + cross(at - link.p_W, force));
  link.p_v = link.p_v - link.R_W.transposed_times(force);
}

template <class S>
void TreeLoads<S>::apply(const S& t, const S* q, const S* v, std::vector<TreeLink<S>>& links, VecX<S>& tau) {
  dampers_ = forces_ = stored_ = S(0.0);
  powers_->reset();
  for (const auto& [line, constant] : moving_) lines_[line].constant = value_at<S>(constant, t);
  for (const Line& line : lines_) {  // (2)
    const S speed = v[line.v], damped = line.damping * speed;
    tau[line.v] += line.constant - damped - (line.q < 0 ? S(0.0) : S(line.stiffness * (q[line.q] - line.rest)));
    dampers_ -= damped * speed;  // (4)
    forces_ += line.constant * speed;
  }
  for (Measured& each : measured_) measure(each, links);
  for (const Law& law : laws_) apply_law(law, t, q, v, links, tau);
}

template <class S> S TreeLoads<S>::potential(const S* q) const {
  S sum = stored_;
  for (const Line& line : lines_) {
    const S stretch = line.q < 0 ? S(0.0) : S(q[line.q] - line.rest);
    sum += 0.5 * line.stiffness * stretch * stretch;
  }
  return sum;
}

template <class S> void TreeLoads<S>::measure(Measured& one, const std::vector<TreeLink<S>>& links) const {  // (3)
  const PointMotion<S> F = motion_of(one.first, links), M = motion_of(one.second, links);
  const Vec3<S> arm = M.p - F.p;
  const Relative<S> x{F.R.transpose() * M.R, F.R.transpose() * arm, F.R.transpose() * (M.w - F.w),
                      F.R.transpose() * (M.v - F.v - F.w.cross(arm))};
  Mat6UpTo6<S> W;
  VecUpTo6<S> bias;
  one.joint->rates(x, W, bias);
  const Vec6<S> along = W.col(one.speed);
  S angle = one.coordinate < 0 ? S(0.0) : one.joint->measure(x)[one.coordinate];
  if (one.angle >= 0) angle = nearest_turn<S>(angle, angles_[one.angle]);
  one.motion = {angle, along.dot(x.twist())};
  one.n = V3<S>(Vec3<S>(F.R * (along.template head<3>() + x.p.cross(along.template tail<3>()))));
  one.f = V3<S>(Vec3<S>(F.R * along.template tail<3>()));
  one.at = V3<S>(F.p);
}

template <class S>
void TreeLoads<S>::apply_law(const Law& law, const S& t, const S* q, const S* v, std::vector<TreeLink<S>>& links,
                             VecX<S>& tau) {
  at_.points.resize(law.points.size());
  at_.coordinates.resize(law.coordinates.size());
  for (std::size_t i = 0; i < law.points.size(); ++i) at_.points[i] = motion_of(law.points[i], links);
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) {
    const Coordinate& along = law.coordinates[i];
    at_.coordinates[i] = along.measured >= 0 ? measured_[static_cast<std::size_t>(along.measured)].motion
                                             : CoordinateMotion<S>{along.q < 0 ? S(0.0) : q[along.q], v[along.v]};
  }
  loads_.reset(law.points.size(), law.coordinates.size());
  apply_force<S>(law.force->force, at_, t, loads_);
  stored_ += loads_.potential;
  for (std::size_t i = 0; i < law.points.size(); ++i) {  // (1)
    if (law.points[i].link == 0) continue;
    TreeLink<S>& link = links[static_cast<std::size_t>(law.points[i].link)];
    const V3<S> f = link.R_W.transposed_times(V3<S>(loads_.forces[i]));
    link.p_w = link.p_w - link.R_W.transposed_times(V3<S>(loads_.torques[i])) - cross(law.points[i].p, f);
    link.p_v = link.p_v - f;
  }
  for (std::size_t i = 0; i < law.coordinates.size(); ++i) {
    const Coordinate& along = law.coordinates[i];
    const S effort = loads_.efforts[i];
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
  } else if constexpr (keeps_power) {
    if (!law.force->force.conservative()) powers_->add(*model_, *law.force, at_, t);
  }
}

#define TANDEM_INSTANTIATE(S) template class TreeLoads<S>;
TANDEM_TREE_SCALARS(TANDEM_INSTANTIATE)
#undef TANDEM_INSTANTIATE

}  // namespace tandem
