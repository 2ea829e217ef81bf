// Lagrange multipliers, dense and fully pivoted: the plain oracle that every method is held against. `lagrange` falls
// back on it where a body has no mass.
//
//   (1)  [M Jᵀ; J 0] [y; −λ] = [f; b]     over the independent rows of J
//   (2)  scaled by D = diag(M)^-½ and to rows of unit length, so that units do not decide about pivots
//   (3)  full pivoting; a singular matrix has a kernel z with M z = 0 and J z = 0: a motion without inertia
// Source: Witkin, constrained dynamics; the bicycle project of Schwab's course. Signs as in docs/notation.md.
#pragma once

#include <Eigen/LU>

#include "tandem/methods/method.hpp"

namespace tandem {

class DenseLagrange final : public Method {
 public:
  std::string_view name() const override { return "dense_lagrange"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  Eigen::MatrixXd M_, J_, K_;
  Eigen::VectorXd speed_scale_, scale_, right_, unknown_;
  Eigen::FullPivLU<Eigen::MatrixXd> lu_;
};

}  // namespace tandem
