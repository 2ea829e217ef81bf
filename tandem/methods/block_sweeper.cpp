#include "tandem/methods/block_sweeper.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace tandem {

namespace {

constexpr double row_drop = 1e-13;       // of K with unit diagonal: what is left of a row that repeats others
constexpr double least_progress = 0.99;  // of the best residual, over `patience` sweeps
constexpr long least_patience = 200, patience_per_block = 50;

// The inverse of K + Γ over the best-conditioned independent rows among `taken`, zero elsewhere: Gauss–Jordan on the
// matrix scaled to unit diagonal, the largest remaining pivot first. Eigen's LDLT will not do: it chooses pivots from a
// diagonal that it has not updated, so it does not reveal rank.
void invert_kept_rows(const Eigen::MatrixXd& K, const Eigen::VectorXd& gamma, std::vector<char>& taken,
                      Eigen::VectorXd& factor, Eigen::MatrixXd& inverse) {
  const Eigen::Index n = inverse.rows();
  const auto is_taken = [&](Eigen::Index i) -> char& { return taken[static_cast<std::size_t>(i)]; };
  for (Eigen::Index i = 0; i < n; ++i) {
    const double diagonal = K(i, i) + gamma[i];
    factor[i] = is_taken(i) && diagonal > 0.0 ? 1.0 / std::sqrt(diagonal) : 0.0;
    is_taken(i) = 0;
  }
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) inverse(i, j) = factor[i] * (K(i, j) + (i == j ? gamma[i] : 0.0)) * factor[j];
  for (;;) {
    Eigen::Index pivot = -1;
    double largest = row_drop;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!is_taken(i) && inverse(i, i) > largest) largest = inverse(pivot = i, i);
    if (pivot < 0) break;
    is_taken(pivot) = 1;
    for (Eigen::Index j = 0; j < n; ++j) {
      if (j == pivot) continue;
      const double ratio = inverse(pivot, j) / largest;
      for (Eigen::Index i = 0; i < n; ++i)
        if (i != pivot) inverse(i, j) -= inverse(i, pivot) * ratio;
    }
    inverse.row(pivot) /= largest;
    inverse.col(pivot) /= largest;
    inverse(pivot, pivot) = -1.0 / largest;
  }
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      inverse(i, j) = is_taken(i) && is_taken(j) ? -factor[i] * inverse(i, j) * factor[j] : 0.0;
}

}  // namespace

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
    if (!std::equal(mine.parts.begin(), mine.parts.end(), given.parts.begin(), given.parts.end(),
                    [](const Part& a, const GaussProblem::Part& b) { return a.group == b.group; }))
      return false;
  }
  return true;
}

void BlockSweeper::take_structure(const GaussProblem& problem) {
  if (fits(problem)) return;
  groups_.clear();
  groups_.resize(problem.groups.size());  // made in place: Eigen's LLT may not be copied before its first compute()
  blocks_.assign(problem.blocks.size(), {});
  for (std::size_t k = 0; k < groups_.size(); ++k) {
    groups_[k].first = problem.groups[k].first;
    groups_[k].size = problem.groups[k].size;
    groups_[k].mass.compute(Eigen::MatrixXd::Identity(groups_[k].size, groups_[k].size));
  }
  int most_rows = 0;
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& block = blocks_[k];
    block.first_row = problem.blocks[k].first_row;
    block.rows = problem.blocks[k].rows;
    block.K.setZero(block.rows, block.rows);
    block.inverse = block.K;
    block.gamma.setZero(block.rows);
    block.weight.setZero(block.rows);
    block.counts.assign(static_cast<std::size_t>(block.rows), 1);
    most_rows = std::max(most_rows, block.rows);
    for (const GaussProblem::Part& part : problem.blocks[k].parts) {
      const Group& group = groups_[static_cast<std::size_t>(part.group)];
      block.parts.push_back({part.group, group.first, group.size, false, part.J, part.J.transpose()});
    }
  }
  rest_.setZero(most_rows);
  change_.setZero(most_rows);
  taken_.reserve(static_cast<std::size_t>(most_rows));
  free_.setZero(problem.unknowns());
}

bool BlockSweeper::factor_mass(const GaussProblem& problem, std::size_t k) {
  Group& group = groups_[k];
  const Eigen::MatrixXd& M = problem.groups[k].M;
  group.fixed = M.size() == 0 || (M.array() == 0.0).all();
  if (group.fixed) return true;
  group.mass.compute(M);
  if (group.mass.info() != Eigen::Success) return false;
  const double least = 16.0 * std::numeric_limits<double>::epsilon() * group.size;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    const double root = group.mass.matrixLLT()(i, i);
    if (!(root * root > least * M(i, i))) return false;
  }
  return true;
}

