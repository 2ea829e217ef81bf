// TreeStepper: a step of rk4 with projection, by the fast recursion alone.
//
// For the method articulated: the step that Integrator and Projection make, without the workspace, which then waits
// until somebody asks for it.
//   (1)  stages k_i = (N(q) v, v̇, powers);  x += h/6 (k₁ + 2 k₂ + 2 k₃ + k₄);  quaternions to unit length
//   (2)  projection: δ by mass until |φ| is small, then velocities once            integrate/projection.hpp
// Whatever is out of the ordinary is left to the plain step, which names it.
#pragma once

#include "tandem/integrate/projection.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

class TreeStepper {
 public:
  // Nothing when the model needs more than this can do: couplers, another method or integrator.
  static std::unique_ptr<TreeStepper> make(const Model& model, const Setup& setup);
  // Takes the rows that are in use there: which of them are independent is decided on J, never by pivots with masses in
  // them. What it does not use it looks at after every step.
  void follow(const GaussProblem& problem);

  struct Report {
    ResidualNorms before, after;
    int iterations = 0;
    double quaternion_error = 0.0;
    double turn = 0.0, pivot = 1.0;  // of StepReport
  };
  // False when the plain step should be made instead; `state` is then anything.
  bool step(double h, State& state, Report& report);
  void save(MemoryWriter& out) const;
  void load(MemoryReader& in);
  // After such a step, so that the quaternions of the bodies keep their signs over many steps.
  void follow_quaternions(State& bodies) const { tree_.follow_quaternions(bodies.q); }

 private:
  TreeStepper(const Model& model, const Setup& setup);
  bool is_sane(double turn, double gap) const;
  void use_rows();
  ResidualNorms norms(const TreeResiduals& of_rows) const;  // with those that are not in use
  bool accelerate(double t, Eigen::VectorXd& v_dot);
  void read_angles(State& state) const;
  bool project(State& state, double gap, Report& report);

  TreeDynamics tree_;
  double time_;  // the machine's
  bool projects_;
  std::vector<int> rows_;                    // in use, of the model
  bool usable_ = false;                      // positions are closed by the same rows
  bool left_out_ = false;                    // some rows are not in use
  std::vector<char> holonomic_;              // rows of the model
  std::vector<int> closed_, to_close_;       // scratch
  std::vector<std::pair<int, int>> angles_;  // which of State::angles is which of q
  std::vector<const ModelJoint*> loops_;     // joints that close a loop and have coordinates: these are measured
  std::vector<Eigen::VectorXd> k_q_, k_v_;
  std::vector<Work> k_work_;
  Eigen::VectorXd q_, v_, delta_;
  bool located_ = false;  // the tree is where the last step ended, and nothing was done there yet
  Eigen::VectorXd q_located_, v_located_;
};

}  // namespace tandem
