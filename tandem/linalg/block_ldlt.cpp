#include "tandem/linalg/block_ldlt.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "tandem/linalg/known_size.hpp"

namespace tandem {

void BlockLdlt::analyse(const std::vector<int>& sizes, const std::vector<std::vector<int>>& cliques) {
  order(sizes, cliques);
  lay_out();
  find_targets();
  const auto rows = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
  original_.assign(rows, 0.0);
  swap_.assign(rows, 0);
  kept_.assign(rows, 0);
  rank_.assign(sizes.size(), 0);
  smallest_pivot_ = 1.0;
}

// The order of elimination and the rows of each column, with the fill of (5).
void BlockLdlt::order(const std::vector<int>& sizes, const std::vector<std::vector<int>>& cliques) {
  const int count = static_cast<int>(sizes.size());
  std::vector<Eigen::Triplet<double>> pairs;
  for (int i = 0; i < count; ++i)
    pairs.emplace_back(i, i, 1.0);  // AMD takes a column without a diagonal for a full one
  for (const std::vector<int>& clique : cliques)
    for (const int i : clique)
      for (const int j : clique)
        if (i != j && sizes[i] > 0 && sizes[j] > 0)
          pairs.emplace_back(i, j, 1.0);  // an empty block must not cause fill
  Eigen::SparseMatrix<double> graph(count, count);
  graph.setFromTriplets(pairs.begin(), pairs.end());
  Eigen::AMDOrdering<int>::PermutationType sequence(count);
  if (count > 0) Eigen::AMDOrdering<int>()(graph, sequence);

  position_.resize(sizes.size());
  size_.resize(sizes.size());
  start_.resize(sizes.size());
  for (int k = 0; k < count; ++k) position_[sequence.indices()[k]] = k;
  for (int i = 0, start = 0; i < count; start += sizes[i++]) {
    size_[position_[i]] = sizes[i];
    start_[position_[i]] = start;
  }

  // Column k has its neighbours and what the columns leave whose first block below the diagonal is in row k. Others
  // reach it through these.
  std::vector<std::vector<int>> children(sizes.size());
  std::vector<int> seen_by(sizes.size(), -1);
  first_.assign(1, 0);
  row_of_.clear();
  for (int k = 0; k < count; ++k) {
    const auto add = [&](int row) {
      if (row >= k && std::exchange(seen_by[row], k) != k) row_of_.push_back(row);
    };
    for (Eigen::SparseMatrix<double>::InnerIterator entry(graph, sequence.indices()[k]); entry; ++entry)
      add(position_[entry.row()]);
    for (const int child : children[k])
      for (int number = first_[child] + 1; number < first_[child + 1]; ++number) add(row_of_[number]);
    std::sort(row_of_.begin() + first_[k], row_of_.end());
    first_.push_back(static_cast<int>(row_of_.size()));
    if (first_[k + 1] - first_[k] > 1) children[row_of_[first_[k] + 1]].push_back(k);
  }
}

void BlockLdlt::lay_out() {
  column_of_.resize(row_of_.size());
  offset_.resize(row_of_.size());
  std::size_t offset = 0, largest = 0;
  for (std::size_t k = 0; k < size_.size(); ++k) {
    const std::size_t begin = offset;
    for (int number = first_[k]; number < first_[k + 1]; ++number) {
      column_of_[number] = static_cast<int>(k);
      offset_[number] = offset;
      offset += static_cast<std::size_t>(size_[k]) * static_cast<std::size_t>(size_[row_of_[number]]);
    }
    largest = std::max(largest, offset - begin);
  }
  numbers_.assign(offset, 0.0);
  column_.assign(largest, 0.0);
}

void BlockLdlt::find_targets() {
  targets_.resize(row_of_.size());
  std::iota(targets_.begin(), targets_.end(), 0);
  targets_from_.assign(row_of_.size(), 0);
  for (std::size_t a = 0; a < size_.size(); ++a)
    for (int c = first_[a] + 1; c < first_[a + 1]; ++c) {
      // Often the targets are the whole column of c. The numbers from 0 on serve for all of these: a dense S of n
      // blocks would otherwise need n³/6 targets.
      const int to = row_of_[c];
      const bool whole = first_[a + 1] - c == first_[to + 1] - first_[to];
      targets_from_[c] = whole ? static_cast<std::size_t>(first_[to]) : targets_.size();
      for (int b = c; b < first_[a + 1] && !whole; ++b) targets_.push_back(find(row_of_[b], to));
    }
}

int BlockLdlt::find(int row, int column) const {
  const auto begin = row_of_.begin() + first_[column], end = row_of_.begin() + first_[column + 1];
  const auto found = std::lower_bound(begin, end, row);
  assert(found != end && *found == row && "the two blocks share no clique");
  return static_cast<int>(found - row_of_.begin());
}

void BlockLdlt::set_zero() { std::fill(numbers_.begin(), numbers_.end(), 0.0); }

int BlockLdlt::factor(double tolerance, const Eigen::VectorXd* reference, const std::vector<char>* among) {
  remember_diagonal(among, reference);
  return eliminate(tolerance);
}

bool BlockLdlt::factor_kept(const std::vector<char>& keep, const Eigen::VectorXd* reference) {
  assert(keep.size() == kept_.size());
  const auto wanted = keep.size() - static_cast<std::size_t>(std::count(keep.begin(), keep.end(), 0));
  remember_diagonal(&keep, reference);  // keep may be kept(), and is not read after this
  const bool all = eliminate(0.0) == static_cast<int>(wanted);
  if (!all) smallest_pivot_ = 0.0;
  return all;
}

void BlockLdlt::remember_diagonal(const std::vector<char>* keep, const Eigen::VectorXd* reference) {
  for (std::size_t a = 0; a < size_.size(); ++a) {
    const Block S = block(first_[a]);
    for (int i = 0; i < size_[a]; ++i) {
      const int row = start_[a] + i;
      const bool usable = std::isnormal(S(i, i)) && S(i, i) > 0.0 && (keep == nullptr || (*keep)[row] != 0);
      original_[row] = usable ? S(i, i) : 0.0;
    }
  }
  for (std::size_t row = 0; reference != nullptr && row < original_.size(); ++row)
    if (original_[row] > 0.0) original_[row] = std::max(original_[row], (*reference)[static_cast<Eigen::Index>(row)]);
}

int BlockLdlt::eliminate(double tolerance) {
  smallest_pivot_ = 1.0;
  int rank = 0;
  for (int a = 0; a < static_cast<int>(size_.size()); ++a) {
    rank_[a] = factor_diagonal(a, tolerance);
    rank += rank_[a];
    divide_column(a);
    update_later(a);
  }
  return rank;
}

// (1) to (3) of one block, in place; returns its rank. Not Eigen's LDLT: that one allocates, and pivots on the size of
// the diagonal instead of (2).
template <int known>
static int factor_block(Eigen::Index size, double tolerance, double* S, double* original, int* swap,
                        double& smallest_pivot) {
  const int n = known == Eigen::Dynamic ? static_cast<int>(size) : known;
  const auto at = [&](int i, int j) -> double& { return S[i + n * j]; };
  for (int k = 0; k < n; ++k) {
    int best = k;
    double largest = 0.0;
    for (int i = k; i < n; ++i) {
      const double pivot = original[i] > 0.0 ? at(i, i) / original[i] : 0.0;
      if (pivot > largest) largest = pivot, best = i;  // (2)
    }
    if (!(largest > tolerance)) return k;  // (3)
    smallest_pivot = std::min(smallest_pivot, largest);
    swap[k] = best;
    if (best != k) {
      for (int i = 0; i < n; ++i) std::swap(at(k, i), at(best, i));
      for (int i = 0; i < n; ++i) std::swap(at(i, k), at(i, best));
      std::swap(original[k], original[best]);
    }
    const double pivot = at(k, k);
    for (int j = k + 1; j < n; ++j) {  // (1)
      const double l = at(j, k) / pivot;
      for (int i = k + 1; i < n; ++i) at(i, j) -= at(i, k) * l;
    }
    for (int i = k + 1; i < n; ++i) at(i, k) /= pivot;
  }
  return n;
}

int BlockLdlt::factor_diagonal(int a, double tolerance) {
  const int n = size_[a];
  int* const swap = swap_.data() + start_[a];
  char* const kept = kept_.data() + start_[a];
  const int k = with_known_size(n, [&]<int known>() {
    return factor_block<known>(n, tolerance, numbers_.data() + offset_[first_[a]], original_.data() + start_[a], swap,
                               smallest_pivot_);
  });
  for (int i = 0; i < n; ++i) kept[i] = i < k ? 1 : 0;
  for (int i = k - 1; i >= 0; --i) std::swap(kept[i], kept[swap[i]]);
  return k;
}

// Blocks with a known number of rows: columns of that many numbers stay in registers.
template <int n, class Number>
using KnownRows = Eigen::Map<std::conditional_t<std::is_const_v<Number>, const Eigen::Matrix<double, n, Eigen::Dynamic>,
                                                Eigen::Matrix<double, n, Eigen::Dynamic>>>;
template <int n> using KnownColumn = Eigen::Matrix<double, n, 1>;

// B goes to column_, C takes the place of S_ba. Only the first rank_[a] columns count: the others are of dropped rows.
void BlockLdlt::divide_column(int a) {
  const int rank = rank_[a];
  const Block L = block(first_[a]);
  const int* const swap = swap_.data() + start_[a];
  for (int b = first_[a] + 1; b < first_[a + 1]; ++b) {
    Block all = block(b);
    for (int k = 0; k < rank; ++k)
      if (swap[k] != k) all.col(k).swap(all.col(swap[k]));
    with_known_size(static_cast<int>(all.rows()), [&]<int n>() {
      KnownRows<n, double> C(all.data(), all.rows(), all.cols());
      KnownRows<n, double> B(column_.data() + (offset_[b] - offset_[first_[a]]), all.rows(), rank);
      for (int k = 0; k < rank; ++k) {
        B.col(k) = C.col(k);
        for (int j = k + 1; j < rank; ++j) C.col(j) -= B.col(k) * L(j, k);  // (4)
        C.col(k) /= L(k, k);
      }
    });
  }
}

// target ← target − C Bᵀ
template <int n>
static void take_product(const double* c, const double* b, int rank, Eigen::Index rows, Eigen::Index columns,
                         double* to) {
  const KnownRows<n, const double> C(c, rows, rank);
  const KnownRows<Eigen::Dynamic, const double> B(b, columns, rank);
  KnownRows<n, double> target(to, rows, columns);
  if constexpr (n == Eigen::Dynamic) {
    target.noalias() -= C.lazyProduct(B.transpose());
  } else {
    for (Eigen::Index j = 0; j < columns; ++j) {
      KnownColumn<n> sum = target.col(j);
      for (int k = 0; k < rank; ++k) sum -= C.col(k) * B(j, k);
      target.col(j) = sum;
    }
  }
}

void BlockLdlt::update_later(int a) {
  const int rank = rank_[a], end = first_[a + 1];
  if (rank == 0) return;
  for (int b = first_[a] + 1; b < end; ++b) {
    const int rows = size_[row_of_[b]];
    with_known_size(rows, [&]<int n>() {
      for (int c = first_[a] + 1; c <= b; ++c)
        take_product<n>(
            numbers_.data() + offset_[b], column_.data() + (offset_[c] - offset_[first_[a]]), rank, rows,
            size_[row_of_[c]],
            numbers_.data() + offset_[targets_[targets_from_[c] + static_cast<std::size_t>(b - c)]]);  // (5)
    });
  }
}

void BlockLdlt::solve_in_place(Eigen::VectorXd& x) const {
  assert(x.size() == static_cast<Eigen::Index>(kept_.size()));
  const int count = static_cast<int>(size_.size());
  for (int a = 0; a < count; ++a) {  // (6)
    const int n = size_[a], rank = rank_[a];
    const int* const swap = swap_.data() + start_[a];
    const double* const L = numbers_.data() + offset_[first_[a]];
    double* const y = x.data() + start_[a];
    for (int k = 0; k < rank; ++k) std::swap(y[k], y[swap[k]]);
    for (int k = 0; k < rank; ++k)
      for (int i = k + 1; i < rank; ++i) y[i] -= L[i + n * k] * y[k];
    for (int k = rank; k < n; ++k) y[k] = 0.0;
    for (int b = first_[a] + 1; b < first_[a + 1]; ++b)
      with_known_size(size_[row_of_[b]], [&]<int m>() {
        const KnownRows<m, const double> C(numbers_.data() + offset_[b], size_[row_of_[b]], n);
        Eigen::Map<KnownColumn<m>> r(x.data() + start_[row_of_[b]], C.rows());
        for (int k = 0; k < rank; ++k) r -= C.col(k) * y[k];
      });
  }
  for (int a = count - 1; a >= 0; --a) {  // (7)
    const int n = size_[a], rank = rank_[a];
    const int* const swap = swap_.data() + start_[a];
    const double* const L = numbers_.data() + offset_[first_[a]];
    double* const y = x.data() + start_[a];
    for (int k = 0; k < rank; ++k) y[k] /= L[k + n * k];
    for (int b = first_[a] + 1; b < first_[a + 1]; ++b)
      with_known_size(size_[row_of_[b]], [&]<int m>() {
        const KnownRows<m, const double> C(numbers_.data() + offset_[b], size_[row_of_[b]], n);
        const Eigen::Map<const KnownColumn<m>> later(x.data() + start_[row_of_[b]], C.rows());
        for (int k = 0; k < rank; ++k) y[k] -= C.col(k).dot(later);
      });
    for (int k = rank - 1; k >= 0; --k)
      for (int i = k + 1; i < rank; ++i) y[k] -= L[i + n * k] * y[i];
    for (int k = rank - 1; k >= 0; --k) std::swap(y[k], y[swap[k]]);
  }
}

}  // namespace tandem
