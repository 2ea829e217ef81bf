#include "tandem/dynamics/tree_coordinates.hpp"

#include "tandem/dynamics/attitudes.hpp"
#include "tandem/dynamics/body_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem {

namespace {

const Joint& joint_of(const Model& model, const Forest::Node& node) {
  return *model.joints[static_cast<std::size_t>(node.joint)].joint();
}

Jet<double> motion_of(const Model& model, int drive, double t) {
  return model.drives[static_cast<std::size_t>(drive)].drive.motion<double>(t);
}

}  // namespace

TreeCoordinates::TreeCoordinates(const Model& model) : forest_(spanning_forest(model)) {
  tree_first_.assign(static_cast<std::size_t>(forest_.trees), 0);
  tree_size_.assign(static_cast<std::size_t>(forest_.trees), 0);
  int unknowns = 0;
  for (const Forest::Node& node : forest_.nodes) {
    const auto tree = static_cast<std::size_t>(node.tree);
    if (node.parent < 0) tree_first_[tree] = unknowns;
    for (const int drive : node.drives) unknown_of_speed_.push_back(drive < 0 ? unknowns++ : -1);
    tree_size_[tree] = unknowns - tree_first_[tree];
  }
  joint_blocks_.resize(forest_.nodes.size());
  std::vector<int> node_of_joint(model.joints.size(), -1);
  for (std::size_t i = 0; i < forest_.nodes.size(); ++i)
    if (forest_.nodes[i].joint >= 0)
      node_of_joint[static_cast<std::size_t>(forest_.nodes[i].joint)] = static_cast<int>(i);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    int joint = -1;
    if (info.kind == RowBlockInfo::Kind::joint) joint = info.index;
    if (info.kind == RowBlockInfo::Kind::drive)
      joint = model.drives[static_cast<std::size_t>(info.index)].coordinate.joint;
    const int node = joint < 0 ? -1 : node_of_joint[static_cast<std::size_t>(joint)];
    if (node < 0)
      kept_.push_back(static_cast<int>(i));
    else
      joint_blocks_[static_cast<std::size_t>(node)].push_back(static_cast<int>(i));
  }
  motions_.resize(forest_.nodes.size());
  bias_.resize(forest_.nodes.size());
  force_.resize(forest_.nodes.size());
  composite_.resize(forest_.nodes.size());
}

const Forest::Node& TreeCoordinates::node_of_speed(int speed) const {
  return *std::find_if(forest_.nodes.begin(), forest_.nodes.end(), [&](const Forest::Node& node) {
    return speed >= node.v_first && speed < node.v_first + node.nv;
  });
}

int TreeCoordinates::speed_of(int unknown) const {
  return static_cast<int>(std::find(unknown_of_speed_.begin(), unknown_of_speed_.end(), unknown) -
                          unknown_of_speed_.begin());
}

std::string TreeCoordinates::motion(const Model& model, int speed, bool can) const {
  const Forest::Node& node = node_of_speed(speed);
  const int k = speed - node.v_first;
  if (node.joint < 0) return motion_of_body(model.bodies[static_cast<std::size_t>(node.body)], k, can);
  return fmt::format("joint \"{}\" {} along \"{}\"", model.joints[static_cast<std::size_t>(node.joint)].name,
                     can ? "can move" : "moves",
                     joint_of(model, node).traits().coordinates[static_cast<std::size_t>(k)].name);
}

std::string TreeCoordinates::without_inertia(const Model& model, int unknown) const {
  const int speed = speed_of(unknown);
  const Forest::Node& node = node_of_speed(speed);
  const std::string& body = model.bodies[static_cast<std::size_t>(node.body)].name;
  return fmt::format("{} with no inertia to resist; give {} mass and moments of inertia", motion(model, speed, true),
                     node.joint < 0 ? "it" : fmt::format("what it carries (body \"{}\")", body));
}

