#include "tandem/assemble/nearest_pose.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

static constexpr double round_off = tolerances::projected;  // more for a machine far from the origin

static double largest(const Eigen::VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

NearestPose::NearestPose(const Model& model, const State& guess)
    : model_(model), guess_(guess), state_(guess), workspace_(model) {
  workspace_.refresh(model_, state_);
  const GaussProblem& all = workspace_.problem;
  shift_.find(all);
  problem_.groups = all.groups;
  for (GaussProblem::Group& group : problem_.groups) {
    group.M.diagonal() += shift_.diagonal().segment(group.first, group.size);
    masses_.push_back(group.M);
  }
  int rows = 0;
  auto unknowns = static_cast<int>(all.unknowns());
  const double extent = largest(state_.q().cwiseQuotient(workspace_.q_size()));
  round_off_ = std::max(round_off, 4.0 * std::numeric_limits<double>::epsilon() * extent);
  for (std::size_t i = 0; i < all.blocks.size(); ++i) {
    const GaussProblem::Block& in = all.blocks[i];
    if (in.soft || in.holonomic == 0) continue;
    const int n = in.holonomic;
    GaussProblem::Block block{.first_row = rows, .rows = n, .holonomic = n};
    for (const GaussProblem::Part& part : in.parts) block.parts.push_back({part.group, part.J.topRows(n)});
    block.parts.push_back({static_cast<int>(problem_.groups.size()), Eigen::MatrixXd::Zero(n, n)});
    problem_.groups.push_back({unknowns, n, Eigen::MatrixXd::Identity(n, n)});
    for (int k = 0; k < n; ++k) problem_.model_row.push_back(all.model_row[static_cast<std::size_t>(in.first_row + k)]);
    problem_.blocks.push_back(std::move(block));
    block_.push_back(static_cast<int>(i));
    unknowns += n;
    rows += n;
  }
  problem_.f.setZero(unknowns);
  problem_.unit.setOnes(unknowns);
  problem_.unit.head(all.unknowns()) = all.unit;
  problem_.b.setZero(rows);
  taut_.assign(block_.size(), 0);
  weight_.setOnes(rows);
  size_ = row_sizes(model_, problem_.model_row);
  problem_.row_size.setOnes(rows);
  phi_.setZero(rows);
  system_.analyse(problem_);
  ask(Eigen::VectorXd::Zero(rows));
  for (Eigen::Index i = 0; i < phi_.size(); ++i)
    if (!std::isfinite(phi_[i]))
      throw NumericalError(fmt::format("{} is not a finite number at the given start; look at its numbers",
                                       model_.row_name(problem_.model_row[static_cast<std::size_t>(i)])));
  fill(0.0);
  row_square_ = row_square();
}

double NearestPose::row_square() const {
  double sum = 0.0;
  for (const GaussProblem::Block& block : problem_.blocks)
    for (const GaussProblem::Part& part : block.parts)
      sum +=
          part.J
              .cwiseProduct(
                  problem_.groups[static_cast<std::size_t>(part.group)].M.llt().solve(part.J.transpose()).transpose())
              .sum();
  return sum > 0.0 && std::isfinite(sum) ? sum / static_cast<double>(phi_.size()) : 1.0;
}

void NearestPose::weigh_alike(bool alike) {
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    GaussProblem::Group& group = problem_.groups[i];
    if (alike)
      group.M = problem_.unit.segment(group.first, group.size).cwiseAbs2().cwiseInverse().asDiagonal();
    else
      group.M = masses_[i];
  }
  fill(0.0);
  row_square_ = row_square();
}

bool NearestPose::is_rope(std::size_t block) const {
  return workspace_.problem.blocks[static_cast<std::size_t>(block_[block])].one_sided;
}

double NearestPose::residual(int model_row) const {
  for (std::size_t b = 0; b < block_.size(); ++b)
    for (int row = problem_.blocks[b].first_row; row < problem_.blocks[b].first_row + problem_.blocks[b].rows; ++row)
      if (problem_.model_row[static_cast<std::size_t>(row)] == model_row)
        return size_[row] * (is_rope(b) ? std::max(phi_[row], 0.0) : phi_[row]);
  return 0.0;
}

// ---- the whole search ----

