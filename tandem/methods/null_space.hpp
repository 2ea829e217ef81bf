// Null space: move only along what the rows allow, and never meet the multipliers.
//
//   (1)  Jᵀ = [Y Z] [R; 0]   (QR of the independent rows):  J Z = 0
//   (2)  y = y_p + Z z,   y_p = Y R⁻ᵀ b
//   (3)  ZᵀMZ z = Zᵀ (f − M y_p)
//   (4)  afterwards  R λ = Yᵀ (M y − f)
// ZᵀMZ is positive definite unless some allowed motion has no inertia, which is told by name.
// Source: method 1 of Eldredge's notes on constrained rigid bodies, with Z found numerically.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "tandem/methods/method.hpp"

namespace tandem {

class NullSpace final : public Method {
 public:
  std::string_view name() const override { return "null_space"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  Eigen::MatrixXd Jt_, Q_, H_;
  Eigen::VectorXd b_, particular_;
};

}  // namespace tandem