State TreeCoordinates::from_bodies(const Model& model, const State& bodies,
                                   const Kinematics<double>& kinematics) const {
  State state({forest_.nq, forest_.nv, model.angles});
  state.t = bodies.t;
  state.angles() = bodies.angles();
  for (const Forest::Node& node : forest_.nodes) {
    const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
    if (node.joint < 0) {
      state.q().segment(node.q_first, node.nq) = bodies.q().segment(body.q_first, node.nq);
      state.v().segment(node.v_first, node.nv) = bodies.v().segment(body.v_first, node.nv);
    } else {
      state.q().segment(node.q_first, node.nq) = kinematics.joint(node.joint).q;
      state.v().segment(node.v_first, node.nv) = kinematics.joint(node.joint).v;
    }
  }
  settle(model, state);
  return state;
}

// The joint's coordinates and speeds: those of the state, quaternions of unit length, driven ones by their drives.
template <class S>
TreeCoordinates::JointState<S> TreeCoordinates::joint_state(const Model& model, const Forest::Node& node, double t,
                                                            VecIn<S> q, VecIn<S> v) const {
  JointState<S> joint{q.segment(node.q_first, node.nq), v.segment(node.v_first, node.nv)};
  if (node.nq != node.nv) joint.q = joint_of(model, node).on<S>().retract(joint.q, VecUpTo6<S>::Zero(node.nv));
  for (int k = 0; k < node.nv; ++k)
    if (const int drive = node.drives[static_cast<std::size_t>(k)]; drive >= 0) {
      const Jet<double> motion = motion_of(model, drive, t);
      joint.q[k + node.nq - node.nv] = motion.value;
      joint.v[k] = motion.rate;
    }
  return joint;
}

template TreeCoordinates::JointState<double> TreeCoordinates::joint_state(const Model&, const Forest::Node&, double,
                                                                          VecIn<double>, VecIn<double>) const;

void TreeCoordinates::place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) {
  place<double>(model, state.t, state.q(), state.v(), kinematics);
}

void TreeCoordinates::place_along(const Model& model, double t, const VecX<Dual<double>>& q,
                                  const VecX<Dual<double>>& v, Kinematics<Dual<double>>& kinematics) const {
  place<Dual<double>>(model, t, q, v, kinematics);
}

template <class S>
void TreeCoordinates::place(const Model& model, double t, VecIn<S> q, VecIn<S> v, Kinematics<S>& kinematics) const {
  for (const Forest::Node& node : forest_.nodes) {
    if (node.joint >= 0) {
      place_child<S>(model, node, joint_state<S>(model, node, t, q, v), kinematics);
      continue;
    }
    BodyMotion<S>& motion = kinematics.writable_body(node.body);
    motion.X_WC.p = q.template segment<3>(node.q_first + node.nq - 3);
    motion.v = v.template segment<3>(node.v_first + node.nv - 3);
    if (node.nv == 3) continue;  // a point mass
    motion.X_WC.R = rotation_of<S>(quaternion_normalized<S>(q.template segment<4>(node.q_first)));
    motion.w_B = v.template segment<3>(node.v_first);
    motion.w_W = motion.X_WC.R * motion.w_B;
  }
}

// The pose and velocity of the child from those of the parent and of the joint; pair_motion.hpp (1) solved for the
// child.
template <class S>
void TreeCoordinates::place_child(const Model& model, const Forest::Node& node, const JointState<S>& joint,
                                  Kinematics<S>& kinematics) const {
  const ModelJoint& owner = model.joints[static_cast<std::size_t>(node.joint)];
  const JointKernel<S>& kernel = owner.joint()->on<S>();
  const Pose<S> X_FM = kernel.pose(joint.q);
  Mat6UpTo6<S> S_F;
  Vec6<S> c;
  kernel.motion(joint.q, joint.v, S_F, c);
  const Vec6<S> V = S_F * joint.v;
  const BodyFrame& parent_frame = node.reversed ? owner.second : owner.first;
  const BodyFrame& child_frame = node.reversed ? owner.first : owner.second;
  const BodyMotion<S>& parent = kinematics.body(parent_frame.body);
  BodyMotion<S>& child = kinematics.writable_body(node.body);
  const Pose<S> X_WP = parent.X_WC * parent_frame.X_CF.cast<S>();
  child.X_WC = X_WP * (node.reversed ? X_FM.inverse() : X_FM) * child_frame.X_CF.inverse().cast<S>();
  const Pose<S> X_WF = node.reversed ? child.X_WC * child_frame.X_CF.cast<S>() : X_WP;
  const Vec3<S> w = X_WF.R * V.template head<3>(), v = X_WF.R * V.template tail<3>();
  const Vec3<S> p_M = X_WF * X_FM.p;
  const Vec3<S> from_parent = p_M - parent.X_WC.p, from_child = p_M - child.X_WC.p;
  const double sign = node.reversed ? -1.0 : 1.0;
  child.w_W = parent.w_W + sign * w;
  child.v = parent.v + parent.w_W.cross(from_parent) + sign * v - child.w_W.cross(from_child);
  child.w_B = child.X_WC.R.transpose() * child.w_W;
}