bool NearestPose::find() {
  double nearest = std::numeric_limits<double>::infinity(), least = nearest;
  State best = state_;
  const auto attempt = [&](int pieces) {
    const bool found = close(pieces) && settle();
    const double size = found ? distance() : gap_.norm();
    if (found && size < nearest) {
      nearest = size;
      best = state_;
    } else if (!found && std::isinf(nearest) && size < least) {
      least = size;
      best = state_;
    }
    return found;
  };
  if (!attempt(1) || leapt_) {
    continued_ = true;
    if (!attempt(16) && !attempt(128) && std::isinf(nearest)) {
      alike_ = true;
      if (!attempt(1)) attempt(16);
      alike_ = false;
    }
  }
  place(best);
  ask(Eigen::VectorXd::Zero(gap_.size()));
  return std::isfinite(nearest);
}

bool NearestPose::close(int pieces) {
  place(guess_);
  if (alike_) weigh_alike(true);
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(gap_.size());
  ask(nothing);
  const Eigen::VectorXd given = gap_;
  for (int k = 1; k < pieces; ++k) {
    const double left = 1.0 - static_cast<double>(k) / pieces;
    approach(left * given, 1e-2 * largest(given) / pieces, 6);  // (3)
  }
  const bool near = approach(nothing, tolerances::near_rows, 300);
  if (alike_) weigh_alike(false);
  if (!near) return false;
  for (std::size_t b = 0; b < taut_.size(); ++b)
    taut_[b] = is_rope(b) && phi_[problem_.blocks[b].first_row] > -tolerances::near_rows;
  if (restore()) return true;
  ask(nothing);
  return false;
}

void NearestPose::approach_with_weak_row(int model_row) {
  for (std::size_t row = 0; row < problem_.model_row.size(); ++row)
    if (problem_.model_row[row] == model_row) weight_[static_cast<Eigen::Index>(row)] = 1e-3;
  approach(Eigen::VectorXd::Zero(gap_.size()), round_off, 400);
  weight_.setOnes();
}

// ---- onto the rows ----

bool NearestPose::approach(const Eigen::VectorXd& target, double small, int most) {
  double caution = 1.0;
  int idle = 0;
  ask(target);
  for (int pass = 0; pass < most; ++pass) {
    const double before = gap_.norm(), off = largest(gap_);
    if (off <= small) return true;
    if (caution > 1e20 || idle > 8) return false;
    const double damping = caution * std::max(1e-13, 1e-3 * std::min(1.0, off * off)) * row_square_;
    fill(damping);
    if (system_.form(problem_, RowSystem::Weight::inverse_mass) >= 0 || !system_.factor(asked_)) {
      caution *= 10.0;
      continue;
    }
    const Eigen::VectorXd delta = least_change();  // (2)
    const double turn = largest_turn(delta), share = std::min(1.0, largest_assembly_turn / turn);
    leapt_ = leapt_ || share < 1.0;
    const State last = state_;
    advance(delta, share);
    ask(target);
    const double after = gap_.norm();
    if (after < before) {
      ++iterations_;
      idle = after > (1.0 - 1e-6) * before ? idle + 1 : 0;
      caution = std::max(1.0, 0.1 * caution);
      workspace_.kinematics.read_angles(model_, state_.angles());
    } else {
      place(last);
      ask(target);
      caution *= 10.0;
    }
  }
  return largest(gap_) <= small;
}

bool NearestPose::restore() {
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < 40; ++pass) {
    ask_on_rows();
    const double off = largest(gap_);
    if (off <= round_off_ || (off < tolerances::stalled && off > 0.5 * before)) return true;
    if (!(off <= 2.0 * before)) return false;
    before = off;
    factor_independent();
    const Eigen::VectorXd delta = least_change();
    advance(delta, std::min(1.0, largest_assembly_turn / largest_turn(delta)));
    workspace_.kinematics.read_angles(model_, state_.angles());
    ++iterations_;
  }
  return false;
}

void NearestPose::factor_independent() {
  fill(0.0);
  // A pose that is off by a little blurs dependence by as much.
  system_.choose_rows(problem_, std::max(tolerances::rank, std::min(100.0 * largest(gap_), 1e-3)),
                      RowSystem::Among::all, asked_);
  system_.form(problem_, RowSystem::Weight::inverse_mass);
  system_.factor(asked_);
}

