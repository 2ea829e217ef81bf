// Lagrange multipliers, sparse: linear in the number of bodies for chains and trees.
//
//   (1)  [M Jᵀ; J 0] [y; −λ] = [f; b]     over the independent rows of J
//   (2)  M first, group by group; what is left is the system of the rows, block-sparse (row_system.hpp):
//        t = M⁻¹ r₁,   J M⁻¹ Jᵀ λ = r₂ − J t,   y = t + M⁻¹ Jᵀ λ       for right sides r₁ = f, r₂ = b
//   (3)  again with what is left:  r₁ = f + Jᵀλ − M y,  r₂ = b − J y,  while that is more than round-off of the terms
//        of its own equation. Where two such refinements leave more than 100 ε, rows nearly depend on each other or
//        masses are far apart: then dense_lagrange solves, by QR
//   (4)  once more for derivatives: against the largest of them, digits of the small ones do not count in (3), and yet
//        the bicycle's capsize mode lives by them (at 6 m/s off by 1e-11 without, by 2e-12 with it)
// The symbolic work is done once. Where a group lacks inertia, (2) uses M + E (inertia_shift.hpp) and (3) takes E back;
// when that does not converge, some motion has no inertia at all or nearly so, and dense_lagrange decides.
// Source: Witkin, constrained dynamics; Baraff, linear-time dynamics using Lagrange multipliers (1996).
#pragma once

#include "tandem/dynamics/row_system.hpp"
#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/methods/inertia_shift.hpp"

namespace tandem {

class Lagrange final : public Method {
 public:
  std::string_view name() const override { return "lagrange"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;
  void solve_again(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  bool is_determined(const GaussProblem& problem);
  bool refine(const GaussProblem& problem, Solution& solution);
  bool is_met_as_a_whole(const GaussProblem& problem) const;
  void correct(const GaussProblem& problem, Solution& solution);

  RowSystem system_;
  InertiaShift shift_;
  bool determined_ = true, factored_ = false;
  DenseLagrange dense_;
  Remainder remainder_;  // r₁, r₂ of (3)
  Eigen::VectorXd product_, row_product_;
};

}  // namespace tandem
