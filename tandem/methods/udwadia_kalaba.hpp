// Udwadia-Kalaba: the constrained acceleration in closed form, by a pseudo-inverse.
//
//   (1)  a = M⁻¹ f,   B = J M^-½,   r = b − J a
//   (2)  y = a + M^-½ B⁺ r,   constraint force F_c = M^½ B⁺ r = Jᵀ λ,   λ = (Bᵀ)⁺ B⁺ r
// Where M is singular (a massless link), Udwadia-Phohomsiri with the better-conditioned right side:
//   (3)  y = [(1 − J⁺J) M; J]⁺ [(1 − J⁺J) f; b],   λ = (Jᵀ)⁺ (M y − f)
// The rank of the pseudo-inverses is that of GaussProblem::rows, so that one place decides about it for all methods.
// Rows are scaled to unit length first: a row's scale must not move y. Redundant rows share their load with the least
// sum of squares, so reactions that are not unique differ from those of `lagrange`.
// Source: Udwadia and Kalaba (1992); Udwadia and Phohomsiri (2006).
#pragma once

#include <Eigen/Eigenvalues>

#include "tandem/methods/method.hpp"

namespace tandem {

class UdwadiaKalaba final : public Method {
 public:
  std::string_view name() const override { return "udwadia_kalaba"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  void solve_regular(const GaussProblem& problem, Solution& solution);
  void solve_singular(const Model& model, const GaussProblem& problem, Solution& solution);

  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> mass_;
  Eigen::VectorXd row_scale_;
  Eigen::MatrixXd J_;  // rows of unit length
  Eigen::VectorXd b_;
};

}  // namespace tandem
