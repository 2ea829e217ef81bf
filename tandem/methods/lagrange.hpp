// Lagrange multipliers, dense and pivoted: the plain oracle.
//
//   (1)  [M Jᵀ; J 0] [y; −λ] = [f; b]     over the independent rows of J
//   (2)  scaled by D = diag(M)^-½ and to rows of unit length, so that units do not decide about pivots
//   (3)  full pivoting; a singular matrix has a kernel z with M z = 0 and J z = 0: a motion without inertia
// Source: Witkin, constrained dynamics; the bicycle project of Schwab's course. Signs as in docs/notation.md.
#pragma once

#include <Eigen/LU>

#include "tandem/methods/method.hpp"

namespace tandem {

class Lagrange final : public Method {
 public:
  std::string_view name() const override { return "lagrange"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  Eigen::MatrixXd K_;
  Eigen::VectorXd scale_, right_, unknown_, row_length_;
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace tandem
