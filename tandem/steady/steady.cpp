#include "tandem/steady/steady_finder.hpp"

#include <fmt/format.h>

#include <Eigen/QR>

#include "tandem/assemble/assemble.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {

template <class S> S read(const Model& model, const ModelReading& reading, const Kinematics<S>& kinematics) {
  using std::sqrt;
  if (reading.what == ModelReading::What::speed) {
    const Vec3<S> v = kinematics.point(reading.coordinate.point).v;
    const S square = v.dot(v);
    return value_of(square) > 0.0 ? S(sqrt(square)) : S(0.0);  // no direction to change in
  }
  const CoordinateReading<S> both = read_coordinate<S>(model, reading.coordinate, kinematics);
  return reading.what == ModelReading::What::rate ? both.rate : both.value;
}
template double read(const Model&, const ModelReading&, const Kinematics<double>&);
template Dual<double> read(const Model&, const ModelReading&, const Kinematics<Dual<double>>&);

bool Steady::rests() const { return speed < tolerances::steady; }

void SteadyFinder::give_up() const {
  std::string largest;
  const double force = residual_.force.size() > 0 ? residual_.force.cwiseAbs().maxCoeff() : 0.0;
  if (force > tolerances::steady)
    largest = fmt::format("forces out of balance by {:.3g} N m (forces times the length of the machine)",
                          force * force_size_);
  for (std::size_t i = 0; i < hold_.size(); ++i)
    if (const double off = residual_.held[static_cast<Eigen::Index>(i)]; std::abs(off) > tolerances::steady)
      largest += fmt::format("{}{} off by {:.3g}", largest.empty() ? "" : ", ", hold_[i].of.name,
                             off * held_size_[static_cast<Eigen::Index>(i)]);
  throw NumericalError(
      fmt::format("no steady motion was found near the start{}{}; hold something else, or start nearer",
                  largest.empty() ? "" : ": there are left ", largest));
}

// One step by Levenberg and Marquardt. True when there is nothing left to improve.
bool SteadyFinder::improve(double& damping) {
  const double before = residual_.force.norm();
  if (Z_pose_.cols() + symmetry_.dimension() == first_free() || before < 1e-15) return true;
  form_system();
  const State state_before = state_;
  const Eigen::VectorXd rates_before = rates_;
  const bool near = before < 1e-7;  // then plain Newton, which is what converges
  for (int attempt = 0; attempt < 40; ++attempt) {
    try {
      const Eigen::VectorXd step = solve_step(near ? 0.0 : damping * std::min(1.0, before));
      if (!(turn_in(step) <= longest_turn)) throw NumericalError("the step is too long");
      take(step);
      meet_rules();
      const double after = residual_.force.norm();
      if (after < before) {
        damping = std::max(1e-9, 0.3 * damping);
        return after < 1e-15 || (after < 1e-11 && after > 0.1 * before);
      }
    } catch (const NumericalError&) {  // too far
    }
    state_ = state_before;
    rates_ = rates_before;
    read_residual();
    if (near) break;
    form_system();
    damping *= 4.0;
  }
  return true;
}

bool SteadyFinder::converge(int& iteration) {
  double damping = 1e-4;
  for (const int last = iteration + most_iterations_; iteration < last; ++iteration)
    if (improve(damping)) return residual_.force.size() == 0 || residual_.force.norm() < tolerances::steady;
  return false;
}

// From a guess that is far off: along the accelerations of the unbalanced forces, at fixed rates (overdamped flow).
void SteadyFinder::roll_downhill() {
  Eigen::VectorXd before;
  double length = 0.1;
  for (int pass = 0; pass < 400 && length > 1e-3; ++pass) {
    Eigen::MatrixXd mass(Z_.cols(), Z_.cols());
    for (Eigen::Index k = 0; k < Z_.cols(); ++k) mass.col(k) = Z_.transpose() * mass_times(Z_.col(k));
    Eigen::VectorXd delta = -(Z_ * mass.completeOrthogonalDecomposition().solve(residual_.force));
    delta = delta.cwiseQuotient(sizes_).eval();  // in parts of the machine
    const double most = delta.size() > 0 ? delta.cwiseAbs().maxCoeff() : 0.0;
    if (!(most > 0.0)) return;
    delta *= length / most;
    if (before.size() > 0 && delta.dot(before) < 0.0) length *= 0.5;
    before = delta;
    const State last = state_;
    try {
      retract(model_, delta.cwiseProduct(sizes_), state_.q());
      read_residual();
      meet_rules();
    } catch (const NumericalError&) {
      state_ = last;
      length *= 0.5;
      read_residual();
    }
  }
}

