#include "tandem/methods/block_sweeper.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <type_traits>

#include "tandem/linalg/known_size.hpp"

namespace tandem {

namespace {

constexpr double row_drop = 1e-13;       // of K with unit diagonal: what is left of a row that repeats others
constexpr double safe_pivot = 1e-6;      // the same, where the order of rows does not matter
constexpr double least_progress = 0.99;  // of the best residual, over `patience` sweeps
constexpr long least_patience = 200, patience_per_block = 50;
constexpr int any = Eigen::Dynamic, body_size = 6;

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

// Numbers of the rows of one block: on the stack where their count is known.
template <int R> auto of_rows(Eigen::VectorXd& memory, int rows) {
  if constexpr (R == any)
    return Eigen::Map<Eigen::VectorXd>(memory.data(), rows);
  else
    return Eigen::Matrix<double, R, 1>();
}

// Calls `call` with the sizes of a block as constants: bodies have six unknowns, joints at most six rows.
template <class Block, class Call> auto with_sizes(const Block& block, Call&& call) {
  return with_known_size(block.body_rows,
                         [&]<int R>() { return call.template operator() < R, R == any ? any : body_size > (); });
}

template <int N> auto segment(const Eigen::VectorXd& v, int first, int size) {
  return Eigen::Map<const Eigen::Matrix<double, N, 1>>(v.data() + first, size);
}
template <int N> auto segment(Eigen::VectorXd& v, int first, int size) {
  return Eigen::Map<Eigen::Matrix<double, N, 1>>(v.data() + first, size);
}

}  // namespace

// In the order in which a sweep reads them: K⁻¹, the parts with Jᵀ and M⁻¹Jᵀ, and then what it seldom needs.
template <int R, int N, class Number> struct BlockSweeper::View {
  template <class M> using Numbers = Eigen::Map<std::conditional_t<std::is_const_v<Number>, const M, M>>;
  using Square = Eigen::Matrix<double, R, R>;
  using Column = Eigen::Matrix<double, R, 1>;

  View(const Block& block, Number* numbers) : rows(block.rows), first(numbers), at(numbers + block.at) {}
  Numbers<Square> inverse() const { return {at, rows, rows}; }  // of K + Γ over the rows that are kept; zero elsewhere
  Numbers<Column> weight() const { return {at + rows * rows, rows}; }       // 1 / |J_row|
  Numbers<Column> gamma() const { return {at + rows * (rows + 1), rows}; }  // diagonal of Γ
  Numbers<Square> K() const { return {at + rows * (rows + 2), rows, rows}; }
  // Of K over its position rows, if those are not all.
  Numbers<Eigen::MatrixXd> position_inverse(int n) const { return {at + rows * (2 * rows + 2), n, n}; }
  static Eigen::Index size(Eigen::Index rows) { return rows * (3 * rows + 2); }

  Numbers<Eigen::Matrix<double, N, R>> Jt(const Part& part) const { return {first + part.at, part.size, rows}; }
  Numbers<Eigen::Matrix<double, N, R>> MinvJt(const Part& part) const {
    return {first + part.at + rows * part.size, part.size, rows};
  }
  static Eigen::Index size(Eigen::Index rows, const Part& part) { return 2 * rows * part.size; }

  Eigen::Index rows;
  Number *first, *at;
};

template <int R, int N> BlockSweeper::View<R, N, const double> BlockSweeper::view(const Block& block) const {
  return {block, numbers_.data()};
}

SoftRow soft_row(double frequency, double damping_ratio, double h) {
  assert(frequency > 0.0 && damping_ratio >= 0.0 && h > 0.0);
  const double omega = 2.0 * std::numbers::pi * frequency;
  return {.softness = 1.0 / (h * (2.0 * damping_ratio * omega + h * omega * omega)),
          .feedback = omega / (2.0 * damping_ratio + h * omega)};  // (6)
}

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
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    groups_[k].first = problem.groups[k].first;
    groups_[k].size = problem.groups[k].size;
    groups_[k].mass.compute(Eigen::MatrixXd::Identity(groups_[k].size, groups_[k].size));
  }
  int most_rows = 0;
  Eigen::Index end = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    using Any = View<any, any, double>;
    Block& block = blocks_[k];
    block.first_row = problem.blocks[k].first_row;
    block.rows = problem.blocks[k].rows;
    block.at = end;
    end += Any::size(block.rows);
    most_rows = std::max(most_rows, block.rows);
    bool bodies = block.rows <= 6;
    block.first_part = parts_.size();
    for (const GaussProblem::Part& part : problem.blocks[k].parts) {
      const Group& group = groups_[static_cast<std::size_t>(part.group)];
      parts_.push_back({part.group, group.first, group.size, false, end});
      end += Any::size(block.rows, parts_.back());
      bodies = bodies && group.size == body_size;
    }
    block.last_part = parts_.size();
    block.body_rows = bodies ? block.rows : 0;
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
  if (group.known && std::memcmp(group.M.data(), M.data(), sizeof(double) * static_cast<std::size_t>(M.size())) == 0)
    return true;
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
    if (group.size == body_size) group.inverse = group.mass.solve(Mat6<double>::Identity());
  }
  group.M = M;
  group.known = true;
  return true;
}

