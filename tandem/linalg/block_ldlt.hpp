// Solves S x = r for a symmetric positive semi-definite S in sparse blocks, and finds the rank of S on the way.
//
// S = J W Jᵀ; a block of S is a block of rows of J against another that touches the same body. S⁰ is S before any
// elimination. P permutes the rows of one block, L is unit lower triangular, D diagonal.
//   (1)  blocks a one after another:                  P S_aa Pᵀ = L D Lᵀ
//   (2)  the next pivot inside the block:             the row with the largest S_ii / S⁰_ii
//   (3)  S_ii ≤ tolerance · S⁰_ii:                    the row is dropped, 1/d_i = 0
//   (4)  each later neighbour b of a:                 B_b = S_ba Pᵀ L⁻ᵀ,  C_b = B_b D⁻¹
//   (5)  each pair b, c of them:                      S_bc ← S_bc − C_b B_cᵀ
//   (6)  forward, for each a:                         y_a = L⁻¹ P r_a,  r_b ← r_b − C_b y_a
//   (7)  backward, for each a:                        x_a = Pᵀ L⁻ᵀ (D⁻¹ y_a − Σ_b C_bᵀ x_b)
// (2) and (3) are those of E S E, E_ii = (S⁰_ii)^-½, whose diagonal is 1: elimination commutes with a scaling of the
// rows, so S itself need not be scaled. Source: Duff, Erisman and Reid, Direct Methods for Sparse Matrices, 2nd ed.,
// chapters 10 to 12; the order of the blocks is the approximate minimum degree of Eigen.
#pragma once

#include <Eigen/Core>
#include <cassert>
#include <cstddef>
#include <vector>

namespace tandem {

class BlockLdlt {
 public:
  // The structure, once. sizes[i] is the number of rows of block i; the blocks in a clique are all coupled with each
  // other. All storage is made here: nothing below allocates.
  void analyse(const std::vector<int>& sizes, const std::vector<std::vector<int>>& cliques);

  // Filling in S: first zero, then each unordered pair of blocks once for each body. S_ij += A Bᵀ; A has the rows of
  // block i, B those of block j. A and B are matrices or blocks of matrices: an expression would be evaluated first,
  // into new memory.
  void set_zero();
  template <class MatrixA, class MatrixB>
  void add_product(int i, int j, const Eigen::MatrixBase<MatrixA>& A, const Eigen::MatrixBase<MatrixB>& B) {
    if (A.rows() == 0 || B.rows() == 0) return;  // an empty block has no place in the structure
    const int p = position_[i], q = position_[j];
    if (p >= q)
      add_to(find(p, q), A, B);
    else
      add_to(find(q, p), B, A);
  }

  // One number: S_ij(a, b) += value. On the diagonal, i = j, with its mirror image.
  void add_number(int i, int a, int j, int b, double value) {
    const int p = position_[i], q = position_[j];
    if (p >= q)
      block(find(p, q))(a, b) += value;
    else
      block(find(q, p))(b, a) += value;
    if (i == j && a != b) block(find(p, q))(b, a) += value;
  }

  // The factors take the place of S: fill S in again before the next one. Rows are numbered through the blocks in the
  // caller's order.
  // Returns the rank. A row whose S⁰_ii is below `reference` is compared with that instead: of a row that should
  // vanish, round-off is left, and round-off is not a row. Rows that are not `among` those asked for are dropped.
  int factor(double tolerance, const Eigen::VectorXd* reference = nullptr, const std::vector<char>* among = nullptr);
  // The same with the rows given. False when a pivot of a kept row is not positive; that row is then dropped.
  bool factor_kept(const std::vector<char>& keep, const Eigen::VectorXd* reference = nullptr);

  const std::vector<char>& kept() const { return kept_; }
  // The least S_ii / S⁰_ii of the kept rows, 1 without any; 0 when factor_kept returned false.
  double smallest_pivot() const { return smallest_pivot_; }
  void solve_in_place(Eigen::VectorXd& x) const;  // x = 0 in dropped rows

  std::size_t stored_numbers() const { return numbers_.size(); }  // S with its fill

 private:
  using Block = Eigen::Map<Eigen::MatrixXd>;
  using ConstBlock = Eigen::Map<const Eigen::MatrixXd>;

  // Blocks of rows and columns go by their position in the elimination. A stored block has a number; column k owns the
  // numbers first_[k] to first_[k + 1] − 1, the diagonal block first, then downwards.
  void order(const std::vector<int>& sizes, const std::vector<std::vector<int>>& cliques);
  void lay_out();
  void find_targets();
  int find(int row, int column) const;
  Block block(int number) {
    return {numbers_.data() + offset_[number], size_[row_of_[number]], size_[column_of_[number]]};
  }
  ConstBlock block(int number) const {
    return {numbers_.data() + offset_[number], size_[row_of_[number]], size_[column_of_[number]]};
  }

  // With the sizes of A and B, where the compiler knows them: then rows that lie side by side, number by number.
  template <class MatrixA, class MatrixB>
  void add_to(int number, const Eigen::MatrixBase<MatrixA>& A, const Eigen::MatrixBase<MatrixB>& B) {
    using Known = Eigen::Matrix<double, MatrixA::RowsAtCompileTime, MatrixB::RowsAtCompileTime>;
    Eigen::Map<Known> to(numbers_.data() + offset_[number], A.rows(), B.rows());
    if constexpr (Known::SizeAtCompileTime == Eigen::Dynamic) {
      to.noalias() += A.lazyProduct(B.transpose());
    } else {
      for (Eigen::Index j = 0; j < to.cols(); ++j) {
        const Eigen::Matrix<double, 1, MatrixB::ColsAtCompileTime> row = B.row(j);
        for (Eigen::Index i = 0; i < to.rows(); ++i) to(i, j) += A.row(i).dot(row);
      }
    }
  }

  void remember_diagonal(const std::vector<char>* keep, const Eigen::VectorXd* reference);
  int eliminate(double tolerance);
  int factor_diagonal(int a, double tolerance);
  void divide_column(int a);
  void update_later(int a);

  std::vector<int> position_;             // of the caller's block
  std::vector<int> size_, start_, rank_;  // by position: rows, the first of them in x, kept rows
  std::vector<int> first_;
  std::vector<int> row_of_, column_of_;  // by number
  std::vector<std::size_t> offset_;      // by number, into numbers_
  // For block c of column a, (5) goes to the blocks targets_[targets_from_[c]], and on, one for each b from c
  // downwards.
  std::vector<int> targets_;
  std::vector<std::size_t> targets_from_;

  std::vector<double> numbers_, column_;  // S or its factors; B of one column
  std::vector<double> original_;          // S⁰_ii by row of x; 0 when the row is to be dropped
  std::vector<int> swap_;                 // P: row k of the block changed places with row swap_[k], k upwards
  std::vector<char> kept_;
  double smallest_pivot_ = 1.0;
};

}  // namespace tandem
