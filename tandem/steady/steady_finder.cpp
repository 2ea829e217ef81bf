// The equations of a steady motion and their derivatives; the search is in steady.cpp.
#include "tandem/steady/steady_finder.hpp"

#include <Eigen/QR>

#include "tandem/base/larger.hpp"
#include "tandem/linalg/row_space.hpp"

namespace tandem {

SteadyFinder::SteadyFinder(const Model& model, const State& guess, const SteadyOptions& options)
    : model_(model),
      setup_(options.setup.value_or(model.setup)),
      symmetry_(options.symmetry ? *options.symmetry : find_symmetry(model, setup_, guess)),
      symmetry_given_(options.symmetry != nullptr),
      state_(guess),
      hold_(options.hold),
      most_iterations_(options.most_iterations),
      kinematics_(model),
      applied_(model),
      rows_(model),
      tangent_(model),
      bodies_(model.bodies.size()),
      sizes_(motion_sizes(model)) {
  for (int row = 0; row < model.rows; ++row) (model.is_holonomic(row) ? holonomic_ : nonholonomic_).push_back(row);
  kinematics_.update(model, guess.t, guess.q(), guess.v(), guess.angles());
  for (ModelHold& hold : hold_)
    if (!hold.value) hold.value = read<double>(model, hold.of, kinematics_);
  held_size_.resize(static_cast<Eigen::Index>(hold_.size()));
  for (std::size_t i = 0; i < hold_.size(); ++i) held_size_[static_cast<Eigen::Index>(i)] = size_of(model, hold_[i].of);
  rate_unit_.resize(symmetry_.dimension() - first_free());
  for (Eigen::Index k = 0; k < rate_unit_.size(); ++k)
    rate_unit_[k] = symmetry_.unit(first_free() + k, model.scale) / model.scale.time;
  rates_ = nearest_rates();
}

// The rates that come nearest to the velocities of the guess, of those that the rows allow.
Eigen::VectorXd SteadyFinder::nearest_rates() {
  Eigen::VectorXd rates = Eigen::VectorXd::Zero(symmetry_.dimension());
  if (symmetry_.moves_time) rates[0] = 1.0;
  const Eigen::Index free = symmetry_.dimension() - first_free();
  if (free == 0) return rates;
  rows_.update(model_, kinematics_);
  const Eigen::MatrixXd J = dense_rows(model_, rows_);
  Eigen::VectorXd rate = Eigen::VectorXd::Zero(model_.rows);
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rate.segment(model_.blocks[i].first_row, model_.blocks[i].rows) = rows_.block(i).phi_t;
  const Eigen::MatrixXd motions = free_motions();
  const Eigen::VectorXd by_time = moved_by(model_, state_, symmetry_.motion(rates, bodies_)).q;
  // Rows that no symmetry breaks, such as those of joints, are left with round-off: not a row of its own length.
  Eigen::MatrixXd broken = J * motions;
  const Eigen::MatrixXd most = J.cwiseAbs() * motions.cwiseAbs();
  for (Eigen::Index row = 0; row < broken.rows(); ++row)
    if (broken.row(row).cwiseAbs().maxCoeff() <= tolerances::repeated_row * most.row(row).maxCoeff())
      broken.row(row).setZero();
  const RowSpace allowed(broken, rate_unit_);
  const Eigen::VectorXd first = allowed.shortest(-rate - J * by_time);
  const Eigen::MatrixXd left = sizes_.cwiseInverse().asDiagonal() * motions * allowed.null();
  Eigen::VectorXd found = first;
  if (left.cols() > 0)
    found += allowed.null() * left.completeOrthogonalDecomposition().solve(
                                  Eigen::VectorXd(state_.v() - by_time - motions * first).cwiseQuotient(sizes_));
  rates.tail(free) = found;
  return rates;
}

// How the free symmetries move the bodies, a column each.
Eigen::MatrixXd SteadyFinder::free_motions() const {
  const Eigen::Index free = symmetry_.dimension() - first_free();
  Eigen::MatrixXd motions(model_.nv, free);
  for (Eigen::Index k = 0; k < free; ++k)
    motions.col(k) = moved_by(model_, state_, symmetry_.element(first_free() + k, bodies_)).q;
  return motions;
}

// Rates that together move nothing are free to choose: then let the frame turn as little as can be.
void SteadyFinder::prefer_spins() {
  const Eigen::Index free = symmetry_.dimension() - first_free();
  if (free == 0) return;
  const Eigen::MatrixXd idle = RowSpace(sizes_.cwiseInverse().asDiagonal() * free_motions(), rate_unit_).null();
  if (idle.cols() == 0) return;
  Eigen::MatrixXd rotations(3, free);
  for (Eigen::Index k = 0; k < free; ++k) rotations.col(k) = symmetry_.element(first_free() + k, bodies_).rotation;
  const Eigen::MatrixXd by_idle = rotations * idle;
  rates_.tail(free) -=
      idle * by_idle.completeOrthogonalDecomposition().solve(Eigen::VectorXd(rotations * rates_.tail(free)));
  read_residual();
}

Eigen::VectorXd SteadyFinder::mass_times(const Eigen::VectorXd& y) const {
  Eigen::VectorXd out(model_.nv);
  for (const Body& body : model_.bodies) {
    const int linear = body.v_first + body.nv() - 3;
    out.segment<3>(linear) = body.mass * y.segment<3>(linear);
    if (!body.point_mass) out.segment<3>(body.v_first) = body.inertia * y.segment<3>(body.v_first);
  }
  return out;
}

void SteadyFinder::place() {
  xi_ = symmetry_.motion(rates_, bodies_);
  state_.v() = moved_by(model_, state_, xi_).q;  // (1)
  y_ = turned_by(model_, state_.v(), xi_);
  kinematics_.update(model_, state_.t, state_.q(), state_.v(), state_.angles());
  applied_.update(model_, kinematics_);
  rows_.update(model_, kinematics_);
  phi_.setZero(model_.rows);
  row_rate_.setZero(model_.rows);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const RowBlockInfo& info = model_.blocks[i];
    phi_.segment(info.first_row, info.holonomic) = rows_.block(i).phi.head(info.holonomic);
    row_rate_.segment(info.first_row, info.rows) = rows_.block(i).phi_t;
  }
}