// A joint reads its own v̇ from the accelerations of its two bodies: joint.hpp (5).
void TreeCoordinates::speed_rate_along(const Model& model, const VecX<Dual<double>>&, const VecX<Dual<double>>&,
                                       const Kinematics<Dual<double>>& kinematics, const VecX<Dual<double>>& y,
                                       VecX<Dual<double>>& v_dot) const {
  using D = Dual<double>;
  v_dot.resize(forest_.nv);
  const auto of_body = [&](int index) {
    Vec6<D> out = Vec6<D>::Zero();
    if (index == world) return out;
    const Body& body = model.bodies[static_cast<std::size_t>(index)];
    out.tail(body.nv()) = y.segment(body.v_first, body.nv());
    return out;
  };
  for (const Forest::Node& node : forest_.nodes) {
    auto out = v_dot.segment(node.v_first, node.nv);
    if (node.joint < 0) {
      out = of_body(node.body).tail(node.nv);
      continue;
    }
    const ModelJoint& joint = model.joints[static_cast<std::size_t>(node.joint)];
    const JointMotion<D>& motion = kinematics.joint(node.joint);
    const Vec6<D> relative = motion.pair.G_first * of_body(joint.first.body) +
                             motion.pair.G_second * of_body(joint.second.body) + motion.pair.gamma;
    out = motion.W.transpose().lazyProduct(relative) + motion.rate_bias;
    for (int k = 0; k < node.nv; ++k)
      if (node.drives[static_cast<std::size_t>(k)] >= 0) out[k].derivative = 0.0;
  }
}

void TreeCoordinates::solve_positions(const Model& model, VecIn<double> q0, double w, const VecX<Dual<double>>& v,
                                      VecX<Dual<double>>& q) const {
  using D = Dual<double>;
  q.resize(forest_.nq);
  for (const Forest::Node& node : forest_.nodes) {
    const VecUpTo7<D> from = q0.segment(node.q_first, node.nq).cast<D>();  // lift() would allocate
    const VecUpTo6<D> speeds = v.segment(node.v_first, node.nv);
    const int plain = node.nq == node.nv ? node.nv : node.nv - 3;  // a quaternion comes first
    auto out = q.segment(node.q_first, node.nq);
    out.tail(plain) = from.tail(plain) + w * speeds.tail(plain);
    if (node.nq != node.nv) {
      out.head<4>() = quaternion_implicit_step<D>(from.head<4>(), w, speeds.head<3>());
      continue;
    }
    // Joints whose speeds are not the rates of their coordinates: by repetition, which ends at once for the others.
    if (node.joint < 0) continue;
    const JointKernel<D>& kernel = joint_of(model, node).on<D>();
    for (int pass = 0; pass < 60; ++pass) {
      const VecUpTo7<D> next = from + w * kernel.coordinate_rate(out, speeds);
      bool same = true;
      for (int k = 0; k < node.nq; ++k)
        same = same && next[k].value == out[k].value && next[k].derivative == out[k].derivative;
      if (same) break;
      out = next;
    }
  }
}

