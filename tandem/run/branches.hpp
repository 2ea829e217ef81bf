// Branches: does a machine with loops stay on the branch it is on? Where rows become dependent (a singular pose, such
// as a flat parallelogram) several branches meet, and a step can also jump from one to another that lies near.
//
// J: the independent holonomic rows over the velocities of all bodies, lengths in parts of the machine's size, rows
// scaled to unit length. G = J Jᵀ.
//   (1)  what the rows hold at two poses: G = L Lᵀ, c the least pivot of L₁⁻¹ J₁ J₀ᵀ L₀⁻ᵀ. c ≈ 1 for neighbours on one
//        branch; straight through a singular pose c < 0, once for every row that is lost there; from one branch to one
//        that crosses it c ≈ 0. The product of all pivots is det(J₁ J₀ᵀ) / √(det G₀ det G₁); beyond 800 rows c is that,
//        which does not see two that are lost at once.
//   (2)  a pose is singular when the smallest pivot of G is below tolerances::singular_pose²
//   (3)  c < 1/2 over a step: the interval is halved on the constraints, by dense output, always to the half with the
//        smaller c. Either a singular pose is found; or c ≥ 1/2 in both halves: a sharp turn of one branch; or the gap
//        does not close: the branch was left without a singular pose.
//   (4)  over a singular pose a machine goes straight on, because no force does anything to it there. The angle between
//        the lines of its velocities shortly before and shortly behind, by mass, tells when it did not: the branch
//        changed. Before is where the pose was entered, however many steps were taken in it.
//   (5)  looked at are only steps that may have passed one: with σ² the smallest pivot, the singular pose must lie
//   within
//        ten times the way of the step, and where σ₀ fell to 0 and rose to σ₁ again, σ₀ + σ₁ is what σ changes by in a
//        step: steps with σ₀ + σ₁ > 4 max(|σ₁ − σ₀|, that of the step before) are passed over. That costs nothing.
// Source of (1): the test function for branch points of numerical continuation; Allgower and Georg, Introduction to
// Numerical Continuation Methods (2003), chapter 8.
#pragma once

#include <Eigen/SparseCore>
#include <functional>

#include "tandem/run/health.hpp"

namespace tandem {

class Branches {
 public:
  Branches(const Model& model, const Setup& setup);

  // A simulation of the model that stands at t, within the last step.
  using View = std::function<Simulation&(double t)>;
  // After a step of `simulation`, which began at simulation.before().
  void watch(const StepReport& report, Simulation& simulation, const View& view, Health& health);
  // At the start of a run.
  void begin(Simulation& simulation, Health& health);
  void save(MemoryWriter& out) const;
  void load(MemoryReader& in);

 private:
  struct Pose {
    double t = 0.0, pivot = 1.0;
    Eigen::SparseMatrix<double> J;  // of rows_
    Eigen::VectorXd v;              // of the bodies
  };
  bool may_have_passed(double pivot, double h);  // (5), the second half
  double pivot_at(Simulation& simulation);
  double way(Simulation& simulation, double h) const;
  void choose_rows(const Workspace& at);
  Pose pose(Simulation& at) const;
  bool singular(const Pose& pose) const;
  // (3): the singular pose between two poses, or the jump.
  enum class Found { nothing, singular, jump };
  Found search(const View& view, Pose low, Pose high, Pose& found) const;
  void enter(const View& view, const Pose& from, double at, double speed);
  bool goes_straight_on(const Eigen::VectorXd& from, const Eigen::VectorXd& to, double way) const;  // (4)
  int weakest_row(const Pose& at) const;

  const Model& model_;
  Setup setup_;
  std::vector<char> closes_loop_;      // per block: not a joint of the spanning tree
  double sigma_ = 0.0, slope_ = -1.0;  // of (5): at the last step, and how fast it changed; negative: not known
  Eigen::VectorXd entered_;            // of (4): velocities before the pose that was not left yet; empty: none
  double entered_way_ = 0.0;           // and the way since
  std::vector<int> rows_;              // of the model
  std::unique_ptr<Workspace> probe_;   // where the simulation's own does not choose its rows anew
};

}  // namespace tandem
