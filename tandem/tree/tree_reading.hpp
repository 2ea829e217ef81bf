// What a machine does where the recursion stands: how its bodies move and accelerate, and the rows that no joint of the
// tree holds. It costs a row of results a fraction of what the equations of a Workspace would.
//
// The rows are found anew from the bodies (dynamics/rows.hpp): what the recursion made of them is checked by what it
// does not use. Rows that a joint of the tree holds are met by construction and are not here.
#pragma once

#include "tandem/dynamics/rows.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

class TreeReading {
 public:
  TreeReading(const Model& model, const Forest& forest);

  bool is_of(const State& state) const;  // and nothing was forgotten since
  void forget() { known_ = false; }
  // `tree` is located at the state; then it was accelerated there, to v_dot.
  void take_motions(const State& state, const TreeDynamics& tree);
  void take_accelerations(const TreeDynamics& tree, const Eigen::VectorXd& v_dot);
  // After TreeDynamics::find_joint_forces() there.
  void take_forces(const TreeDynamics& tree);
  // Whether the accelerations were asked for, and are there; whether forces are.
  bool has_tried() const { return tried_; }
  bool has_accelerations() const { return accelerated_; }
  bool has_forces() const { return has_forces_; }
  void give_up() { tried_ = true; }

  const Kinematics<double>& kinematics() const { return kinematics_; }  // of joints, those that close loops
  CoordinateMotion<double> coordinate(int joint, int which) const;      // of any; its value is 0 where it has none
  // With the accelerations:
  const Rows<double>& rows() const { return rows_; }
  const std::vector<int>& blocks() const { return blocks_; }  // those of rows() that are there
  const Eigen::VectorXd& y() const { return y_; }             // of the bodies
  const Eigen::VectorXd& lambda() const { return lambda_; }   // of these rows and of all drives
  // Of a joint of the tree, v̇ of its speeds.
  bool is_of_tree(int joint) const { return node_of(joint) != nullptr; }
  auto joint_acceleration(int joint) const { return v_dot_.segment(node_of(joint)->v_first, node_of(joint)->nv); }
  double potential() const { return potential_; }  // of force laws
  // Whether what a joint transmits is here: of the tree in force(), once that was asked for; of others in their rows.
  // It is not where couplers act along a joint of the tree, or force laws along another: these are no part of the one
  // and part of the other.
  bool knows_force(int joint) const { return knows_force_[static_cast<std::size_t>(joint)]; }
  const Wrench<double>& force(int joint) const {
    return forces_[static_cast<std::size_t>(joint)];
  }  // on its second body
  int rank() const { return rank_; }

 private:
  const Forest::Node* node_of(int joint) const {
    const int node = node_of_joint_[static_cast<std::size_t>(joint)];
    return node < 0 ? nullptr : &forest_.nodes[static_cast<std::size_t>(node)];
  }

  const Model& model_;
  const Forest& forest_;
  std::vector<int> node_of_joint_;  // −1: it closes a loop
  std::vector<int> measured_;       // joints that are
  std::vector<int> blocks_;
  std::vector<int> row_of_drive_;
  std::vector<bool> knows_force_;
  bool known_ = false, tried_ = false, accelerated_ = false, has_forces_ = false;
  double t_ = 0.0;
  Eigen::VectorXd q_, v_, v_dot_;
  Kinematics<double> kinematics_;
  Rows<double> rows_;
  Eigen::VectorXd y_, lambda_;
  std::vector<Wrench<double>> forces_;
  double potential_ = 0.0;
  int rank_ = 0;
};

}  // namespace tandem