template <int R, int N> void BlockSweeper::factor_block(const GaussProblem::Block& from, Block& block) {
  const View<R, N, double> at(block, numbers_.data());
  auto K = at.K();
  auto weight = at.weight();
  auto gamma = at.gamma();
  K.setZero();
  weight.setZero();
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    Part& part = parts_[k];
    const Group& group = groups_[static_cast<std::size_t>(part.group)];
    part.fixed = group.fixed;
    auto Jt = at.Jt(part);
    auto MinvJt = at.MinvJt(part);
    Jt = Eigen::Map<const Eigen::Matrix<double, R, N>>(from.parts[k - block.first_part].J.data(), block.rows, part.size)
             .transpose();
    weight += Jt.colwise().squaredNorm().transpose();
    if (part.fixed) {
      MinvJt.setZero();
      continue;
    }
    if constexpr (N == body_size) {
      MinvJt.noalias() = group.inverse.lazyProduct(Jt);
    } else {
      MinvJt = Jt;
      for (Eigen::Index i = 0; i < block.rows; ++i) {  // twice as fast as all at once
        auto column = MinvJt.col(i);
        group.mass.solveInPlace(column);
      }
    }
    K.noalias() += Jt.transpose().lazyProduct(MinvJt);  // (1)
  }
  for (Eigen::Index i = 0; i < block.rows; ++i) weight[i] = weight[i] > 0.0 ? 1.0 / std::sqrt(weight[i]) : 1.0;
  const char* counts = counts_.data() + block.first_row;
  if (const int n = block.position_rows(); n < block.rows) {
    gamma.setZero();
    std::copy(counts, counts + block.rows, taken_.begin());
    auto inverse = at.position_inverse(n);
    invert_kept_rows<any>(K, gamma, taken_.data(), change_.data(), inverse);
  }
  gamma = block.rule.softness * K.diagonal();
  auto inverse = at.inverse();
  if constexpr (R != any)
    if (std::find(counts, counts + block.rows, 0) == counts + block.rows && invert_at_once<R>(K, gamma, inverse))
      return;
  std::copy(counts, counts + block.rows, taken_.begin());
  invert_kept_rows<R>(K, gamma, taken_.data(), change_.data(), inverse);
}

int BlockSweeper::prepare(const GaussProblem& problem, bool independent_only) {
  take_structure(problem);
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (!factor_mass(problem, k)) return static_cast<int>(k);
  std::fill(counts_.begin(), counts_.end(), static_cast<char>(!independent_only));
  if (independent_only)
    for (const int row : problem.rows) counts_[static_cast<std::size_t>(row)] = 1;
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    with_sizes(blocks_[k], [&]<int R, int N>() { factor_block<R, N>(problem.blocks[k], blocks_[k]); });
  return -1;
}

void BlockSweeper::add_free_motion(const Eigen::VectorXd& f, double h, Eigen::VectorXd& v) {
  for (const Group& group : groups_) {
    if (group.fixed) continue;
    if (group.size == body_size) {
      segment<body_size>(v, group.first, group.size).noalias() +=
          group.inverse.lazyProduct(h * segment<body_size>(f, group.first, group.size));
      continue;
    }
    auto change = free_.segment(group.first, group.size);
    change = h * f.segment(group.first, group.size);
    group.mass.solveInPlace(change);
    v.segment(group.first, group.size) += change;
  }
}

void BlockSweeper::warm_start(Eigen::VectorXd& v, Eigen::VectorXd& lambda) const {
  for (const Block& block : blocks_) {
    for (int i = 0; i < block.rows; ++i) {
      double& mine = lambda[block.first_row + i];
      if (!swept(block, i) || (block.rule.one_sided && mine > 0.0)) mine = 0.0;
    }
    with_sizes(block, [&]<int R, int N>() { move<R, N>(block, segment<R>(lambda, block.first_row, block.rows), v); });
  }
}

// rest = target − J v − Γ λ
template <int R, int N, class Rest>
void BlockSweeper::look(const Block& block, const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                        const Eigen::VectorXd& lambda, Rest& rest) const {
  const auto at = view<R, N>(block);
  rest = segment<R>(target, block.first_row, block.rows);
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    const Part& part = parts_[k];
    rest.noalias() -= at.Jt(part).transpose().lazyProduct(segment<N>(v, part.first, part.size));
  }
  if (block.rule.softness > 0.0) rest -= at.gamma().cwiseProduct(segment<R>(lambda, block.first_row, block.rows));
}