// Where a motion is steady only at rest along a symmetry, the balance goes as the square of that rate: Newton halves
// the rate and stops when the balance is met to round-off, with the rate at its root. So what has all but gone is tried
// at zero, and stays there if that balances as well.
void SteadyFinder::drop_leftovers(const Eigen::VectorXd& guessed, int& iteration) {
  const State state = state_;
  const Eigen::VectorXd rates = rates_;
  const double before = residual_.force.norm();
  bool any = false;
  for (Eigen::Index k = first_free(); k < rates_.size(); ++k)
    if (rates_[k] != 0.0 && std::abs(rates_[k]) < 1e-3 * std::abs(guessed[k])) {
      rates_[k] = 0.0;
      any = true;
    }
  if (!any) return;
  try {
    read_residual();
    meet_rules();
    if (converge(iteration) && residual_.force.norm() <= std::max(before, 1e-15)) return;
  } catch (const NumericalError&) {  // what is held, or the rows, want it
  }
  state_ = state;
  rates_ = rates;
  read_residual();
}

// A motion along what is no symmetry may balance at this moment, and not at the next. Symmetries that were found here
// were tested, and some forces have no derivative at rest; those of another model may be others now.
void SteadyFinder::check_symmetry(double row_residual, Response& response) const {
  double speed = 1.0;
  for (const double v : state_.v().cwiseQuotient(sizes_)) keep_larger(speed, model_.scale.time * std::abs(v));
  if (!(row_residual <= tolerances::steady * speed * model_.scale.speed()))
    throw NumericalError(
        fmt::format("no steady motion was found near the start: motions along the symmetries leave the rows of the "
                    "model, by {:.3g} m/s",
                    row_residual));
  if (!symmetry_given_) return;
  constexpr double small = tolerances::symmetry;
  bool same = symmetry_defect(model_, xi_, response) <= small * speed;
  if (same && symmetry_.time_alone()) {  // a force that swings is at its peak for a moment: so a little later, too
    State later = state_;
    later.t += 1e-3 * model_.scale.time;
    response.place(later);
    same = symmetry_defect(model_, symmetry_.element(0, bodies_), response) <= small;
  }
  if (!same) throw NumericalError("the symmetries are others here");
}

Steady SteadyFinder::find() {
  if (!symmetry_.moves_time)
    throw NumericalError(
        "there is no steady motion: a drive or a force changes with time, and no symmetry of the machine "
        "makes up for it; linearize about the start instead (--about start)");
  read_residual();
  meet_rules();
  const State guess = state_;
  const Eigen::VectorXd guessed = rates_;
  int iteration = 0;
  if (!converge(iteration)) {
    state_ = guess;
    rates_ = guessed;
    read_residual();
    roll_downhill();
    if (!converge(iteration)) give_up();
  }
  drop_leftovers(guessed, iteration);
  prefer_spins();
  Steady out;
  kinematics_.read_angles(model_, state_.angles());
  out.bodies = state_;
  out.symmetry = symmetry_;
  out.rates = rates_;
  out.motion = xi_;
  out.iterations = iteration;
  for (const ModelHold& hold : hold_)
    out.held.push_back({hold.of.name, *hold.value, read<double>(model_, hold.of, kinematics_)});
  Response response(model_, setup_);
  response.place(state_);
  out.solution = response.solution();
  const double length = model_.scale.length, time = model_.scale.time;
  double fastest = 1.0 / (time * time);
  for (const double y : y_.cwiseQuotient(sizes_)) keep_larger(fastest, std::abs(y));
  for (const double v : state_.v().cwiseQuotient(sizes_)) keep_larger(out.speed, time * std::abs(v));
  for (const double off : (out.solution.y - y_).cwiseQuotient(sizes_))
    keep_larger(out.residual, length * std::abs(off));
  for (int row = 0; row < model_.rows; ++row)
    keep_larger(out.row_residual, length * std::abs(row_rate_[row]) / model_.row_size(row));
  if (!(out.residual <= 1e-6 * length * fastest)) give_up();
  for (Eigen::Index row = 0; row < out.solution.lambda.size(); ++row)
    if (!std::isfinite(out.solution.lambda[row]))
      throw NumericalError(fmt::format("the steady motion that was found has no finite loads: that of {} is {}",
                                       model_.row_name(static_cast<int>(row)), out.solution.lambda[row]));
  check_symmetry(out.row_residual, response);
  return out;
}

Steady find_steady(const Model& model, const State& guess, const SteadyOptions& options) {
  return SteadyFinder(model, guess, options).find();
}

Steady find_steady(const Model& model) {
  const Assembly start = assemble(model, start_state(model), {.allow_large = false});
  return find_steady(model, start.bodies, {.hold = model.held_steady});
}

}  // namespace tandem
