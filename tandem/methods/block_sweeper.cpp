#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tandem/methods/block_view.hpp"

namespace tandem {

using namespace block_sizes;

namespace {

constexpr double least_progress = 0.99;  // of the best residual, over `patience` sweeps
constexpr long least_patience = 200, patience_per_block = 50;

}  // namespace

SoftRow soft_row(double frequency, double damping_ratio, double h) {
  assert(frequency > 0.0 && damping_ratio >= 0.0 && h > 0.0);
  const double omega = 2.0 * std::numbers::pi * frequency;
  return {.softness = 1.0 / (h * (2.0 * damping_ratio * omega + h * omega * omega)),
          .feedback = omega / (2.0 * damping_ratio + h * omega)};  // (6)
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

void BlockSweeper::weigh() {
  if (std::exchange(weighed_, true)) return;
  for (const Block& block : blocks_) with_sizes(block, [&]<int R, int N>() { weigh_block<R, N>(block); });
}

template <int R, int N> void BlockSweeper::weigh_block(const Block& block) {
  const View<R, N, double> at(block, numbers_.data());
  auto sum = of_rows<padded_rows(R)>(rest_, block.rows);
  sum.setZero();
  for (std::size_t k = block.first_part; k < block.last_part; ++k)
    for (Eigen::Index i = 0; i < at.columns(parts_[k]); ++i)
      sum += unit_[parts_[k].first + i] * unit_[parts_[k].first + i] * at.J(parts_[k]).col(i).cwiseAbs2();
  for (Eigen::Index i = 0; i < at.rows(); ++i) at.weight()[i] = sum[i] > 0.0 ? 1.0 / std::sqrt(sum[i]) : 1.0;
}

// sum += J v
template <int R, int N, class Sum>
[[gnu::always_inline]] inline void BlockSweeper::add_J_times(const Block& block, const Eigen::VectorXd& v,
                                                             Sum& sum) const {
  const auto at = view<R, N>(block);
  for (std::size_t k = block.first_part; k < block.last_part; ++k)
    sum.noalias() += at.J(parts_[k]).lazyProduct(segment<N>(v, parts_[k].first, parts_[k].size));
}

// rest = target − J v − Γ λ
template <int R, int N, class Rest>
[[gnu::always_inline]] inline void BlockSweeper::look(const Block& block, const Eigen::VectorXd& v,
                                                      const Eigen::VectorXd& target, const Eigen::VectorXd& lambda,
                                                      Rest& rest) const {
  rest.setZero();
  first_rows<R>(rest) = -segment<R>(target, block.first_row, block.rows);
  add_J_times<R, N>(block, v, rest);
  rest = -rest;
  if (block.rule.softness > 0.0)
    first_rows<R>(rest) -= view<R, N>(block).gamma().cwiseProduct(segment<R>(lambda, block.first_row, block.rows));
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
[[gnu::always_inline]] inline void BlockSweeper::move(const Block& block, const Impulse& impulse,
                                                      Eigen::VectorXd& v) const {
  const auto at = view<R, N>(block);
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    const Part& part = parts_[k];
    if (!part.fixed)
      segment<N>(v, part.first, part.size).noalias() += at.MinvJt(part).lazyProduct(first_rows<R>(impulse));  // (3)
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
      rest -= at.J(parts_[k]).row(i).transpose().dot(segment<N>(v, parts_[k].first, parts_[k].size));
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
  auto rest = of_rows<padded_rows(R)>(rest_, block.rows);
  look<R, N>(block, v, target, lambda, rest);
  if (worst) compare<R, N>(block, lambda, rest, *worst);
  if (block.rule.one_sided) return sweep_one_sided<R, N>(block, v, target, lambda);
  auto change = of_rows<padded_rows(R)>(change_, block.rows);
  change.noalias() = view<R, N>(block).inverse().lazyProduct(first_rows<R>(rest));  // (2)
  segment<R>(lambda, block.first_row, block.rows) += first_rows<R>(change);
  move<R, N>(block, change, v);
}

void BlockSweeper::sweep(Eigen::VectorXd& v, const Eigen::VectorXd& target, Eigen::VectorXd& lambda, Residual* worst) {
  if (worst) weigh();
  for (const Block& block : blocks_)
    if (block.rule.active && block.rows > 0)
      with_sizes(block, [&]<int R, int N>() { sweep_block<R, N>(block, v, target, lambda, worst); });
}

BlockSweeper::Residual BlockSweeper::residual(const Eigen::VectorXd& v, const Eigen::VectorXd& target,
                                              const Eigen::VectorXd& lambda) {
  weigh();
  Residual worst;
  for (const Block& block : blocks_) {
    if (!block.rule.active || block.rows == 0) continue;
    with_sizes(block, [&]<int R, int N>() {
      auto rest = of_rows<padded_rows(R)>(rest_, block.rows);
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
  auto now = of_rows<padded_rows(R)>(rest_, block.rows);
  auto before = of_rows<padded_rows(R)>(change_, block.rows);
  now.setZero();
  before.setZero();
  for (std::size_t k = block.first_part; k < block.last_part; ++k) {
    const Part& part = parts_[k];
    const auto J = at.J(part);
    for (Eigen::Index i = 0; i < at.columns(part); ++i) {
      now += std::abs(v[part.first + i]) * J.col(i).cwiseAbs();
      before += std::abs(free_[part.first + i]) * J.col(i).cwiseAbs();
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
  weigh();
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

void BlockSweeper::multiply_J(const Eigen::VectorXd& v, Eigen::VectorXd& out) {
  out.setZero(static_cast<Eigen::Index>(counts_.size()));
  for (int i = 0; i < static_cast<int>(blocks_.size()); ++i) add_J(i, v, out);
}

void BlockSweeper::add_J(int index, const Eigen::VectorXd& delta, Eigen::VectorXd& phi) {
  const Block& block = blocks_[static_cast<std::size_t>(index)];
  with_sizes(block, [&]<int R, int N>() {
    auto sum = of_rows<padded_rows(R)>(rest_, block.rows);
    sum.setZero();
    add_J_times<R, N>(block, delta, sum);
    segment<R>(phi, block.first_row, block.rows) += first_rows<R>(sum);
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
    const double beyond =
        std::clamp(std::max(std::abs(value) - slop, 0.0), 0.0, largest * row_size_[block.first_row + i]);
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
    impulse.noalias() -= first_rows<R>(at.inverse()).lazyProduct(error);
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
