// Udwadia-Kalaba: the constrained acceleration in closed form, by a pseudo-inverse.
//
//   (1)  a = M⁻¹ f,   B = J M^-½,   r = b − J a
//   (2)  y = a + M^-½ B⁺ r,   constraint force F_c = M^½ B⁺ r = Jᵀ λ,   λ = (Bᵀ)⁺ B⁺ r
// Any root of M serves: with M = L Lᵀ, M^-½ stands for L⁻ᵀ here, and Bᵀ = L⁻¹ Jᵀ.
// Where M is singular (a massless link, quaternion rates), Udwadia-Phohomsiri with the better-conditioned right side:
//   (3)  y = [(1 − J⁺J) M; J]⁺ [(1 − J⁺J) f; b],   λ = (Jᵀ)⁺ (M y − f)
//   (4)  again with r₁ = f + Jᵀλ − M y and r₂ = b − J y for f and b, at most twice, where they are more than round-off
//        of their terms: masses far apart. What of r₂ no y can meet the pseudo-inverse leaves alone. What stays of r₁,
//        or of r₂ where no row repeats others, goes by QR (dense_lagrange.hpp)
// The rank of the pseudo-inverses is that of GaussProblem::rows, so that one place decides about it for all methods.
// Rows are scaled to unit length first: a row's scale must not move y. Redundant rows share their load with the least
// sum of squares, so reactions that are not unique differ from those of `lagrange`. Where what redundant rows do not
// share with the others is not far below what counts, only the independent ones are taken.
// Where (3) lacks rank, masses are far apart or a motion has no inertia: dense_lagrange, which knows which.
// Source: Udwadia and Kalaba (1992); Udwadia and Phohomsiri (2006).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

// The pseudo-inverse of rows of which the first `rank` are independent, by QR from both sides:
//   (5)  Jᵀ = Q [R₁₁ R₁₂; 0 R₂₂],   [R₁₁ R₁₂]ᵀ Π = Z T,   J⁺ = Q₁ Π T⁻¹ Zᵀ
// R₂₂ is what the other rows do not share with these: round-off, or a stage off the constraints. Dropping it takes
// their part along these rows for them. That is smooth in J; with pivots it would jump where two rows change places,
// and cost an integrator an order.
class PseudoInverse {
 public:
  void compute(const Eigen::MatrixXd& J, Eigen::Index rank);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& out);             // J⁺ b
  void solve_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out);  // (Jᵀ)⁺ f
  // Whether R₂₂ is far smaller than what counts.
  bool is_clear() const;
  void row_space(Eigen::MatrixXd& out);     // J⁺J = Q₁ Q₁ᵀ
  void column_space(Eigen::MatrixXd& out);  // J J⁺ = Z Zᵀ

 private:
  void reflect_by_q(bool transposed, Eigen::VectorXd& x) const;  // x ← Q x or Qᵀ x

  Eigen::Index rank_ = 0;
  Eigen::MatrixXd qr_, R_;  // Jᵀ, then R and the reflectors below it, as LAPACK keeps them
  Eigen::VectorXd tau_, scratch_, of_rows_, of_speeds_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> across_;
  Eigen::MatrixXd q_basis_, z_basis_;
};

// (3)
class StackedSystem {
 public:
  // The first `rank` rows of A are independent.
  void stack(const Eigen::MatrixXd& M, const Eigen::VectorXd& F, const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
             Eigen::Index rank);
  Eigen::Index rank() const { return solver_.rank(); }
  bool is_clear() const { return inverse_.is_clear(); }
  void solve(Eigen::VectorXd& out);  // where the rank is full

 private:
  PseudoInverse inverse_;
  Eigen::MatrixXd across_, met_, left_;
  Eigen::VectorXd right_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver_;
};

class UdwadiaKalaba final : public Method {
 public:
  std::string_view name() const override { return "udwadia_kalaba"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;

 private:
  bool take_mass_apart(const GaussProblem& problem);  // group by group; false when M is singular
  void take_rows(const GaussProblem& problem, bool all);
  // False when the rank is not clear: of the rows taken, or of (3).
  bool solve_regular(const GaussProblem& problem, Solution& solution);
  void correct(const GaussProblem& problem, Solution& solution);
  void give_multipliers(Solution& solution) const;
  bool solve_singular(const GaussProblem& problem, Solution& solution);

  std::vector<Eigen::LLT<Eigen::MatrixXd>> roots_;
  std::vector<int> used_;  // rows
  Eigen::VectorXd row_scale_, speed_scale_, b_, rest_, force_rest_, force_, change_, multipliers_;
  Eigen::MatrixXd M_, all_rows_, J_, B_, Bt_;  // J: rows of unit length, the independent ones first
  PseudoInverse inverse_;
  StackedSystem stacked_;
  Remainder remainder_;
  DenseLagrange dense_;
};

}  // namespace tandem
