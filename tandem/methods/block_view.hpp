// The numbers of one block of rows, for the sources of BlockSweeper: sizes are constants where all its groups are
// bodies.
#pragma once

#include <type_traits>

#include "tandem/linalg/known_size.hpp"
#include "tandem/methods/block_sweeper.hpp"

namespace tandem {

// In the order in which a sweep reads them: the inverse, the parts with J and M⁻¹Jᵀ, and then what it seldom needs.
// Where sizes are known, J and the inverse have rows of zeros added (P in all): whole packs of numbers go through the
// processor at once.
template <int R, int N, class Number> struct BlockSweeper::View {
  static constexpr int P = padded_rows(R);
  template <class M> using Numbers = Eigen::Map<std::conditional_t<std::is_const_v<Number>, const M, M>>;
  using Square = Eigen::Matrix<double, R, R>;
  using Column = Eigen::Matrix<double, R, 1>;

  View(const Block& block, Number* numbers) : block_rows(block.rows), first(numbers), at(numbers + block.at) {}
  Eigen::Index rows() const { return R == Eigen::Dynamic ? block_rows : R; }
  Eigen::Index padded() const { return R == Eigen::Dynamic ? block_rows : P; }
  static Eigen::Index columns(const Part& part) { return N == Eigen::Dynamic ? part.size : N; }

  // Of K + Γ over the rows that are kept; zero elsewhere.
  Numbers<Eigen::Matrix<double, P, R>> inverse() const { return {at, padded(), rows()}; }
  Numbers<Column> weight() const { return {at + padded() * rows(), rows()}; }       // 1 / |J_row|, after weigh()
  Numbers<Column> gamma() const { return {at + (padded() + 1) * rows(), rows()}; }  // diagonal of Γ
  Numbers<Square> K() const { return {at + (padded() + 2) * rows(), rows(), rows()}; }
  // Of K over its position rows, if those are not all.
  Numbers<Eigen::MatrixXd> position_inverse(int n) const { return {at + (padded() + 2 + rows()) * rows(), n, n}; }

  Numbers<Eigen::Matrix<double, P, N>> J(const Part& part) const { return {first + part.at, padded(), columns(part)}; }
  Numbers<Eigen::Matrix<double, N, R>> MinvJt(const Part& part) const {
    return {first + part.at + padded() * columns(part), columns(part), rows()};
  }

  Eigen::Index block_rows;
  Number *first, *at;
};

template <int R, int N> BlockSweeper::View<R, N, const double> BlockSweeper::view(const Block& block) const {
  return {block, numbers_.data()};
}

namespace block_sizes {

inline constexpr int any = Eigen::Dynamic, body_size = 6;

// Numbers of the rows of one block: on the stack where their count is known.
template <int R> auto of_rows(Eigen::VectorXd& memory, int rows) {
  if constexpr (R == any)
    return Eigen::Map<Eigen::VectorXd>(memory.data(), rows);
  else
    return Eigen::Matrix<double, R, 1>();
}

// Calls `call` with the sizes of a block as constants: bodies have six unknowns, joints at most six rows.
template <class Block, class Call> decltype(auto) with_sizes(const Block& block, Call&& call) {
  return with_known_size(block.body_rows,
                         [&]<int R>() { return call.template operator() < R, R == any ? any : body_size > (); });
}

// The block's own rows of what is padded.
template <int R, class Padded> auto first_rows(Padded&& padded) {
  if constexpr (R == any)
    return padded.topRows(padded.rows());
  else
    return padded.template topRows<R>();
}

template <int N> auto segment(const Eigen::VectorXd& v, int first, int size) {
  return Eigen::Map<const Eigen::Matrix<double, N, 1>>(v.data() + first, size);
}
template <int N> auto segment(Eigen::VectorXd& v, int first, int size) {
  return Eigen::Map<Eigen::Matrix<double, N, 1>>(v.data() + first, size);
}

}  // namespace block_sizes

}  // namespace tandem
