// Of BlockSweeper: masses, K and their inverses at a state, once before the sweeps.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tandem/base/same_bytes.hpp"
#include "tandem/methods/block_view.hpp"

namespace tandem {

using namespace block_sizes;

namespace {

constexpr double row_drop = 1e-13;   // of K with unit diagonal: what is left of a row that repeats others
constexpr double safe_pivot = 1e-6;  // the same, where the order of rows does not matter

// The inverse of K + Γ over the best-conditioned independent rows among `taken`, zero elsewhere: Gauss–Jordan on the
// matrix scaled to unit diagonal, the largest remaining pivot first. Eigen's LDLT will not do: it chooses pivots from a
// diagonal that it has not updated, so it does not reveal rank.
template <int n_known, class K_, class Gamma, class Inverse>
void invert_kept_rows(const K_& K, const Gamma& gamma, char* taken, double* factor, Inverse& inverse) {
  const Eigen::Index n = n_known == any ? inverse.rows() : n_known;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double diagonal = K(i, i) + gamma[i];
    factor[i] = taken[i] && diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    taken[i] = 0;
  }
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) inverse(i, j) = factor[i] * (K(i, j) + (i == j ? gamma[i] : 0.0)) * factor[j];
  for (;;) {
    Eigen::Index pivot = -1;
    double largest = row_drop;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!taken[i] && inverse(i, i) > largest) largest = inverse(pivot = i, i);
    if (pivot < 0) break;
    taken[pivot] = 1;
    const double part = 1.0 / largest;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j == pivot) continue;
      const double ratio = inverse(pivot, j) * part;
      for (Eigen::Index i = 0; i < n; ++i)
        if (i != pivot) inverse(i, j) -= inverse(i, pivot) * ratio;
    }
    inverse.row(pivot) *= part;
    inverse.col(pivot) *= part;
    inverse(pivot, pivot) = -part;
  }
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      inverse(i, j) = taken[i] && taken[j] ? -factor[i] * inverse(i, j) * factor[j] : 0.0;
}

// The same for rows that all count and are far from repeating each other, in their own order. False when they are not.
template <int n, class K_, class Gamma, class Inverse>
bool invert_at_once(const K_& K, const Gamma& gamma, Inverse& inverse) {
  Eigen::Matrix<double, n, n> A = K;
  A.diagonal() += gamma;
  for (int pivot = 0; pivot < n; ++pivot) {
    if (!(A(pivot, pivot) > safe_pivot * (K(pivot, pivot) + gamma[pivot]))) return false;
    const double part = 1.0 / A(pivot, pivot);
    for (int j = 0; j < n; ++j) {
      if (j == pivot) continue;
      const double ratio = A(pivot, j) * part;
      for (int i = 0; i < n; ++i)
        if (i != pivot) A(i, j) -= A(i, pivot) * ratio;
    }
    A.row(pivot) *= part;
    A.col(pivot) *= part;
    A(pivot, pivot) = -part;
  }
  inverse = -A;
  return true;
}

}  // namespace

bool BlockSweeper::fits(const GaussProblem& problem) const {
  if (groups_.size() != problem.groups.size() || blocks_.size() != problem.blocks.size()) return false;
  if (free_.size() != problem.unknowns()) return false;
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (groups_[k].first != problem.groups[k].first || groups_[k].size != problem.groups[k].size) return false;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    const Block& mine = blocks_[k];
    const GaussProblem::Block& given = problem.blocks[k];
    if (mine.first_row != given.first_row || mine.rows != given.rows) return false;
    if (mine.last_part - mine.first_part != given.parts.size()) return false;
    for (std::size_t i = 0; i < given.parts.size(); ++i)
      if (parts_[mine.first_part + i].group != given.parts[i].group) return false;
  }
  return true;
}

void BlockSweeper::take_structure(const GaussProblem& problem) {
  if (fits(problem)) return;
  groups_.clear();
  groups_.resize(problem.groups.size());  // made in place: Eigen's LLT may not be copied before its first compute()
  blocks_.assign(problem.blocks.size(), {});
  parts_.clear();
  row_size_ = problem.row_size;
  unit_ = problem.unit.size() == problem.unknowns() ? problem.unit : Eigen::VectorXd::Ones(problem.unknowns());
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    groups_[k].first = problem.groups[k].first;
    groups_[k].size = problem.groups[k].size;
    groups_[k].mass.compute(Eigen::MatrixXd::Identity(groups_[k].size, groups_[k].size));
  }
  int most_rows = 0;
  Eigen::Index end = 0;
  const auto take = [&](Eigen::Index size) { return std::exchange(end, end + (size + 3) / 4 * 4); };  // whole packs
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& block = blocks_[k];
    const std::vector<GaussProblem::Part>& parts = problem.blocks[k].parts;
    const int rows = problem.blocks[k].rows;
    block.first_row = problem.blocks[k].first_row;
    block.rows = rows;
    const auto group_of = [&](const GaussProblem::Part& part) -> const Group& {
      return groups_[static_cast<std::size_t>(part.group)];
    };
    const bool bodies = std::all_of(parts.begin(), parts.end(),
                                    [&](const GaussProblem::Part& part) { return group_of(part).size == body_size; });
    block.body_rows = bodies && rows <= 6 ? rows : 0;
    const int padded = block.body_rows > 0 ? padded_rows(rows) : rows;
    block.at = take((padded + 2 + 2 * rows) * rows);
    block.first_part = parts_.size();
    for (const GaussProblem::Part& part : parts)
      parts_.push_back(
          {part.group, group_of(part).first, group_of(part).size, false, take((padded + rows) * group_of(part).size)});
    block.last_part = parts_.size();
    most_rows = std::max(most_rows, rows);
  }
  numbers_.setZero(end);
  counts_.assign(static_cast<std::size_t>(problem.row_count()), 1);
  rest_.setZero(most_rows);
  change_.setZero(most_rows);
  taken_.assign(static_cast<std::size_t>(most_rows), 0);
  free_.setZero(problem.unknowns());
}

