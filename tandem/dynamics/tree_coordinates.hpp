// Coordinates on the reduced cut: the joints of a spanning tree carry them, the other joints close loops as rows. A
// group of unknowns is a tree.
//
// For a body i, the relative twist of its joint is S_F v = G_parent V_parent + G_i V_i (pair_motion.hpp). So
//   (1)  V_i = X_i V_parent + S_i v_i,         X_i = −G_i⁻¹ G_parent,   S_i = G_i⁻¹ S_F
//   (2)  y_i = X_i y_parent + c_i + S_i v̇_i,   c_i = G_i⁻¹ (c_F − γ)
// Driven speeds leave the unknowns: c′ = c + S_A q̈_A, S_p are the columns that are left.
//   (3)  stacked, D V = P v with unit diagonal and −X_i below:  V = D⁻¹ P v,  Z_p = D⁻¹ P_p
//   (4)  f_u = −Zᵀ (M a − f), a the accelerations with u̇ = 0         outward and inward pass (Newton-Euler)
//   (5)  M_u = Zᵀ M Z by composite inertias: I_parent += Xᵀ I X
//   (6)  a row K on body i: J_u = Σ K X … X S along the path to the root
//   (7)  afterwards, the force F_i that its joint does to body i:  F_i = M_i y_i − f_i − Kᵀλ − Σ children; the joint's
//        own multipliers from  J_iᵀ λ = F_i.  S_pᵀ F_i = 0 is a check: efforts along passive speeds are in f.
// Source: Featherstone, Rigid Body Dynamics Algorithms; docs/methods/linked_bodies.md.
#pragma once

#include "tandem/dynamics/coordinates.hpp"
#include "tandem/model/forest.hpp"

namespace tandem {

class TreeCoordinates final : public Coordinates {
 public:
  explicit TreeCoordinates(const Model& model);

  std::string_view name() const override { return "joints"; }
  const Forest& forest() const { return forest_; }
  // Where a speed stands among the unknowns; −1 when it is driven.
  int unknown_of_speed(int speed) const { return unknown_of_speed_[static_cast<std::size_t>(speed)]; }
  const Forest::Node& node_of_speed(int speed) const;

  std::string motion(const Model& model, int speed, bool can) const override;
  std::string without_inertia(const Model& model, int unknown) const override;
  int speed_of(int unknown) const override;
  State from_bodies(const Model& model, const State& bodies, const Kinematics<double>& kinematics) const override;
  void place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) override;
  void rate(const Model& model, const State& state, VecOut<double> q_dot) const override;
  void retract(const Model& model, VecIn<double> delta, VecOut<double> q) const override;
  void add_speeds(VecIn<double> delta, VecOut<double> v) const override;
  void speed_rate(const Model& model, double t, VecIn<double> y, VecOut<double> v_dot) const override;
  void place_along(const Model& model, double t, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                   Kinematics<Dual<double>>& kinematics) const override;
  void speed_rate_along(const Model& model, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                        const Kinematics<Dual<double>>& kinematics, const VecX<Dual<double>>& y,
                        VecX<Dual<double>>& v_dot) const override;
  void solve_positions(const Model& model, VecIn<double> q0, double w, const VecX<Dual<double>>& v,
                       VecX<Dual<double>>& q) const override;
  double settle(const Model& model, State& state) const override;
  Layout layout(const Model& model) const override;
  GaussProblem structure(const Model& model) override;
  void fill(const Surroundings& at, bool with_mass, GaussProblem& problem) override;
  void fill_mass(GaussProblem& problem) const override;
  void fill_right_sides(const Surroundings& at, const Eigen::VectorXd& force, const Eigen::VectorXd& rows,
                        GaussProblem& problem) override;
  void expand(const Surroundings& at, const GaussProblem& problem, const Solution& in, Solution& out) override;

  // Of the last fill, per node: X, all columns of S, c without the driven part. For inverse dynamics and tests.
  struct Motion {
    Mat6<double> X = Mat6<double>::Zero();
    Mat6UpTo6<double> S;
    Vec6<double> c = Vec6<double>::Zero();
  };
  const std::vector<Motion>& motions() const { return motions_; }

 private:
  template <class S> struct JointState {
    VecUpTo7<S> q;
    VecUpTo6<S> v;
  };
  template <class S>
  JointState<S> joint_state(const Model& model, const Forest::Node& node, double t, VecIn<S> q, VecIn<S> v) const;
  template <class S> void place(const Model& model, double t, VecIn<S> q, VecIn<S> v, Kinematics<S>& kinematics) const;
  template <class S>
  void place_child(const Model& model, const Forest::Node& node, const JointState<S>& joint,
                   Kinematics<S>& kinematics) const;
  void update_motions(const Surroundings& at);
  void update_links(const Surroundings& at, GaussProblem& problem);
  void walk_with_biases(GaussProblem& problem);
  void update_rows(const Surroundings& at, GaussProblem& problem);
  void joint_rows(const Surroundings& at, const Forest::Node& node, Mat6UpTo6<double>& Jt,
                  Mat6UpTo6<double>& Jt_parent) const;
  void solve_joint(const Surroundings& at, const Forest::Node& node, const Vec6<double>& force, Solution& out);

  Forest forest_;
  std::vector<int> unknown_of_speed_;
  std::vector<int> tree_first_, tree_size_;     // unknowns of each tree
  std::vector<int> kept_;                       // row blocks of the model that stay rows
  std::vector<std::vector<int>> joint_blocks_;  // per node: blocks its joint and its drives make up
  std::vector<Motion> motions_;
  std::vector<Vec6<double>> bias_, force_;       // per node: a of (4), F of (4) and (7)
  mutable std::vector<Mat6<double>> composite_;  // scratch of fill_mass
};

}  // namespace tandem