template <int R, int N, class Rest>
void BlockSweeper::compare(const Block& block, const Eigen::VectorXd& lambda, const Rest& rest, Residual& worst) const {
  const auto weight = view<R, N>(block).weight();
  for (int i = 0; i < block.rows; ++i) {
    if (!swept(block, i)) continue;
    const int row = block.first_row + i;
    if (block.rule.one_sided && lambda[row] == 0.0 && rest[i] >= 0.0) continue;  // slack
    const double value = std::abs(rest[i]) * weight[i];                          // (7)
    if (std::isnan(worst.value) || value <= worst.value) continue;
    worst = {value, row};  // NaN comes here too, and stays
  }
}

template <int R, int N, class Impulse>
void BlockSweeper::move(const Block& block, const Impulse& impulse, Eigen::VectorXd& v) const {
  const auto at = view<R, N>(block);
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    const Part& part = parts_[k];
    if (!part.fixed) segment<N>(v, part.first, part.size).noalias() += at.MinvJt(part).lazyProduct(impulse);  // (3)
  }
}

template <int R, int N>
void BlockSweeper::sweep_one_sided(const Block& block, Eigen::VectorXd& v, const Eigen::VectorXd& target,
                                   Eigen::VectorXd& lambda) {
  const auto at = view<R, N>(block);
  for (int i = 0; i < block.rows; ++i) {
    const double gamma = at.gamma()[i], diagonal = at.K()(i, i) + gamma;
    if (!swept(block, i) || !(diagonal > 0.0)) continue;
    const int row = block.first_row + i;
    double rest = target[row] - gamma * lambda[row];
    for (std::size_t k = block.first_part; k < block.last_part; ++k)
      rest -= at.Jt(parts_[k]).col(i).dot(segment<N>(v, parts_[k].first, parts_[k].size));
    const double next = std::min(lambda[row] + rest / diagonal, 0.0);  // (4)
    const double change = next - lambda[row];
    lambda[row] = next;
    for (std::size_t k = block.first_part; k < block.last_part; ++k)
      segment<N>(v, parts_[k].first, parts_[k].size) += change * at.MinvJt(parts_[k]).col(i);  // (3)
  }
}

template <int R, int N>
void BlockSweeper::sweep_block(const Block& block, Eigen::VectorXd& v, const Eigen::VectorXd& target,
                               Eigen::VectorXd& lambda, Residual* worst) {
  auto rest = of_rows<R>(rest_, block.rows);
  look<R, N>(block, v, target, lambda, rest);
  if (worst) compare<R, N>(block, lambda, rest, *worst);
  if (block.rule.one_sided) return sweep_one_sided<R, N>(block, v, target, lambda);
  auto change = of_rows<R>(change_, block.rows);
  change.noalias() = view<R, N>(block).inverse().lazyProduct(rest);  // (2)
  segment<R>(lambda, block.first_row, block.rows) += change;
  move<R, N>(block, change, v);
}

void BlockSweeper::sweep(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda, Residual* worst) {
  for (const Block& block : blocks_)
    if (block.rule.active && block.rows > 0)
      with_sizes(block, [&]<int R, int N>() { sweep_block<R, N>(block, v, target, lambda, worst); });
}

BlockSweeper::Residual BlockSweeper::residual(const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                                              const Eigen::VectorXd& lambda) {
  Residual worst;
  for (const Block& block : blocks_) {
    if (!block.rule.active || block.rows == 0) continue;
    with_sizes(block, [&]<int R, int N>() {
      auto rest = of_rows<R>(rest_, block.rows);
      look<R, N>(block, v, target, lambda, rest);
      compare<R, N>(block, lambda, rest, worst);
    });
  }
  return worst;
}

template <int R, int N>
double BlockSweeper::scale_of(const Block& block, const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                              const Eigen::VectorXd& lambda) {
  const auto at = view<R, N>(block);
  auto now = of_rows<R>(rest_, block.rows);
  auto before = of_rows<R>(change_, block.rows);
  now.setZero();
  before.setZero();
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    const Part& part = parts_[k];
    const auto Jt = at.Jt(part);
    for (int i = 0; i < part.size; ++i) {
      now += std::abs(v[part.first + i]) * Jt.row(i).transpose().cwiseAbs();
      before += std::abs(free_[part.first + i]) * Jt.row(i).transpose().cwiseAbs();
    }
  }
  double largest = 0.0;
  for (int i = 0; i < block.rows; ++i) {
    if (!swept(block, i)) continue;
    const int row = block.first_row + i;
    const double others = std::abs(target[row]) + at.gamma()[i] * std::abs(lambda[row]);
    largest = std::max(largest, (std::max(now[i], before[i]) + others) * at.weight()[i]);  // (8)
  }
  return largest;
}

