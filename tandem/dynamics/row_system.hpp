// The system of the rows alone, S = J W Jᵀ with W = 1, W = U² or W = M⁻¹, block-sparse. One piece of code for three
// uses: which rows are independent, projection, and Lagrange multipliers. Linear in the number of bodies for chains and
// trees.
//
//   (1)  W = L⁻ᵀ L⁻¹ per group (L = 1, U⁻¹ or M = L Lᵀ),   Y = J L⁻ᵀ,   S_ij = Σ_groups Y_i Y_jᵀ
// Which rows are independent is decided on J U itself (U: GaussProblem::unit), rows scaled to unit length. S has the
// squares of distances, and half of the digits: it only finds the rows K that are independent beyond doubt.
//   (2)  a pivot of S above 1e-6 is a row whose distance from those before it is above 1e-3: it belongs to K
//   (3)  of every other row s the part that K does not span, on J itself:  r = s − Kᵀc,  K Kᵀ c = K s, repeated on r:
//        K is well conditioned, so that r is right to round-off (corrected seminormal equations)
//   (4)  r = Σ w_k row_k with w_s = 1:  r and w of all such rows span what is small in the rows, as K is not
//   (5)  [w_1 … w_m] = Q T,   [r_1 … r_m] T⁻¹ = U Σ Vᵀ:  Σ are the small singular values of the rows, and Q V the
//        combinations of rows that come to them. How many rows count is how many of Σ are above the tolerance
//   (6)  of each combination Σ w_k row_k that is nearly nothing, the row with the largest |w_k| is left out: the others
//        say it best
//   (7)  the w of all combinations of which no more than the tolerance is left span what multipliers can do without a
//        force
// Rows that repeat others leave remainders of round-off. To find that out for all at once, (3) is done on three sums of
// them with random factors, as two remainders may cancel in one; only where something is left of a sum they are halved.
// Source: Björck, Numerical Methods for Least Squares Problems, 2.4.3 for (3); Golub and Van Loan, Matrix Computations,
// 5.5.7 for (5) and (6).
#pragma once

#include <Eigen/Cholesky>
#include <functional>

#include "tandem/dynamics/gauss_problem.hpp"
#include "tandem/linalg/block_ldlt.hpp"

namespace tandem {

// A row that all but follows from others: the singular value (5) it goes with is near the tolerance.
struct NearRow {
  int row = 0;
  double measure = 0.0;
  bool kept = true;
};

class RowSystem {
 public:
  enum class Weight { one, unit, inverse_mass };

  // Symbolic work, once a structure. Nothing allocates afterwards, but for choose_rows where rows depend on others.
  void analyse(const GaussProblem& problem);
  bool analysed() const { return analysed_; }
  // (1), with `shift` added to the diagonal of M. The group whose mass is not positive definite; −1 when all are.
  int form(const GaussProblem& problem, Weight weight, const Eigen::VectorXd* shift = nullptr);

  enum class Among { all, holonomic };
  // (2) to (5): the independent rows of all, or of the holonomic ones alone.
  void choose_rows(const GaussProblem& problem, double tolerance, Among among, std::vector<int>& rows);
  // Of the last choice: those within tolerances::nearly_dependent of the tolerance, either way.
  const std::vector<NearRow>& near_rows() const { return near_; }
  // (7): one at a time, w_k of unit length in all, of rows of unit length; and how long the rows are.
  void dependencies(const GaussProblem& problem, double tolerance,
                    const std::function<void(const Eigen::VectorXd& w)>& each);
  const Eigen::VectorXd& lengths() const { return length_; }
  // After form(): the rows with a pivot above `tolerance`², in the order of elimination. For tolerances of which the
  // square is well above round-off.
  void strong_rows(const GaussProblem& problem, double tolerance, std::vector<int>& rows);

  // Factors S over the given rows. False when they turn out to depend on each other. Pivots are in parts of S_ii, or of
  // `square` where that is larger: on the reduced cut a row may vanish in the coordinates, and not on the bodies.
  bool factor(const std::vector<int>& rows, const Eigen::VectorXd* square = nullptr);
  double smallest_pivot() const { return ldlt_.smallest_pivot(); }   // of the last factors
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
  // A combination of rows, Σ w_k row_k / |row_k|, and what it comes to.
  struct Remainder {
    int row = -1;
    Eigen::VectorXd r, w;
  };
  bool find_root(const GaussProblem::Group& group, const Eigen::VectorXd* shift, Root& root);
  void find_lengths(const GaussProblem& problem);
  std::vector<int> find_sure_rows(const GaussProblem& problem, Among among);                       // (2); all others
  void reduce(const GaussProblem& problem, Remainder& of);                                         // (3)
  void search(const GaussProblem& problem, std::vector<int> rows, std::vector<Remainder>& found);  // where r is left
  static void rank_remainders(std::vector<Remainder>& found);                                      // (5), largest first
  void leave_out(const std::vector<int>& doubtful, std::vector<Remainder> found, double tolerance);  // (6)

  bool analysed_ = false;
  Weight weight_ = Weight::one;
  std::vector<std::vector<OnGroup>> on_group_;
  std::vector<std::vector<Eigen::MatrixXd>> Yt_;  // per block and part: Yᵀ, size × rows
  std::vector<Root> roots_;
  std::vector<char> keep_, among_;
  BlockLdlt ldlt_;
  Eigen::VectorXd length_;  // of the rows, lengths in parts of the island's
  std::vector<NearRow> near_;
};

}  // namespace tandem
