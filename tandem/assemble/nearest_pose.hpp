// The pose nearest to a guess that meets all holonomic rows. Nearest is meant by mass: d is the way from the guess, a
// rotation vector and a shift of the mass centre for each body; W = M, with a little added where a body has no inertia
// (methods/inertia_shift.hpp).
//
//   (1)  minimise ½ dᵀ W d   subject to   φ(q) = 0          (a rope: φ ≤ 0; soft rows are not asked for)
//   (2)  onto the rows:   δ = −W⁻¹ Jᵀ (J W⁻¹ Jᵀ + ν)⁻¹ (φ − target)     damped by ν ~ |φ|², so that rows which repeat
//        others do no harm while they are not yet met; a step that does not bring φ nearer is tried again with more ν
//        Where that leads nowhere, as with inertias a million times apart, W of (2) is that of equal ones: what is
//        reached differs, and (4) goes on from there to the nearest by mass
//   (3)  continuation:    target = (1 − s) φ(guess),   s from 0 to 1
//   (4)  on the rows:     δ = −α W⁻¹ (g − Jᵀ λ),   J W⁻¹ Jᵀ λ = J W⁻¹ g,   g = Dᵀ W d,   then (2) with ν = 0
//        α = |s|² / s·y of the last step s and the change y of (4), the step of Barzilai and Borwein
//   (5)  D = ∂d/∂δ: for a rotation vector θ it is 1 + ½ sk(θ) + c sk(θ)²,  c = 1/θ² − 1/(2 θ tan ½θ)
// At the end W⁻¹(g − Jᵀλ) = 0: what the rows would have to pull with to hold the machine there is all in the rows.
#pragma once

#include "tandem/dynamics/workspace.hpp"
#include "tandem/methods/inertia_shift.hpp"

namespace tandem {

// No step turns a body further than this (radians).
inline constexpr double largest_assembly_turn = 0.3;

// d: for each body the rotation vector (body axes) and the shift of the mass centre, laid out as v.
Eigen::VectorXd pose_difference(const Model& model, VecIn<double> q, VecIn<double> from);

class NearestPose {
 public:
  // The model must outlive it. Throws NumericalError when a row is not finite at the guess.
  NearestPose(const Model& model, const State& guess);

  // All of it: Newton; continuation when Newton fails or leaps; of the poses found the nearest; where none is, the same
  // with equal inertias. False when the rows cannot be met: then the pose is the one of the least |φ|² that was found.
  bool find();
  // Least squares with one row counting little: how near it can come when all others are met.
  void approach_with_weak_row(int model_row);

  const State& state() const { return state_; }
  const Workspace& workspace() const { return workspace_; }
  int iterations() const { return iterations_; }
  bool continued() const { return continued_; }
  // What is left of a row of the model; zero for rows that nothing is asked of.
  double residual(int model_row) const;

 private:
  bool close(int pieces);                                                // (3)
  bool approach(const Eigen::VectorXd& target, double small, int most);  // (2)
  bool restore();                                                        // (2) with ν = 0, on independent rows
  bool settle();                                                         // (4)
  bool follow(const Eigen::VectorXd& p, double& share);                  // one step of (4)

  // What is asked for: ropes that are too long, and all others against the target; or ropes that are taut.
  void ask(const Eigen::VectorXd& target);
  void ask_on_rows();
  void ask_for_blocks(const std::vector<char>& which, const Eigen::VectorXd& gap);
  void fill(double damping);
  void weigh_alike(bool alike);  // W of (2)
  void factor_independent();
  Eigen::VectorXd least_change();  // δ of (2) by the system just factored
  Eigen::VectorXd tangent();       // (4) with α = 1
  void place(const State& state);
  void advance(const Eigen::VectorXd& delta, double share);
  double largest_turn(const Eigen::VectorXd& delta) const;
  double largest_move(const Eigen::VectorXd& delta) const;  // in parts of the machine, radians
  Eigen::VectorXd gradient() const;
  double distance() const;  // ½ dᵀ W d
  double weigh(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const;
  bool is_rope(std::size_t block) const;

  const Model& model_;
  State guess_, state_;
  Workspace workspace_;
  InertiaShift shift_;
  GaussProblem problem_;    // the holonomic rows, and for each a slack unknown that carries ν
  std::vector<int> block_;  // of the workspace's problem, for each block of problem_
  std::vector<char> taut_;  // per block of problem_: a rope that is pulled
  RowSystem system_;
  Eigen::VectorXd weight_;     // of each row in |φ|²
  Eigen::VectorXd size_;       // of each row (model/scale.hpp): φ and J are divided by it
  Eigen::VectorXd phi_, gap_;  // of the rows of problem_, in parts of the machine
  std::vector<int> asked_;
  std::vector<Eigen::MatrixXd> masses_;  // of the bodies
  double row_square() const;             // mean of the diagonal of J W⁻¹ Jᵀ
  double row_square_ = 1.0;              // of that, at the guess
  double round_off_ = 0.0;               // of φ
  int iterations_ = 0;
  bool continued_ = false, leapt_ = false;
  bool alike_ = false;  // (2) by equal inertias
};

}  // namespace tandem