double BlockSweeper::scale(const Eigen::VectorXd& v, const Eigen::VectorXd& target, const Eigen::VectorXd& lambda) {
  free_ = v;
  for (const Block& block : blocks_)
    if (block.rule.active)
      with_sizes(block, [&]<int R, int N>() {
        auto back = of_rows<R>(change_, block.rows);
        back = -segment<R>(lambda, block.first_row, block.rows);
        move<R, N>(block, back, free_);
      });
  double largest = 0.0;
  for (const Block& block : blocks_)
    largest =
        std::max(largest, with_sizes(block, [&]<int R, int N>() { return scale_of<R, N>(block, v, target, lambda); }));
  return largest;
}

SweepReport BlockSweeper::solve(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda,
                                double tolerance) {
  const double size = scale(v, target, lambda), limit = tolerance * size;
  const long patience = std::max(least_patience, patience_per_block * static_cast<long>(blocks_.size()));
  SweepReport report;
  const auto finished = [&] {
    const Residual now = residual(v, target, lambda);
    report.converged = std::isfinite(limit) && now.value <= limit;
    report.residual = size > 0.0 ? now.value / size : now.value;
    report.worst_row = now.row;
    return report.converged || !std::isfinite(limit) || !std::isfinite(now.value);
  };
  if (finished()) return report;
  double best = std::numeric_limits<double>::infinity(), best_before = best;
  for (;;) {
    Residual seen;
    sweep(v, target, lambda, &seen);
    ++report.sweeps;
    if ((report.sweeps == 1 || !(seen.value > limit)) && finished()) return report;
    best = std::min(best, seen.value);
    if (report.sweeps % patience != 0) continue;
    if (!(best < least_progress * best_before)) break;
    best_before = best;
  }
  finished();
  return report;
}

void BlockSweeper::multiply_J(const Eigen::VectorXd& v, Eigen::VectorXd& out) const {
  out.setZero(static_cast<Eigen::Index>(counts_.size()));
  for (int i = 0; i < static_cast<int>(blocks_.size()); ++i) add_J(i, v, out);
}

void BlockSweeper::add_J(int index, const Eigen::VectorXd& delta, Eigen::VectorXd& phi) const {
  const Block& block = blocks_[static_cast<std::size_t>(index)];
  with_sizes(block, [&]<int R, int N>() {
    const auto at = view<R, N>(block);
    auto mine = segment<R>(phi, block.first_row, block.rows);
    for (std::size_t k = block.first_part; k < block.last_part; ++k)
      mine.noalias() += at.Jt(parts_[k]).transpose().lazyProduct(segment<N>(delta, parts_[k].first, parts_[k].size));
  });
}

template <int R, int N>
double BlockSweeper::correct_block(const Block& block, const Eigen::VectorXd& phi, double slop, double largest,
                                   Eigen::VectorXd& delta) {
  const int n = block.position_rows();
  if (!block.rule.active || block.rule.softness > 0.0 || n == 0) return 0.0;
  const auto at = view<R, N>(block);
  auto error = of_rows<R>(rest_, block.rows);
  error.setZero();
  double asked = 0.0;
  for (int i = 0; i < n; ++i) {
    const double value = phi[block.first_row + i];
    const double beyond = std::clamp(std::max(std::abs(value) - slop, 0.0), 0.0, largest);
    error[i] = !swept(block, i) || (block.rule.one_sided && value < 0.0) ? 0.0 : std::copysign(beyond, value);
    asked = std::max(asked, std::abs(error[i]));
  }
  if (asked == 0.0) return 0.0;
  auto impulse = of_rows<R>(change_, block.rows);
  impulse.setZero();
  if (block.rule.one_sided) {
    const auto K = at.K();
    for (int i = 0; i < n; ++i)  // what earlier rows of the block did already counts
      if (error[i] > 0.0 && K(i, i) > 0.0) impulse[i] = std::min(-(error[i] + K.row(i).dot(impulse)) / K(i, i), 0.0);
  } else if (n < block.rows) {
    impulse.head(n).noalias() -= at.position_inverse(n).lazyProduct(error.head(n));
  } else {
    impulse.noalias() -= at.inverse().lazyProduct(error);
  }
  move<R, N>(block, impulse, delta);  // (5)
  return asked;
}

double BlockSweeper::correct(int index, const Eigen::VectorXd& phi, double slop, double largest,
                             Eigen::VectorXd& delta) {
  const Block& block = blocks_[static_cast<std::size_t>(index)];
  return with_sizes(block, [&]<int R, int N>() { return correct_block<R, N>(block, phi, slop, largest, delta); });
}

}  // namespace tandem
