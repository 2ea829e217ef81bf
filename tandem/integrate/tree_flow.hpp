// TreeFlow: the rate of change of a state by the fast recursion, and its way back to the constraints.
//
// For the method articulated with any explicit integrator: what Flow and Projection do, without the workspace, which
// then waits until somebody asks for it.
//   (1)  q̇ = N(q) v,   v̇ by the recursion, powers of force laws and drives
//   (2)  projection: δ by mass until |φ| is small, then velocities once            integrate/projection.hpp
// Whatever is out of the ordinary is left to the plain step, which names it.
#pragma once

#include "tandem/integrate/flow.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/tree/tree_reading.hpp"

namespace tandem {

class TreeFlow final : public System {
 public:
  // Nothing when the model or the setup needs more than this can do. `plain` and `memory` must outlive it.
  static std::unique_ptr<TreeFlow> make(const Model& model, const Setup& setup, Flow& plain, StepMemory& memory);
  // Takes the rows that are in use there: which of them are independent is decided on J, never by pivots with masses in
  // them. What it does not use it looks at after every step.
  void follow(const GaussProblem& problem);
  // Where positions are closed by other rows than speeds (two wheels on one axle repeat what a hub says), rows change
  // places within a step: not where a crowd of them would have to be placed anew each time.
  bool usable() const { return usable_; }

  // (1); throws NumericalError where the plain step should be made instead.
  void rate(const State& stage, Eigen::VectorXd& x_dot) override;
  void coordinate_rate(const State& state, VecOut<double> q_dot) override;
  double settle(State& state) override;
  const Layout& layout() const override { return plain_.layout(); }
  Flow& equations() override { return plain_; }

  struct Report {
    ResidualNorms before, after;
    int iterations = 0;
    double turn = 0.0, pivot = 1.0;  // of StepReport
  };
  // What there is to read at a state: motions, and on request accelerations. Null: the plain equations are to tell.
  const TreeReading* read_motions(const State& state);
  const TreeReading* read_accelerations(const State& state);
  const TreeReading* read_forces(const State& state);  // of its joints
  // The end of a step of length h, as the integrator left it: onto the constraints, if the setup asks for that. False
  // when the plain step should be made instead; `state` is then anything.
  bool finish(double h, State& state, Report& report);
  double fastest_turn(const State& state);  // the largest angular speed of a link
  // The rows in use are those of StepMemory. Writes where they are eliminated there; takes both from there.
  void remember() { tree_.save_places(memory_.tree_places); }
  void go_on();
  void stand_beside(const TreeFlow& other);  // with its rows
  // After finish(), so that the quaternions of the bodies keep their signs over many steps.
  void follow_quaternions(State& bodies) const { tree_.follow_quaternions(bodies.q()); }

 private:
  TreeFlow(const Model& model, const Setup& setup, Flow& plain, StepMemory& memory);
  bool is_sane(double turn, double gap) const;
  void use_rows();
  void locate_by(const std::vector<int>& rows, double t);
  void locate(const State& state);
  // From a state into q_, v_, and back; locate() and rate() put driven ones where their drives are.
  void take(const State& state);
  void put_back(State& state) const;
  bool stands_at(double t) const;  // with q_, v_
  void stand_at(double t);
  ResidualNorms norms(const TreeResiduals& of_rows) const;  // with those that are not in use
  void read_angles(State& state) const;
  bool project(double t, double size, Report& report);  // q_, v_

  Flow& plain_;
  StepMemory& memory_;
  TreeDynamics tree_;
  double time_;  // the machine's
  bool projects_;
  ClosingRule rule_;
  bool same_rows_ = true;  // positions are closed by the holonomic ones of the rows in use
  bool usable_ = false;
  bool left_out_ = false;                    // some rows are not in use
  std::vector<char> holonomic_;              // rows of the model
  std::vector<int> closed_;                  // scratch
  std::vector<std::pair<int, int>> angles_;  // which of State::angles() is which of q
  std::vector<const ModelJoint*> loops_;     // joints that close a loop and have coordinates: these are measured
  Eigen::VectorXd q_, v_, q_dot_, v_dot_, delta_;
  // What the tree holds: nothing that is known, poses and velocities of a state, or its accelerations too.
  enum class Holds { nothing, motions, accelerations };
  Holds holds_ = Holds::nothing;
  bool rows_move_ = false;  // some, by themselves: where they are hangs on the time
  double t_held_ = 0.0;
  Eigen::VectorXd q_held_, v_held_;
  Eigen::VectorXd held_;  // ẋ, of Holds::accelerations
  TreeReading reading_;
  Eigen::VectorXd read_rate_;  // scratch
};

}  // namespace tandem
