// Lagrange multipliers, dense, by QR: the plain oracle that every method is held against, and what methods fall back on
// where rows nearly depend on each other or a body has no mass. Equations in weighted_rows.hpp.
//
//   (1)  M y − Jᵀ λ = f,   J y = b     over the independent rows of J
//   (2)  a motion z with M z = 0 and J z = 0 has no inertia: the accelerations are not determined
//   (3)  again with what is left:  r₁ = f + Jᵀλ − M y,  r₂ = b − J y,  while that falls (a pass may be poor) and is
//        more than round-off of the terms of its own equation; at rest all terms vanish, and round-off is all that is
//        left. One QR of all rows leaves round-off of a heavy body's forces in the equations of a light one, and
//        there it is not small
// Signs as in docs/notation.md.
#pragma once

#include "tandem/methods/method.hpp"
#include "tandem/methods/weighted_rows.hpp"

namespace tandem {

// What is left of (1): the right sides of (3).
struct Remainder {
  // The largest part of the terms of its own equation that is left; `sizes` finds these anew.
  double find(const GaussProblem& problem, const Solution& solution, bool find_sizes = true);
  double largest_force(const GaussProblem& problem) const;  // the same of r₁ alone, as it was found
  double largest_row(const GaussProblem& problem) const;    // and of r₂
  Eigen::VectorXd force, row;                               // r₁, r₂
  GaussProblem::TermSizes sizes;

 private:
  Eigen::VectorXd product_, row_product_;
};

class DenseLagrange final : public Method {
 public:
  std::string_view name() const override { return "dense_lagrange"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  void refine(const GaussProblem& problem, Solution& solution);

  WeightedRows rows_;
  Remainder remainder_;
  Solution best_;
  Eigen::VectorXd y_change_, lambda_change_;
};

}  // namespace tandem