void BlockSweeper::factor_block(const GaussProblem::Block& from, Block& block) {
  block.K.setZero();
  block.weight.setZero();
  for (std::size_t k = 0; k < block.parts.size(); ++k) {
    Part& part = block.parts[k];
    const Group& group = groups_[static_cast<std::size_t>(part.group)];
    part.fixed = group.fixed;
    part.J = from.parts[k].J;
    for (Eigen::Index i = 0; i < block.rows; ++i) block.weight[i] += part.J.row(i).squaredNorm();
    part.MinvJt = part.J.transpose();
    if (part.fixed) {
      part.MinvJt.setZero();
      continue;
    }
    for (Eigen::Index i = 0; i < block.rows; ++i) {  // twice as fast as all at once for a body
      auto column = part.MinvJt.col(i);
      group.mass.solveInPlace(column);
    }
    block.K.noalias() += part.J.lazyProduct(part.MinvJt);  // (1)
  }
  for (double& weight : block.weight) weight = weight > 0.0 ? 1.0 / std::sqrt(weight) : 1.0;
  if (block.position_rows() < block.rows) {
    const Eigen::Index n = block.position_rows();
    block.position_inverse.resize(n, n);
    block.gamma.setZero();
    taken_ = block.counts;
    invert_kept_rows(block.K, block.gamma, taken_, change_, block.position_inverse);
  }
  block.gamma = block.rule.softness * block.K.diagonal();
  taken_ = block.counts;
  invert_kept_rows(block.K, block.gamma, taken_, change_, block.inverse);
}

int BlockSweeper::prepare(const GaussProblem& problem, bool independent_only) {
  take_structure(problem);
  for (std::size_t k = 0; k < groups_.size(); ++k)
    if (!factor_mass(problem, k)) return static_cast<int>(k);
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& block = blocks_[k];
    for (int i = 0; i < block.rows; ++i)
      block.counts[static_cast<std::size_t>(i)] =
          !independent_only || std::binary_search(problem.rows.begin(), problem.rows.end(), block.first_row + i);
    factor_block(problem.blocks[k], block);
  }
  return -1;
}

void BlockSweeper::add_free_motion(const Eigen::VectorXd& f, double h, Eigen::VectorXd& v) {
  for (const Group& group : groups_) {
    if (group.fixed) continue;
    auto change = free_.segment(group.first, group.size);
    change = h * f.segment(group.first, group.size);
    group.mass.solveInPlace(change);
    v.segment(group.first, group.size) += change;
  }
}

void BlockSweeper::warm_start(Eigen::VectorXd& v, Eigen::VectorXd& lambda) const {
  for (const Block& block : blocks_) {
    auto mine = lambda.segment(block.first_row, block.rows);
    for (int i = 0; i < block.rows; ++i)
      if (!block.swept(i) || (block.rule.one_sided && mine[i] > 0.0)) mine[i] = 0.0;
    move(block, mine, v);
  }
}

// rest_ = target − J v − Γ λ
void BlockSweeper::look(const Block& block, const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                        const Eigen::VectorXd& lambda) {
  auto rest = rest_.head(block.rows);
  rest = target.segment(block.first_row, block.rows);
  for (const Part& part : block.parts) rest.noalias() -= part.J * v.segment(part.first, part.size);
  if (block.rule.softness > 0.0) rest -= block.gamma.cwiseProduct(lambda.segment(block.first_row, block.rows));
}

void BlockSweeper::compare(const Block& block, const Eigen::VectorXd& lambda, Residual& worst) const {
  for (int i = 0; i < block.rows; ++i) {
    if (!block.swept(i)) continue;
    const int row = block.first_row + i;
    if (block.rule.one_sided && lambda[row] == 0.0 && rest_[i] >= 0.0) continue;  // slack
    const double value = std::abs(rest_[i]) * block.weight[i];                    // (7)
    if (std::isnan(worst.value) || value <= worst.value) continue;
    worst = {value, row};  // NaN comes here too, and stays
  }
}

template <class Impulse> void BlockSweeper::move(const Block& block, const Impulse& impulse, Eigen::VectorXd& v) {
  for (const Part& part : block.parts)
    if (!part.fixed) v.segment(part.first, part.size).noalias() += part.MinvJt * impulse;  // (3)
}

