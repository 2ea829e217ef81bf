// Lagrange multipliers, dense, by QR: the plain oracle that every method is held against, and what methods fall back on
// where rows nearly depend on each other or a body has no mass. Equations in weighted_rows.hpp.
//
//   (1)  M y − Jᵀ λ = f,   J y = b     over the independent rows of J
//   (2)  a motion z with M z = 0 and J z = 0 has no inertia: the accelerations are not determined
// Signs as in docs/notation.md.
#pragma once

#include "tandem/methods/method.hpp"
#include "tandem/methods/weighted_rows.hpp"

namespace tandem {

class DenseLagrange final : public Method {
 public:
  std::string_view name() const override { return "dense_lagrange"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  WeightedRows rows_;
};

}  // namespace tandem
