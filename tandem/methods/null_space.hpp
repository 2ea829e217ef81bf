// Null space: move only along what the rows allow, and never meet the multipliers.
//
//   (1)  J = [J_d J_i] after ordering the speeds: dependent and independent ones, chosen by pivoting and kept while no
//        independent speed moves a dependent one much more than itself: J_d is then as well conditioned as J
//   (2)  Z = [−J_d⁻¹ J_i; 1],  J Z = 0;   y = y_p + Z z,  y_p = [J_d⁻¹ r₂; 0],   r₁ = f, r₂ = b
//   (3)  ZᵀMZ z = Zᵀ (r₁ − M y_p)
//   (4)  afterwards  J_dᵀ λ = (M y − r₁)_d
//   (5)  again with what is left:  r₁ = f + Jᵀλ − M y,  r₂ = b − J y,  where that is more than 100 ε of the terms of
//        its own equation: where masses are far apart. What two such refinements leave there goes by QR
//        (dense_lagrange.hpp)
// Speeds are in units of their inertia and rows of unit length, so that units do not decide about pivots.
// On the reduced cut the tree's joints are out of the way already: the speeds are those of Z_p = D⁻¹ P_p
// (tree_coordinates.hpp), and (1) to (4) complete it for loops and nonholonomic rows. ZᵀMZ is positive definite unless
// some allowed motion has no inertia, which is told by name.
// Source: Wehage and Haug (1982) for (1); docs/methods/linked_bodies.md for trees of joints.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

class NullSpace final : public Method {
 public:
  explicit NullSpace(StepMemory& memory) : choice_(memory.speeds) {}
  std::string_view name() const override { return "null_space"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;
  // The independent speeds of the last solve, as unknowns, and how often they were chosen.
  const std::vector<int>& independent() const { return choice_.independent; }
  int choices() const { return choices_; }

 private:
  void scale(const GaussProblem& problem);
  void partition(const std::vector<int>& rows);
  void choose_speeds();
  double split_rows();  // the largest number in J_d⁻¹ J_i
  void find_null_space();
  void factor_inertia(const Model& model, const GaussProblem& problem);
  void correct();
  void find_rest();
  double largest_rest(const GaussProblem& problem);

  Eigen::MatrixXd M_, J_, J_d_, J_i_, Z_, MZ_, H_;  // J: the independent rows
  Eigen::MatrixXd dependent_part_;
  Eigen::VectorXd f_, b_, speed_scale_, row_scale_, y_, z_, change_, multipliers_, multiplier_change_, right_;
  Eigen::VectorXd force_rest_, row_rest_, row_sizes_, arms_;  // r₁, r₂ of (5)
  SpeedChoice& choice_;                                       // (1)
  int choices_ = 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  DenseLagrange dense_;
};

}  // namespace tandem
