// Null space: move only along what the rows allow, and never meet the multipliers.
//
//   (1)  J = [J_d J_i] after ordering the speeds: dependent and independent ones, chosen by pivoting and kept while
//        J_d stays well conditioned
//   (2)  Z = [−J_d⁻¹ J_i; 1],  J Z = 0;   y = y_p + Z z,  y_p = [J_d⁻¹ b; 0]
//   (3)  ZᵀMZ z = Zᵀ (f − M y_p)
//   (4)  afterwards  J_dᵀ λ = (M y − f)_d
// Speeds are in units of their inertia and rows of unit length, so that units do not decide about pivots.
// On the reduced cut the tree's joints are out of the way already: the speeds are those of Z_p = D⁻¹ P_p
// (tree_coordinates.hpp), and (1) to (4) complete it for loops and nonholonomic rows. ZᵀMZ is positive definite unless
// some allowed motion has no inertia, which is told by name.
// Source: Eldredge's notes on constrained and linked rigid bodies; Wehage and Haug (1982) for (1).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include "tandem/methods/method.hpp"

namespace tandem {

class NullSpace final : public Method {
 public:
  std::string_view name() const override { return "null_space"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;
  void save(MemoryWriter& out) const override;
  void load(MemoryReader& in, const GaussProblem& like) override;
  // The independent speeds of the last solve, as unknowns, and how often they were chosen.
  const std::vector<int>& independent() const { return independent_; }
  int choices() const { return choices_; }

 private:
  void scale(const GaussProblem& problem);
  void partition(const std::vector<int>& rows);
  void choose_speeds();
  bool split_rows();  // false when the kept choice is no longer well conditioned
  void find_null_space();
  void move_along_it(const Model& model, const GaussProblem& problem);
  void find_multipliers(const GaussProblem& problem, Solution& solution);

  Eigen::MatrixXd M_, J_, J_d_, J_i_, Z_, MZ_, H_;  // J: the independent rows
  Eigen::MatrixXd all_rows_, dependent_part_;
  Eigen::VectorXd f_, b_, speed_scale_, row_scale_, y_, z_, rest_, multipliers_, right_;
  std::vector<int> chosen_, dependent_, independent_;
  double quality_ = 0.0;  // of J_d when it was chosen: smallest over largest pivot
  int choices_ = 0;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

}  // namespace tandem
