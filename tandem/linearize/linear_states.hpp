// The states of a linearisation: readings of named coordinates and their rates, as functions on a basis of
// perturbations, taken modulo the symmetries.
//
//   (1)  a reading c that does not vanish on S is taken after moving the machine back along S:
//        c − (c S)(g S)⁻¹ g,   with as many other readings g as S needs
//   (2)  about a steady motion a function moves with the frame: its rate of change is c(L w). About the start the
//        reading itself is followed, whose gradient moves too: value → rate, rate → acceleration
//   (3)  by a parameter: the same along the change of state that goes with it, and what the reading itself changes. At
//   a
//        steady motion the latter does not count in the rate of change: what the gradient of c meets there is zero
#pragma once

#include "tandem/linearize/parameter_change.hpp"
#include "tandem/linearize/perturbations.hpp"

namespace tandem {

class LinearStates {
 public:
  // Throws ModelError for wanted names that do not do, NumericalError when no states are found.
  LinearStates(const Model& model, const State& bodies, const std::vector<std::string>& wanted);

  // For each direction of the basis in turn: reads those readings that usually suffice.
  void read(const Direction& along, const Tangent& tangent);
  // Then chooses the states.
  void choose(const Perturbations& perturbations);

  // Readings whose values are states, and whose rates are; those of values first.
  const std::vector<int>& values() const { return value_states_; }
  const std::vector<int>& rates() const { return rate_states_; }
  const Reading& reading(int index) const { return readings_[static_cast<std::size_t>(index)]; }
  // What each state is divided by to be in parts of the machine: its length or a radian, of rates per its time.
  Eigen::VectorXd sizes() const;
  // On the basis: states in parts of these, and their rates of change. (1), (2)
  void functions(const Perturbations& perturbations, bool steady, Eigen::MatrixXd& C, Eigen::MatrixXd& CL);
  // The same by a parameter, after functions(). (3)
  void functions_by(const ParameterChange& parameter, const Perturbations& perturbations, bool steady,
                    Eigen::VectorXd& c, Eigen::VectorXd& c_moving) const;

 private:
  double size(int reading) const {
    return readings_[static_cast<std::size_t>(reading)].angular ? 1.0 : model_.scale.length;
  }
  // `enough` of a reading must be new.
  bool choose_from_readings(const Perturbations& perturbations, double enough);
  bool choose_gauge(const Eigen::MatrixXd& S, double enough);
  void read_rest(const Perturbations& perturbations);
  Eigen::Index count() const { return static_cast<Eigen::Index>(value_states_.size() + rate_states_.size()); }
  // Entries of the states, then of the gauge.
  template <class Value, class Rate> Eigen::VectorXd stacked(const Value& value, const Rate& rate) const;
  Eigen::VectorXd moving(const Perturbations& perturbations, bool steady, const Direction& along,
                         const Eigen::VectorXd& y_change, const std::vector<ReadingChange>& own,
                         Tangent& tangent) const;

  const Model& model_;
  std::vector<Reading> readings_;
  std::vector<std::vector<double>> value_on_, rate_on_;  // per direction
  Eigen::MatrixXd values_, rates_;                       // readings × basis, in parts of their sizes
  std::vector<int> value_states_, rate_states_, gauge_;
  Eigen::MatrixXd gauge_inverse_, gauge_share_;  // (g S)⁻¹, and (c S)(g S)⁻¹ of the states
};

}  // namespace tandem
