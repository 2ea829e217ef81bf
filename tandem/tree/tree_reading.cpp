#include "tandem/tree/tree_reading.hpp"

#include <algorithm>

#include "tandem/base/same_bytes.hpp"

namespace tandem {

TreeReading::TreeReading(const Model& model, const Forest& forest)
    : model_(model), forest_(forest), node_of_joint_(model.joints.size(), -1), kinematics_(model), rows_(model) {
  for (std::size_t i = 0; i < forest.nodes.size(); ++i)
    if (forest.nodes[i].joint >= 0)
      node_of_joint_[static_cast<std::size_t>(forest.nodes[i].joint)] = static_cast<int>(i);
  measured_ = forest.loops;
  knows_force_.assign(model.joints.size(), true);
  forces_.resize(model.joints.size());
  for (const ModelConstraint& constraint : model.constraints)
    if (const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what))
      for (const CoordinateRef& term : relation->terms) {
        measured_.push_back(term.joint);
        if (is_of_tree(term.joint)) knows_force_[static_cast<std::size_t>(term.joint)] = false;
      }
  for (const ModelForce& force : model.forces)
    for (const CoordinateRef& along : force.coordinates)
      if (!is_of_tree(along.joint)) knows_force_[static_cast<std::size_t>(along.joint)] = false;
  std::sort(measured_.begin(), measured_.end());
  measured_.erase(std::unique(measured_.begin(), measured_.end()), measured_.end());
  row_of_drive_.assign(model.drives.size(), -1);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    int joint = -1;
    if (info.kind == RowBlockInfo::Kind::joint) joint = info.index;
    if (info.kind == RowBlockInfo::Kind::drive) {
      joint = model.drives[static_cast<std::size_t>(info.index)].coordinate.joint;
      row_of_drive_[static_cast<std::size_t>(info.index)] = info.first_row;
    }
    if (joint < 0 || !node_of(joint)) blocks_.push_back(static_cast<int>(i));
  }
  y_.setZero(model.nv);
  lambda_.setZero(model.rows);
}

bool TreeReading::is_of(const State& state) const {
  return known_ && state.t == t_ && same_bytes(state.q(), q_) && same_bytes(state.v(), v_);
}

void TreeReading::take_motions(const State& state, const TreeDynamics& tree) {
  known_ = true;
  tried_ = accelerated_ = has_forces_ = false;
  t_ = state.t;
  q_ = state.q();
  v_ = state.v();
  for (std::size_t i = 0; i < model_.bodies.size(); ++i)
    kinematics_.writable_body(static_cast<int>(i)) = tree.motion(static_cast<int>(i));
  kinematics_.set_time(state.t);
  for (const int joint : measured_) kinematics_.update_joint(model_, joint, state.angles());
}

void TreeReading::take_accelerations(const TreeDynamics& tree, const Eigen::VectorXd& v_dot) {
  tried_ = accelerated_ = true;
  v_dot_ = v_dot;
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    const Body& body = model_.bodies[i];
    y_.segment(body.v_first, body.nv()) = tree.acceleration(static_cast<int>(i)).tail(body.nv());
  }
  for (const int block : blocks_) rows_.update_block(model_, kinematics_, static_cast<std::size_t>(block));
  lambda_.setZero();
  tree.loops().visit_multipliers([&](int row, double lambda) { lambda_[row] = lambda; });
  tree.visit_efforts(
      [&](int drive, double effort) { lambda_[row_of_drive_[static_cast<std::size_t>(drive)]] = effort; });
  potential_ = tree.potential(q_);
  rank_ = tree.rows_in_use() + model_.rows - tree.row_count();
}

void TreeReading::take_forces(const TreeDynamics& tree) {
  has_forces_ = true;
  for (const Forest::Node& node : forest_.nodes) {
    if (node.joint < 0) continue;
    const auto joint = static_cast<std::size_t>(node.joint);
    const Wrench<double> on = tree.force_on(node.body, kinematics_.point(model_.joints[joint].first).p);
    const double sign = node.reversed ? -1.0 : 1.0;  // then it is the first body that hangs on it
    forces_[joint] = {sign * on.torque, sign * on.force};
  }
}

CoordinateMotion<double> TreeReading::coordinate(int joint, int which) const {
  const int at = model_coordinate(model_.joints[static_cast<std::size_t>(joint)], which);
  if (const Forest::Node* node = node_of(joint))
    return {at < 0 ? 0.0 : q_[node->q_first + at], v_[node->v_first + which]};
  const JointMotion<double>& motion = kinematics_.joint(joint);
  return {at < 0 ? 0.0 : motion.q[at], motion.v[which]};
}

}  // namespace tandem