void BlockSweeper::sweep_one_sided(const Block& block, Eigen::VectorXd& v, const Eigen::VectorXd& target,
                                   Eigen::VectorXd& lambda) {
  for (int i = 0; i < block.rows; ++i) {
    const double diagonal = block.K(i, i) + block.gamma[i];
    if (!block.swept(i) || !(diagonal > 0.0)) continue;
    const int row = block.first_row + i;
    double rest = target[row] - block.gamma[i] * lambda[row];
    for (const Part& part : block.parts) rest -= part.J.row(i).dot(v.segment(part.first, part.size));
    const double next = std::min(lambda[row] + rest / diagonal, 0.0);  // (4)
    const double change = next - lambda[row];
    lambda[row] = next;
    for (const Part& part : block.parts) v.segment(part.first, part.size) += change * part.MinvJt.col(i);  // (3)
  }
}

double BlockSweeper::sweep(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda) {
  Residual worst;
  for (const Block& block : blocks_) {
    if (!block.rule.active || block.rows == 0) continue;
    look(block, v, target, lambda);
    compare(block, lambda, worst);
    if (block.rule.one_sided) {
      sweep_one_sided(block, v, target, lambda);
      continue;
    }
    auto change = change_.head(block.rows);
    change.noalias() = block.inverse * rest_.head(block.rows);  // (2)
    lambda.segment(block.first_row, block.rows) += change;
    move(block, change, v);
  }
  return worst.value;
}

BlockSweeper::Residual BlockSweeper::residual(const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                                              const Eigen::VectorXd& lambda) {
  Residual worst;
  for (const Block& block : blocks_) {
    if (!block.rule.active || block.rows == 0) continue;
    look(block, v, target, lambda);
    compare(block, lambda, worst);
  }
  return worst;
}

double BlockSweeper::scale(const Eigen::VectorXd& v, const Eigen::VectorXd& target, const Eigen::VectorXd& lambda) {
  free_ = v;
  for (const Block& block : blocks_)
    if (block.rule.active) move(block, -lambda.segment(block.first_row, block.rows), free_);
  double largest = 0.0;
  for (const Block& block : blocks_) {
    for (int i = 0; i < block.rows; ++i) {
      if (!block.swept(i)) continue;
      double now = 0.0, before = 0.0;
      for (const Part& part : block.parts)
        for (int j = 0; j < part.size; ++j) {
          now += std::abs(part.J(i, j) * v[part.first + j]);
          before += std::abs(part.J(i, j) * free_[part.first + j]);
        }
      const int row = block.first_row + i;
      const double others = std::abs(target[row]) + block.gamma[i] * std::abs(lambda[row]);
      largest = std::max(largest, (std::max(now, before) + others) * block.weight[i]);  // (8)
    }
  }
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
    const double seen = sweep(v, target, lambda);
    ++report.sweeps;
    if ((report.sweeps == 1 || !(seen > limit)) && finished()) return report;
    best = std::min(best, seen);
    if (report.sweeps % patience != 0) continue;
    if (!(best < least_progress * best_before)) break;
    best_before = best;
  }
  finished();
  return report;
}

double BlockSweeper::correct(int index, const Eigen::VectorXd& phi, double slop, double largest,
                             Eigen::VectorXd& delta) {
  const Block& block = blocks_[static_cast<std::size_t>(index)];
  const int n = block.position_rows();
  if (!block.rule.active || block.rule.softness > 0.0 || n == 0) return 0.0;
  auto error = rest_.head(n);
  double asked = 0.0;
  for (int i = 0; i < n; ++i) {
    const double value = phi[block.first_row + i];
    const double beyond = std::clamp(std::max(std::abs(value) - slop, 0.0), 0.0, largest);
    error[i] = !block.swept(i) || (block.rule.one_sided && value < 0.0) ? 0.0 : std::copysign(beyond, value);
    asked = std::max(asked, std::abs(error[i]));
  }
  if (asked == 0.0) return 0.0;
  auto impulse = change_.head(block.rows);
  impulse.setZero();
  if (block.rule.one_sided) {
    for (int i = 0; i < n; ++i)  // what earlier rows of the block did already counts
      if (error[i] > 0.0 && block.K(i, i) > 0.0)
        impulse[i] = std::min(-(error[i] + block.K.row(i).dot(impulse)) / block.K(i, i), 0.0);
  } else if (n < block.rows) {
    impulse.head(n).noalias() -= block.position_inverse * error;
  } else {
    impulse.noalias() -= block.inverse * error;
  }
  move(block, impulse, delta);  // (5)
  return asked;
}

}  // namespace tandem
