#include "tandem/linearize/linear_states.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

#include "tandem/base/tolerances.hpp"

namespace tandem {

namespace {

constexpr double invariant = tolerances::steady;  // a reading that changes less along a symmetry does not see it
// How much of a reading must be new: what is not, takes digits of the eigenvalues with it. Of all the readings there
// are, fewer are as good.
constexpr double good = 0.2, fair = 0.05, hardly = 1e-7;

bool contains(const std::vector<int>& list, int entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

}  // namespace

LinearStates::LinearStates(const Model& model, const State& bodies, const std::vector<std::string>& wanted)
    : model_(model), readings_(usual_readings(model, bodies, wanted)) {}

void LinearStates::read(const Direction& along, const Tangent& tangent) {
  std::vector<double> value(readings_.size()), rate(readings_.size());
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const ReadingChange change = change_of(model_, readings_[i], along, tangent.kinematics());
    value[i] = change.value;
    rate[i] = change.rate;
  }
  value_on_.push_back(std::move(value));
  rate_on_.push_back(std::move(rate));
}

void LinearStates::read_rest(const Perturbations& perturbations) {
  add_other_readings(model_, perturbations.bodies(), readings_);
  Tangent tangent(model_);
  const Eigen::Index old = values_.rows();
  values_.conservativeResize(static_cast<Eigen::Index>(readings_.size()), Eigen::NoChange);
  rates_.conservativeResize(static_cast<Eigen::Index>(readings_.size()), Eigen::NoChange);
  for (Eigen::Index k = 0; k < perturbations.size(); ++k) {
    tangent.update_kinematics(perturbations.bodies(), perturbations.direction(k));
    for (Eigen::Index i = old; i < values_.rows(); ++i) {
      const ReadingChange change =
          change_of(model_, readings_[static_cast<std::size_t>(i)], perturbations.direction(k), tangent.kinematics());
      values_(i, k) = change.value / size(static_cast<int>(i));
      rates_(i, k) = change.rate * model_.scale.time / size(static_cast<int>(i));
    }
  }
}

// Readings that tell how far the machine has gone along its symmetries; what is named by the user is left for a state.
bool LinearStates::choose_gauge(const Eigen::MatrixXd& S, double enough) {
  const Eigen::MatrixXd along = values_ * S;
  std::vector<int> liked;
  for (const auto& reading : readings_) liked.push_back(reading.rank == 0 ? 2 : reading.rank == 4 ? 1 : 0);
  gauge_.clear();
  for (const double share : {enough, hardly}) choose_independent(along, liked, S.cols(), share, gauge_);
  if (static_cast<Eigen::Index>(gauge_.size()) < S.cols()) return false;
  gauge_inverse_ = along(gauge_, Eigen::all).inverse();
  return true;
}

// False when the readings do not suffice.
bool LinearStates::choose_from_readings(const Perturbations& perturbations, double enough) {
  const Eigen::MatrixXd& S = perturbations.S();
  const Eigen::Index symmetric = S.cols();
  const bool corrected = symmetric > 0 && choose_gauge(S, enough);
  const Eigen::MatrixXd touched = values_ * S;
  Eigen::MatrixXd rows = values_;
  if (corrected) rows -= touched * gauge_inverse_ * values_(gauge_, Eigen::all);  // (1)
  std::vector<int> order;
  for (std::size_t i = 0; i < readings_.size(); ++i) {  // those that no symmetry touches first
    const bool untouched = touched.row(static_cast<Eigen::Index>(i)).norm() <= invariant;
    if (!untouched && !corrected) rows.row(static_cast<Eigen::Index>(i)).setZero();
    order.push_back(readings_[i].rank + (readings_[i].rank > 0 && !untouched ? 5 : 0));
  }
  const Eigen::Index values = perturbations.poses() - symmetric, speeds = perturbations.speeds();
  value_states_.clear();
  rate_states_.clear();
  for (const double share : {enough, hardly}) choose_independent(rows, order, values, share, value_states_);
  std::sort(value_states_.begin(), value_states_.end());  // as people name them
  for (std::size_t i = 0; i < readings_.size(); ++i)      // rates of these first
    order[i] = contains(value_states_, static_cast<int>(i)) ? 0 : 1 + readings_[i].rank;
  for (const double share : {enough, hardly})
    choose_independent(rates_.rightCols(speeds), order, speeds, share, rate_states_);
  std::sort(rate_states_.begin(), rate_states_.end(), [&](int a, int b) {
    const auto key = [&](int i) { return std::pair(order[static_cast<std::size_t>(i)] > 0, i); };
    return key(a) < key(b);
  });
  if (static_cast<Eigen::Index>(value_states_.size()) < values ||
      static_cast<Eigen::Index>(rate_states_.size()) < speeds)
    return false;
  if (corrected || symmetric == 0) return true;
  for (const int i : rate_states_)
    if (!((rates_.row(i) * S).norm() <= invariant)) return false;
  return true;
}

void LinearStates::choose(const Perturbations& perturbations) {
  const auto count = static_cast<Eigen::Index>(readings_.size());
  values_.resize(count, perturbations.size());
  rates_.resize(count, perturbations.size());
  for (Eigen::Index k = 0; k < perturbations.size(); ++k)
    for (Eigen::Index i = 0; i < count; ++i) {
      const double unit = 1.0 / size(static_cast<int>(i));
      values_(i, k) = unit * value_on_[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
      rates_(i, k) = unit * model_.scale.time * rate_on_[static_cast<std::size_t>(k)][static_cast<std::size_t>(i)];
    }
  if (choose_from_readings(perturbations, good)) return;
  read_rest(perturbations);
  if (!choose_from_readings(perturbations, fair))
    throw NumericalError("no readings were found that describe every motion of the machine");
}

template <class Value, class Rate> Eigen::VectorXd LinearStates::stacked(const Value& value, const Rate& rate) const {
  Eigen::VectorXd out(count() + gauge_inverse_.rows());
  Eigen::Index row = 0;
  for (const int i : value_states_) out[row++] = value(i);
  for (const int i : rate_states_) out[row++] = rate(i);
  for (Eigen::Index i = 0; i < gauge_inverse_.rows(); ++i) out[row++] = value(gauge_[static_cast<std::size_t>(i)]);
  return out;
}

Eigen::VectorXd LinearStates::sizes() const {
  const auto size_of_value = [&](int i) { return size(i); };
  return stacked(size_of_value, [&](int i) { return size(i) / model_.scale.time; }).head(count());
}

Eigen::VectorXd LinearStates::moving(const Perturbations& perturbations, bool steady, const Direction& along,
                                     const Eigen::VectorXd& y_change, const std::vector<ReadingChange>& own,
                                     Tangent& tangent) const {
  const Direction follow = steady ? perturbations.moving(along, y_change) : along;
  VecX<Tangential> y(model_.nv);
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = Tangential(perturbations.response().solution().y[i], y_change[i]);
  tangent.update_kinematics(perturbations.bodies(), follow);
  const auto read = [&](int i) {
    ReadingChange change =
        change_of(model_, readings_[static_cast<std::size_t>(i)], follow, tangent.kinematics(), steady ? nullptr : &y);
    if (!steady && !own.empty()) {  // (3)
      change.rate += own[static_cast<std::size_t>(i)].rate;
      change.acceleration += own[static_cast<std::size_t>(i)].acceleration;
    }
    return change;
  };
  const double time = model_.scale.time;
  return stacked([&](int i) { return (steady ? read(i).value : read(i).rate) / size(i); },  // (2)
                 [&](int i) { return (steady ? read(i).rate : read(i).acceleration) * time / size(i); });
}

void LinearStates::functions(const Perturbations& perturbations, bool steady, Eigen::MatrixXd& C, Eigen::MatrixXd& CL) {
  const Eigen::Index n = count(), g = gauge_inverse_.rows(), d = perturbations.size();
  C.resize(n + g, d);
  CL.resize(n + g, d);
  Tangent tangent(model_);
  for (Eigen::Index k = 0; k < d; ++k) {
    C.col(k) = stacked([&](int i) { return values_(i, k); }, [&](int i) { return rates_(i, k); });
    CL.col(k) = moving(perturbations, steady, perturbations.direction(k), perturbations.change(k).y, {}, tangent);
  }
  if (g > 0) {  // (1)
    gauge_share_ = C.topRows(n) * perturbations.S() * gauge_inverse_;
    const Eigen::MatrixXd gauge = C.bottomRows(g), gauge_moving = CL.bottomRows(g);
    C.topRows(n) -= gauge_share_ * gauge;
    CL.topRows(n) -= gauge_share_ * gauge_moving;
  }
  C.conservativeResize(n, Eigen::NoChange);
  CL.conservativeResize(n, Eigen::NoChange);
}

void LinearStates::functions_by(const ParameterChange& parameter, const Perturbations& perturbations, bool steady,
                                Eigen::VectorXd& c, Eigen::VectorXd& c_moving) const {
  Tangent tangent(model_);
  tangent.update_kinematics(perturbations.bodies(), parameter.along);
  const auto read = [&](int i) {  // (3)
    const auto which = static_cast<std::size_t>(i);
    ReadingChange change = change_of(model_, readings_[which], parameter.along, tangent.kinematics());
    change.value += parameter.readings[which].value;
    change.rate += parameter.readings[which].rate;
    return change;
  };
  c = stacked([&](int i) { return read(i).value / size(i); },
              [&](int i) { return read(i).rate * model_.scale.time / size(i); });
  c_moving = moving(perturbations, steady, parameter.along, parameter.change.y, parameter.readings, tangent);
  const Eigen::Index n = count(), g = gauge_inverse_.rows();
  for (Eigen::VectorXd* each : {&c, &c_moving}) {
    if (g > 0) each->head(n) -= gauge_share_ * each->tail(g);  // (1)
    each->conservativeResize(n);
  }
}

}  // namespace tandem