void SteadyFinder::restore() {
  for (int pass = 0;; ++pass) {
    place();
    const Eigen::MatrixXd J = dense_rows(model_, rows_);
    row_rate_ += J * state_.v();
    double off = 0.0;
    for (int row = 0; row < model_.rows; ++row) keep_larger(off, std::abs(phi_[row]) / model_.row_size(row));
    const RowSpace poses(J(holonomic_, Eigen::all), sizes_);
    if (off <= tolerances::projected || pass == 20) {
      if (!(off <= tolerances::stalled))
        throw NumericalError("the pose of a steady motion does not meet its constraints");
      const RowSpace motions(J, sizes_);
      Z_ = motions.null();
      Z_pose_ = poses.null();
      Eigen::VectorXd force(model_.nv);
      for (std::size_t i = 0; i < bodies_; ++i) {
        const Body& body = model_.bodies[i];
        force.segment(body.v_first, body.nv()) = applied_.on_body(i).tail(body.nv());
      }
      const Eigen::VectorXd needed = mass_times(y_) - force;
      lambda_ = motions.multipliers(needed);
      residual_.force = Z_.transpose() * needed;
      if (force_size_ == 0.0) {  // at the guess, once for all
        force_size_ = tolerances::steady * model_.scale.energy();
        for (const double f : force.cwiseProduct(sizes_)) keep_larger(force_size_, std::abs(f));
        const Eigen::VectorXd inertia = mass_times(y_);
        for (const double f : inertia.cwiseProduct(sizes_)) keep_larger(force_size_, std::abs(f));
      }
      return;
    }
    retract(model_, poses.shortest(-phi_(holonomic_)), state_.q());
  }
}

void SteadyFinder::read_residual() {
  restore();
  residual_.rows = row_rate_(nonholonomic_);
  for (std::size_t i = 0; i < nonholonomic_.size(); ++i)
    residual_.rows[static_cast<Eigen::Index>(i)] *= model_.scale.time / model_.row_size(nonholonomic_[i]);
  residual_.held.resize(static_cast<Eigen::Index>(hold_.size()));
  for (std::size_t i = 0; i < hold_.size(); ++i)
    residual_.held[static_cast<Eigen::Index>(i)] =
        (read<double>(model_, hold_[i].of, kinematics_) - *hold_[i].value) / held_size_[static_cast<Eigen::Index>(i)];
  residual_.rules.resize(residual_.rows.size() + residual_.held.size());
  residual_.rules << residual_.rows, residual_.held;
  residual_.force /= force_size_;
}