Eigen::VectorXd NearestPose::least_change() {
  Eigen::VectorXd multipliers = -gap_, delta = Eigen::VectorXd::Zero(problem_.unknowns());
  system_.solve(multipliers);
  problem_.add_Jt(multipliers, delta);
  system_.weigh(problem_, delta);
  return delta;
}

// ---- along the rows ----

bool NearestPose::settle() {
  if (distance() == 0.0) return true;
  Eigen::VectorXd p = tangent();
  double step = 1.0, least = largest_move(p);
  for (int pass = 0, idle = 0; pass < 500 && idle < 15; ++pass) {
    if (largest_move(p) <= tolerances::at_nearest / round_off * round_off_) return true;
    double share = std::min(step, largest_assembly_turn / largest_turn(p));
    if (!follow(p, share)) return true;  // no nearer pose along p: round-off
    const Eigen::VectorXd next = tangent(), change = p - next;
    const double curvature = weigh(p, change);
    step = curvature > 0.0 ? std::clamp(share * weigh(p, p) / curvature, 0.02, 50.0) : 1.0;
    p = next;
    idle = largest_move(p) < 0.9 * least ? 0 : idle + 1;
    least = std::min(least, largest_move(p));
  }
  return true;
}

bool NearestPose::follow(const Eigen::VectorXd& p, double& share) {
  const double before = distance();
  const State last = state_;
  const std::vector<char> taut = taut_;
  for (int halving = 0; halving < 30; ++halving, share *= 0.5) {
    advance(p, share);
    if (restore() && distance() <= before * (1.0 + 1e-12)) {
      ++iterations_;
      return true;
    }
    place(last);
    taut_ = taut;
  }
  ask_on_rows();
  return false;
}

Eigen::VectorXd NearestPose::tangent() {
  const Eigen::VectorXd g = gradient();
  const double pull = tolerances::at_nearest * model_.scale.mass * model_.scale.length * model_.scale.length;
  for (;;) {
    ask_on_rows();
    factor_independent();
    Eigen::VectorXd free = g, multipliers, p = -g;
    system_.weigh(problem_, free);
    problem_.multiply_J(free, multipliers);
    system_.solve(multipliers);
    bool slackened = false;
    for (std::size_t b = 0; b < taut_.size(); ++b)  // a rope that would have to push is let go
      if (taut_[b] && multipliers[problem_.blocks[b].first_row] > pull) {
        taut_[b] = 0;
        slackened = true;
      }
    if (slackened) continue;
    problem_.add_Jt(multipliers, p);
    system_.weigh(problem_, p);             // (4)
    for (int pass = 0; pass < 2; ++pass) {  // once more: long chains leave round-off across the rows
      problem_.multiply_J(p, multipliers);
      system_.solve(multipliers);
      free.setZero();
      problem_.add_Jt(multipliers, free);
      system_.weigh(problem_, free);
      p -= free;
    }
    return p;
  }
}

// ---- rows and poses ----

void NearestPose::ask(const Eigen::VectorXd& target) {
  Eigen::VectorXd gap(phi_.size());
  for (std::size_t b = 0; b < block_.size(); ++b) {
    const GaussProblem::Block& block = problem_.blocks[b];
    const int first = workspace_.problem.blocks[static_cast<std::size_t>(block_[b])].first_row;
    phi_.segment(block.first_row, block.rows) =
        workspace_.problem.phi.segment(first, block.rows).cwiseQuotient(size_.segment(block.first_row, block.rows));
  }
  gap = phi_ - target;
  std::vector<char> which(block_.size(), 1);
  for (std::size_t b = 0; b < block_.size(); ++b) which[b] = !is_rope(b) || gap[problem_.blocks[b].first_row] > 0.0;
  ask_for_blocks(which, gap);
}

void NearestPose::ask_on_rows() {
  ask(Eigen::VectorXd::Zero(phi_.size()));
  std::vector<char> which(block_.size(), 1);
  for (std::size_t b = 0; b < block_.size(); ++b) {
    if (!is_rope(b)) continue;
    taut_[b] = taut_[b] || phi_[problem_.blocks[b].first_row] > round_off_;
    which[b] = taut_[b];
  }
  ask_for_blocks(which, phi_);
}

