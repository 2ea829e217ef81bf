// FROZEN: the equations of a spanning tree as the plain engine had them before one recursion carried every model. It
// changes only when the model or the kernels of joints and rows do, never to follow the engine it is to judge.
//
// It stands on the bodies: their kinematics, applied forces and rows. For a body i, the relative twist of its joint is
// S_F v = G_parent V_parent + G_i V_i (dynamics/pair_motion.hpp). So
//   (1)  y_i = X_i y_parent + c_i + S_i v̇_i,   X_i = −G_i⁻¹ G_parent,   S_i = G_i⁻¹ S_F,   c_i = G_i⁻¹ (c_F − γ)
// Driven speeds leave the unknowns: c′ = c + S_A q̈_A, S has the columns that are left.
//   (2)  M_i y_i − f_i = what the rows and joints do to body i,   Σ K_i y_i = b
//   (3)  stacked, y = Z u̇ + a:   M_u = ZᵀMZ,   f_u = Zᵀ(f − M a),   J_u = K Z,   b_u = b − K a
//   (4)  afterwards, what its joint does to body i:  F_i = M_i y_i − f_i − Kᵀλ − Σ children; the joint's own
//        multipliers from J_iᵀ λ = F_i
// Source: Featherstone, Rigid Body Dynamics Algorithms.
#pragma once

#include <vector>

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/kinematics.hpp"
#include "tandem/dynamics/rows.hpp"
#include "tandem/dynamics/state.hpp"
#include "tandem/model/forest.hpp"

namespace tandem::oracle {

struct TreeProblem {
  struct Link {
    int body = 0, parent = -1;  // parent: a link, −1 is the world
    int first = 0;              // its first unknown; it has S.cols() of them
    double length = 1.0;        // of its island
    Mat6<double> X = Mat6<double>::Zero(), M;
    Mat6UpTo6<double> S;
    Vec6<double> c, f;
  };
  struct Part {
    int link = 0;
    Eigen::Matrix<double, Eigen::Dynamic, 6> K;
  };
  struct Block {
    int first_row = 0, rows = 0, of_model = 0;
    std::vector<Part> parts;
  };
  std::vector<Link> links;  // parents first
  std::vector<Block> blocks;
  std::vector<int> rows;       // independent, ascending
  Eigen::VectorXd b;           // of (2)
  Eigen::VectorXd row_square;  // |K|², lengths in parts of the island's
  Eigen::VectorXd unit;        // of an unknown: the island's length, or 1 for an angle
  double time = 1.0;           // the machine's
  Eigen::MatrixXd M_u, J_u;    // (3)
  Eigen::VectorXd f_u, b_u;
  Eigen::Index unknowns() const { return unit.size(); }
};

struct Answer {
  Eigen::VectorXd y;       // accelerations of all bodies
  Eigen::VectorXd lambda;  // of all rows of the model
  int rank = 0;            // independent rows, those of the tree's joints included
};

class Tree {
 public:
  explicit Tree(const Model& model);
  // At a state of the bodies (the cut all, quasi-velocities) that meets the joints of the tree: chooses the rows.
  void update(const State& bodies);
  const TreeProblem& problem() const { return problem_; }
  Answer expand(const Eigen::VectorXd& u_dot, const Eigen::VectorXd& lambda) const;  // (4)

 private:
  void update_link(const Forest::Node& node, double t, TreeProblem::Link& link);
  void update_rows();
  void multiply_out();
  void choose_rows();

  const Model& model_;
  Forest forest_;
  Kinematics<double> kinematics_;
  AppliedForces<double> applied_;
  Rows<double> rows_;
  std::vector<std::vector<int>> joint_blocks_;  // per node: blocks that its joint and its drives make up
  TreeProblem problem_;
};

}  // namespace tandem::oracle