// What (2) changes by along a direction of pose and velocities, with the accelerations changing along.
void SteadyFinder::fill_column(const Direction& along, const Eigen::VectorXd& y_change,
                               Eigen::Ref<Eigen::VectorXd> column) {
  Eigen::VectorXd force, rate;
  tangent_.update(state_, along);
  tangent_.force(lambda_, force);
  tangent_.rate(rate);
  const Eigen::Index n = Z_.cols(), m = residual_.rows.size();
  column.head(n) = Z_.transpose() * (mass_times(y_change) - force) / force_size_;
  for (std::size_t i = 0; i < nonholonomic_.size(); ++i)
    column[n + static_cast<Eigen::Index>(i)] =
        rate[nonholonomic_[i]] * model_.scale.time / model_.row_size(nonholonomic_[i]);
  for (std::size_t i = 0; i < hold_.size(); ++i)
    column[n + m + static_cast<Eigen::Index>(i)] =
        read(model_, hold_[i].of, tangent_.kinematics()).derivative / held_size_[static_cast<Eigen::Index>(i)];
}

void SteadyFinder::form_system() {
  const Eigen::Index poses = Z_pose_.cols(), free = symmetry_.dimension() - first_free();
  const Eigen::Index equations = Z_.cols() + residual_.rows.size() + residual_.held.size();
  Eigen::MatrixXd system(equations, poses + free);
  for (Eigen::Index k = 0; k < poses; ++k) {
    Direction along{Z_pose_.col(k), Eigen::VectorXd::Zero(model_.nv), 0.0};
    along.v = moved_by_changed(model_, state_, along, xi_).q;
    fill_column(along, turned_by(model_, along.v, xi_), system.col(k));
  }
  for (Eigen::Index k = 0; k < free; ++k) {
    const GroupMotion element = symmetry_.element(first_free() + k, bodies_);
    const Direction moved = moved_by(model_, state_, element);
    const Direction along{Eigen::VectorXd::Zero(model_.nv), moved.q, 0.0};
    fill_column(along, moved.v + turned_by(model_, along.v, xi_), system.col(poses + k));
    system.col(poses + k) *= rate_unit_[k];
  }
  // Rules first: the shortest step that meets them, and the steps that keep them.
  const Eigen::Index balances = Z_.cols();
  const RowSpace rules(system.bottomRows(equations - balances));
  to_rules_ = rules.shortest(-residual_.rules);
  along_rules_ = rules.null();
  const auto balance = system.topRows(balances);
  right_.resize(0);
  if (balances == 0 || along_rules_.cols() == 0) return;  // the rules leave nothing to choose
  system_.compute(balance * along_rules_, Eigen::ComputeThinU | Eigen::ComputeThinV);
  right_ = system_.matrixU().transpose() * (-residual_.force - balance * to_rules_);
}

// To the rules, and along them the step that makes |balance|² + damping |step|² least; directions that nothing depends
// on stay.
Eigen::VectorXd SteadyFinder::solve_step(double damping) const {
  if (right_.size() == 0) return to_rules_;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(along_rules_.cols());
  const Eigen::VectorXd& sizes = system_.singularValues();
  for (Eigen::Index i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 1e-9 * sizes[0] && sizes[i] > 1e-12)
      step += sizes[i] / (sizes[i] * sizes[i] + damping) * right_[i] * system_.matrixV().col(i);
  return to_rules_ + along_rules_ * step;
}

Eigen::VectorXd SteadyFinder::rates_in(const Eigen::VectorXd& step) const {
  return step.tail(rate_unit_.size()).cwiseProduct(rate_unit_);
}

double SteadyFinder::turn_in(const Eigen::VectorXd& step) const {
  const Eigen::VectorXd delta = Z_pose_ * step.head(Z_pose_.cols());
  double most = 0.0;
  for (const Body& body : model_.bodies)
    if (!body.point_mass) keep_larger(most, delta.segment<3>(body.v_first).norm());
  return most;
}

void SteadyFinder::take(const Eigen::VectorXd& step) {
  retract(model_, Z_pose_ * step.head(Z_pose_.cols()), state_.q());
  rates_.tail(rate_unit_.size()) += rates_in(step);
  read_residual();
}

// Rows and held readings, by Newton.
void SteadyFinder::meet_rules() {
  for (int pass = 0; pass < 40; ++pass) {
    const double off = residual_.rules.size() > 0 ? residual_.rules.cwiseAbs().maxCoeff() : 0.0;
    if (off <= tolerances::projected) return;
    form_system();
    const double turn = turn_in(to_rules_);
    take(turn > longest_turn ? Eigen::VectorXd(longest_turn / turn * to_rules_) : to_rules_);
    const double left = residual_.rules.cwiseAbs().maxCoeff();
    if (left <= 1e-12 && left > 0.5 * off) return;
  }
  if (!(residual_.rules.cwiseAbs().maxCoeff() <= 1e-10))
    throw NumericalError("what is held cannot be met together with the rows of the model");
}

}  // namespace tandem