bool BlockSweeper::factor_mass(const GaussProblem& problem, std::size_t k) {
  Group& group = groups_[k];
  const Eigen::MatrixXd& M = problem.groups[k].M;
  if (group.known && same_bytes(group.M, M)) return true;
  group.known = false;
  group.fixed = M.size() == 0 || (M.array() == 0.0).all();
  if (!group.fixed) {
    group.mass.compute(M);
    if (group.mass.info() != Eigen::Success) return false;
    const double least = 16.0 * std::numeric_limits<double>::epsilon() * group.size;
    for (Eigen::Index i = 0; i < M.rows(); ++i) {
      const double root = group.mass.matrixLLT()(i, i);
      if (!(root * root > least * M(i, i))) return false;
    }
    if (group.size == body_size) {
      group.inverse = group.mass.solve(Mat6<double>::Identity());
      group.apart = M.topRightCorner(3, 3).isZero(0.0) && M.bottomLeftCorner(3, 3).isZero(0.0) &&
                    M.bottomRightCorner(3, 3) == M(3, 3) * Matrix3::Identity();
    }
  }
  group.M = M;
  group.known = true;
  return true;
}

template <int R, int N> void BlockSweeper::factor_block(const GaussProblem::Block& from, Block& block) {
  const View<R, N, double> at(block, numbers_.data());
  auto gamma = at.gamma();
  auto K = at.K();
  auto sum = [&] {  // K, padded where sizes are known
    if constexpr (R == any)
      return at.K();
    else
      return Eigen::Matrix<double, View<R, N, double>::P, R>();
  }();
  sum.setZero();
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    Part& part = parts_[k];
    const Group& group = groups_[static_cast<std::size_t>(part.group)];
    part.fixed = group.fixed;
    const Eigen::Map<const Eigen::Matrix<double, R, N>> J(from.parts[k - block.first_part].J.data(), block.rows,
                                                          part.size);
    auto MinvJt = at.MinvJt(part);
    first_rows<R>(at.J(part)) = J;
    if (part.fixed) {
      MinvJt.setZero();
      continue;
    }
    if constexpr (N != body_size) {
      MinvJt = J.transpose();
      for (Eigen::Index i = 0; i < block.rows; ++i) {  // twice as fast as all at once
        auto column = MinvJt.col(i);
        group.mass.solveInPlace(column);
      }
    } else if (group.apart) {
      MinvJt.template topRows<3>().noalias() =
          group.inverse.topLeftCorner<3, 3>().lazyProduct(J.template leftCols<3>().transpose());
      MinvJt.template bottomRows<3>() = group.inverse(3, 3) * J.template rightCols<3>().transpose();
    } else {
      MinvJt.noalias() = group.inverse.lazyProduct(J.transpose());
    }
    sum.noalias() += at.J(part).lazyProduct(MinvJt);  // (1)
  }
  if constexpr (R != any) K = first_rows<R>(sum);
  const char* counts = counts_.data() + block.first_row;
  if (const int n = block.position_rows(); n < block.rows) {
    gamma.setZero();
    std::copy(counts, counts + block.rows, taken_.begin());
    auto inverse = at.position_inverse(n);
    invert_kept_rows<any>(K, gamma, taken_.data(), change_.data(), inverse);
  }
  gamma = block.rule.softness * K.diagonal();
  auto padded = at.inverse();
  auto inverse = first_rows<R>(padded);
  if constexpr (R != any)
    if (std::find(counts, counts + block.rows, 0) == counts + block.rows && invert_at_once<R>(K, gamma, inverse))
      return;
  std::copy(counts, counts + block.rows, taken_.begin());
  invert_kept_rows<R>(K, gamma, taken_.data(), change_.data(), inverse);
}

int BlockSweeper::prepare(const GaussProblem& problem, bool independent_only) {
  take_structure(problem);
  weighed_ = false;
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (!factor_mass(problem, k)) return static_cast<int>(k);
  std::fill(counts_.begin(), counts_.end(), static_cast<char>(!independent_only));
  if (independent_only)
    for (const int row : problem.rows) counts_[static_cast<std::size_t>(row)] = 1;
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    with_sizes(blocks_[k], [&]<int R, int N>() { factor_block<R, N>(problem.blocks[k], blocks_[k]); });
  return -1;
}

}  // namespace tandem
