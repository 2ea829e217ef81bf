// Udwadia-Kalaba: the constrained acceleration in closed form, by a pseudo-inverse.
//
//   (1)  a = M⁻¹ f,   B = J M^-½,   r = b − J a
//   (2)  y = a + M^-½ B⁺ r,   constraint force F_c = M^½ B⁺ r = Jᵀ λ,   λ = (Bᵀ)⁺ B⁺ r
// Any root of M serves: with M = L Lᵀ, M^-½ stands for L⁻ᵀ here, and Bᵀ = L⁻¹ Jᵀ.
// Where M is singular (a massless link, quaternion rates), Udwadia-Phohomsiri with the better-conditioned right side:
//   (3)  y = [(1 − J⁺J) M; J]⁺ [(1 − J⁺J) f; b],   λ = (Jᵀ)⁺ (M y − f)
// The rank of the pseudo-inverses is that of GaussProblem::rows, so that one place decides about it for all methods.
// Where what lies beyond the rank is not far below what counts, rows nearly depend on each other, and only
// the independent ones are taken. Rows are scaled to unit length first: a row's scale must not move y. Redundant rows
// share their load with the least sum of squares, so reactions that are not unique differ from those of `lagrange`.
// Where (3) lacks rank, masses are far apart or a motion has no inertia: dense_lagrange, which knows which.
// Source: Udwadia and Kalaba (1992); Udwadia and Phohomsiri (2006).
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <array>

#include "tandem/methods/dense_lagrange.hpp"

namespace tandem {

// A matrix of known rank, taken apart by QR from both sides, A P = Q [R₁₁ R₁₂; 0 R₂₂] and [R₁₁ R₁₂]ᵀ Π = Z T:
// A⁺ = P Z T⁻ᵀ Πᵀ Q₁ᵀ. What lies beyond the rank (R₂₂) is round-off, or a stage off the constraints. Of A or Aᵀ,
// whichever is tall.
class PseudoInverse {
 public:
  void compute(const Eigen::MatrixXd& A, Eigen::Index rank);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& out);             // A⁺ b
  void solve_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out);  // (Aᵀ)⁺ f
  // Whether what lies beyond the rank is far smaller than what counts.
  bool is_clear() const;
  void row_space(Eigen::MatrixXd& out);     // A⁺A
  void column_space(Eigen::MatrixXd& out);  // A A⁺

 private:
  void solve_tall(const Eigen::VectorXd& b, Eigen::VectorXd& out);
  void solve_tall_transposed(const Eigen::VectorXd& f, Eigen::VectorXd& out);
  void space(bool of_tall_columns, Eigen::MatrixXd& out);

  Eigen::Index rank_ = 0, rows_ = 0, columns_ = 0;
  bool wide_ = false;
  Eigen::MatrixXd tall_, R_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr_, across_;
  Eigen::VectorXd part_, whole_;
  struct Space {  // scratch, of columns and of rows: each keeps its size
    Eigen::MatrixXd basis;
    Eigen::VectorXd unit;
  };
  std::array<Space, 2> spaces_;
};

// (3)
class StackedSystem {
 public:
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
  bool solve_singular(const GaussProblem& problem, Solution& solution);

  std::vector<Eigen::LLT<Eigen::MatrixXd>> roots_;
  std::vector<int> used_;  // rows
  Eigen::VectorXd row_scale_, speed_scale_, b_, rest_, force_, change_, multipliers_;
  Eigen::MatrixXd M_, all_rows_, J_, B_, Bt_;  // J: rows of unit length
  PseudoInverse inverse_;
  StackedSystem stacked_;
  DenseLagrange dense_;
};

}  // namespace tandem
