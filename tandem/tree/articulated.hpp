// The articulated-body recursion as a method: TreeDynamics on the equations of a GaussProblem, whatever made its right
// sides (the state, Baumgarte, half-explicit stages, derivatives).
//
// a is what the bodies do where the unknowns are zero (drives and biases alone). The unknowns and the rows are left
// with
//   (1)  y_i = a_i + δ_i:   M_i δ_i + (M_i a_i − f_i) = what rows and joints do to body i,   Σ K_i δ_i = b
// so that one sweep without velocities, drives and gravity solves them, with p = M a − f on the links
// (tree_dynamics.hpp (3)). Rows are those in use of the problem. Where rows nearly depend on each other, pivots are
// squares of small distances, and what rounding leaves of the rows,
//   (2)  r = b − J y,   is solved for once more, with p = 0: M δy − Jᵀ δλ = 0,   J δy = r,
// where it would be more than 1e-12 of the accelerations: r over the root of the smallest pivot.
// A joint that carries nothing (a massless link that a loop holds) has no pivot at all. A solution that still does not
// meet its rows, or none, is left to dense_lagrange, by QR. Source: Featherstone, Rigid Body Dynamics
// Algorithms (2008).
#pragma once

#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

class Articulated final : public Method {
 public:
  std::string_view name() const override { return "articulated"; }
  bool needs_mass() const override { return false; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  void begin(const Model& model, const GaussProblem& problem);
  double solve_by_recursion(const Model& model, const GaussProblem& problem,
                            Solution& solution);  // what is left of (2)
  void add_solution(const GaussProblem& problem, const std::vector<Vec6<double>>& left, Solution& solution);
  double find_remainder(const Model& model, const GaussProblem& problem, const Solution& solution);
  void solve_densely(const Model& model, const GaussProblem& problem, Solution& solution);

  std::optional<TreeDynamics> tree_;
  std::string obstacle_;               // why there is no tree
  std::vector<int> unknown_of_speed_;  // −1: driven
  std::vector<int> row_of_model_;      // of the problem, for a row of the model
  std::vector<int> rows_;              // in use, of the model
  Eigen::VectorXd wanted_;             // b, by rows of the model
  Eigen::VectorXd q_, v_dot_, product_, remainder_;
  std::vector<Vec6<double>> none_;
  Solution before_;
  GaussProblem::TermSizes sizes_;
  DenseLagrange dense_;
};

}  // namespace tandem