void TreeCoordinates::rate(const Model& model, const State& state, VecOut<double> q_dot) const {
  for (const Forest::Node& node : forest_.nodes) {
    auto out = q_dot.segment(node.q_first, node.nq);
    if (node.joint >= 0) {
      out = joint_of(model, node)
                .on<double>()
                .coordinate_rate(state.q().segment(node.q_first, node.nq), state.v().segment(node.v_first, node.nv));
      continue;
    }
    out.tail<3>() = state.v().segment<3>(node.v_first + node.nv - 3);
    if (node.nv == 6)
      out.head<4>() = quaternion_rate<double>(state.q().segment<4>(node.q_first), state.v().segment<3>(node.v_first));
  }
}

void TreeCoordinates::retract(const Model& model, VecIn<double> delta, VecOut<double> q) const {
  for (const Forest::Node& node : forest_.nodes) {
    VecUpTo6<double> move = VecUpTo6<double>::Zero(node.nv);
    for (int k = 0; k < node.nv; ++k)
      if (const int unknown = unknown_of_speed(node.v_first + k); unknown >= 0) move[k] = delta[unknown];
    auto at = q.segment(node.q_first, node.nq);
    if (node.joint >= 0) {
      const VecUpTo7<double> moved = joint_of(model, node).on<double>().retract(at, move);
      at = moved;
      continue;
    }
    at.tail<3>() += move.tail<3>();
    if (node.nv == 6) {
      const Vec4<double> turned = quaternion_retract<double>(at.head<4>(), move.head<3>());
      at.head<4>() = turned;
    }
  }
}

void TreeCoordinates::add_speeds(VecIn<double> delta, VecOut<double> v) const {
  for (std::size_t k = 0; k < unknown_of_speed_.size(); ++k)
    if (unknown_of_speed_[k] >= 0) v[static_cast<Eigen::Index>(k)] += delta[unknown_of_speed_[k]];
}

void TreeCoordinates::speed_rate(const Model& model, double t, VecIn<double> y, VecOut<double> v_dot) const {
  for (const Forest::Node& node : forest_.nodes)
    for (int k = 0; k < node.nv; ++k) {
      const int unknown = unknown_of_speed(node.v_first + k);
      v_dot[node.v_first + k] =
          unknown >= 0 ? y[unknown] : motion_of(model, node.drives[static_cast<std::size_t>(k)], t).acceleration;
    }
}

Layout TreeCoordinates::layout(const Model& model) const {
  Layout layout(Segments{forest_.nq, forest_.nv, model.angles});
  auto of_q = part(layout.error_scale, layout.q), of_v = part(layout.error_scale, layout.v);
  for (const Forest::Node& node : forest_.nodes)
    for (int k = 0; k < node.nv; ++k) {
      const bool angular = node.joint < 0
                               ? node.nv == 6 && k < 3
                               : joint_of(model, node).traits().coordinates[static_cast<std::size_t>(k)].angular;
      if (angular) continue;  // a quaternion stands before the coordinates that move
      of_v[node.v_first + k] = model.scale.of_body[static_cast<std::size_t>(node.body)];
      of_q[node.q_first + k + node.nq - node.nv] = of_v[node.v_first + k];
    }
  return layout;
}

double TreeCoordinates::settle(const Model& model, State& state) const {
  VecOut<double> q = state.q(), v = state.v();
  double off = 0.0;
  for (const Forest::Node& node : forest_.nodes) {
    if (node.joint >= 0) {
      const JointState<double> joint = joint_state<double>(model, node, state.t, q, v);
      if (node.nq != node.nv) off = std::max(off, std::abs(q.segment<4>(node.q_first).norm() - 1.0));
      q.segment(node.q_first, node.nq) = joint.q;
      v.segment(node.v_first, node.nv) = joint.v;
    } else if (node.nv == 6) {
      Vec4<double> quaternion = q.segment<4>(node.q_first);
      off = std::max(off, normalise(quaternion));
      q.segment<4>(node.q_first) = quaternion;
    }
  }
  return off;
}

}  // namespace tandem
