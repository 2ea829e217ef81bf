// The system of the rows alone, S = J W Jᵀ with W = 1 or W = M⁻¹, block-sparse. One piece of code for three uses: which
// rows are independent, projection, and Lagrange multipliers. Linear in the number of bodies for chains and trees.
//
//   (1)  W = L⁻ᵀ L⁻¹ per group (L = 1 or M = L Lᵀ),   Y = J L⁻ᵀ,   S_ij = Σ_groups Y_i Y_jᵀ
//   (2)  rows scaled to unit length; a pivot at or below tolerance² is a row that depends on others
#pragma once

#include <Eigen/Cholesky>

#include "tandem/dynamics/gauss_problem.hpp"
#include "tandem/linalg/block_ldlt.hpp"

namespace tandem {

class RowSystem {
 public:
  enum class Weight { one, inverse_mass };

  // Symbolic work, once a structure. Nothing allocates afterwards.
  void analyse(const GaussProblem& problem);
  bool analysed() const { return analysed_; }
  // (1), with `shift` added to the diagonal of M. The group whose mass is not positive definite; −1 when all are.
  int form(const GaussProblem& problem, Weight weight, const Eigen::VectorXd* shift = nullptr);
  // (2), with the length of a row in the velocities of the bodies: on the reduced cut a row may vanish. Factors S too.
  void choose_rows(const GaussProblem& problem, double tolerance, std::vector<int>& rows);
  // Factors S over the given rows. False when they turn out to depend on each other.
  bool factor(const std::vector<int>& rows);
  double smallest_pivot() const { return ldlt_.smallest_pivot(); }   // of the last factors, in parts of its row's S_ii
  void solve(Eigen::VectorXd& x) const { ldlt_.solve_in_place(x); }  // x: all rows; the others come out zero
  // x ← W x
  void weigh(const GaussProblem& problem, Eigen::VectorXd& x) const;

 private:
  struct OnGroup {
    int block = 0, part = 0;
  };
  struct Root {
    Eigen::MatrixXd M;  // whose root this is, if known; on bodies it seldom changes
    Eigen::LLT<Eigen::MatrixXd> llt;
    bool known = false;
  };
  bool find_root(const GaussProblem::Group& group, const Eigen::VectorXd* shift, Root& root);

  bool analysed_ = false;
  Weight weight_ = Weight::one;
  std::vector<std::vector<OnGroup>> on_group_;
  std::vector<std::vector<Eigen::MatrixXd>> Yt_;  // per block and part: Yᵀ, size × rows
  std::vector<Root> roots_;
  std::vector<char> keep_;
  BlockLdlt ldlt_;
};

}  // namespace tandem