void NearestPose::ask_for_blocks(const std::vector<char>& which, const Eigen::VectorXd& gap) {
  gap_ = gap.cwiseProduct(weight_);
  asked_.clear();
  for (std::size_t b = 0; b < block_.size(); ++b) {
    GaussProblem::Block& block = problem_.blocks[b];
    block.one_sided = !which[b];  // to RowSystem: as if it were not there
    if (!which[b]) gap_.segment(block.first_row, block.rows).setZero();
    for (int row = block.first_row; which[b] && row < block.first_row + block.rows; ++row) asked_.push_back(row);
  }
}

void NearestPose::fill(double damping) {
  for (std::size_t b = 0; b < block_.size(); ++b) {
    GaussProblem::Block& block = problem_.blocks[b];
    const GaussProblem::Block& in = workspace_.problem.blocks[static_cast<std::size_t>(block_[b])];
    const Eigen::VectorXd of_rows =
        weight_.segment(block.first_row, block.rows).cwiseQuotient(size_.segment(block.first_row, block.rows));
    const auto weight = of_rows.asDiagonal();
    for (std::size_t k = 0; k < in.parts.size(); ++k) block.parts[k].J = weight * in.parts[k].J.topRows(block.rows);
    block.parts.back().J = std::sqrt(damping) * Eigen::MatrixXd::Identity(block.rows, block.rows);
  }
}

void NearestPose::place(const State& state) {
  state_ = state;
  workspace_.refresh(model_, state_);
}

void NearestPose::advance(const Eigen::VectorXd& delta, double share) {
  retract(model_, share * delta, state_.q());
  workspace_.refresh(model_, state_);
}

double NearestPose::largest_turn(const Eigen::VectorXd& delta) const {
  double turn = 1e-300;
  for (const Body& body : model_.bodies)
    if (!body.point_mass) turn = std::max(turn, delta.segment<3>(body.v_first).norm());
  return turn;
}

double NearestPose::largest_move(const Eigen::VectorXd& delta) const {
  return largest(delta.head(model_.nv).cwiseQuotient(problem_.unit.head(model_.nv)));
}

double NearestPose::weigh(const Eigen::VectorXd& a, const Eigen::VectorXd& b) const {
  Eigen::VectorXd weighed;
  problem_.multiply_M(b, weighed);
  return a.head(model_.nv).dot(weighed.head(model_.nv));
}

Eigen::VectorXd NearestPose::gradient() const {
  Eigen::VectorXd d = pose_difference(model_, state_.q(), guess_.q()), g;
  d.conservativeResizeLike(Eigen::VectorXd::Zero(problem_.unknowns()));
  problem_.multiply_M(d, g);
  for (const Body& body : model_.bodies) {
    if (body.point_mass) continue;
    const Vector3 theta = d.segment<3>(body.v_first);
    const double angle = theta.norm();
    const double c =
        angle < 1e-3 ? 1.0 / 12.0 + angle * angle / 720.0 : 1.0 / (angle * angle) - 0.5 / (angle * tan(0.5 * angle));
    const Matrix3 s = sk<double>(theta), D = Matrix3::Identity() + 0.5 * s + c * s * s;  // (5)
    g.segment<3>(body.v_first) = D.transpose() * g.segment<3>(body.v_first).eval();
  }
  return g;
}

double NearestPose::distance() const {
  Eigen::VectorXd d = pose_difference(model_, state_.q(), guess_.q());
  d.conservativeResizeLike(Eigen::VectorXd::Zero(problem_.unknowns()));
  return 0.5 * weigh(d, d);
}

Eigen::VectorXd pose_difference(const Model& model, VecIn<double> q, VecIn<double> from) {
  Eigen::VectorXd d(model.nv);
  for (const Body& body : model.bodies) {
    const int p = body.q_first + body.nq() - 3;
    d.segment<3>(body.v_first + body.nv() - 3) = q.segment<3>(p) - from.segment<3>(p);
    if (!body.point_mass)
      d.segment<3>(body.v_first) =
          quaternion_difference<double>(q.segment<4>(body.q_first), from.segment<4>(body.q_first));
  }
  return d;
}

}  // namespace tandem
