// Linearisation about a steady motion, or about the start as it is. docs/linearisation.md has the derivation.
//
// From a basis of perturbations modulo the symmetries S (perturbations.hpp) and readings C as states
// (linear_states.hpp):
//   (1)  A = (C L E)(C E)⁻¹,   E spans a complement of S. To each direction of S belongs a zero
//   (2)  B: how the rates among the states answer to efforts and driven accelerations (linear_outputs.hpp)
//   (3)  outputs = C z + D u
//   (4)  M q̈ + C q̇ + K q = Q where the states are coordinates and their rates, and other speeds do not couple:
//        M⁻¹ is how the rates answer to the efforts Q
//   (5)  B by a parameter p: the machine follows along w (parameter_change.hpp), which changes the states by c and
//        their rates by c_L; with the states held, c_L − A c is left. D in the same way
#pragma once

#include <complex>

#include "tandem/steady/steady.hpp"

namespace tandem {

struct LinearState {
  std::string name, unit;
  bool is_rate = false;
};

struct LinearMode {
  std::complex<double> eigenvalue;
  Eigen::VectorXcd shape;   // in the states; its largest entry is 1
  Eigen::VectorXcd bodies;  // δ of all bodies, laid out as State::v: a turn in body axes, a shift in world axes
  Eigen::VectorXcd speeds;  // δv of all bodies
  double frequency() const { return std::abs(eigenvalue.imag()); }  // rad/s
  double damping_ratio() const;                                     // −Re/|λ|; of neutral modes noise
};

// M q̈ + C q̇ + K q = Q for the coordinates among the states, where they have such a form.
struct SecondOrder {
  std::vector<std::string> coordinates;
  Eigen::MatrixXd M, C, K;
};

struct Linearization {
  State bodies;
  bool steady = true;
  double drift = 0.0;  // about the start: the largest acceleration there, m/s², and rad/s² times the machine's length
  std::vector<LinearState> states;
  std::vector<LinearState> inputs, outputs;
  Eigen::MatrixXd A, B, C, D;
  std::vector<LinearMode> modes;   // of the largest real part first; of a pair, Im > 0 first
  std::vector<std::string> zeros;  // the symmetries that were divided out
  double symmetry_error = 0.0;     // how much of them the equations still see: round-off, or they are none
  std::optional<SecondOrder> second_order;
  std::vector<std::string> notes;
  double size() const { return rate_size; }  // of A, in 1/s: what round-off is measured by
  double time = 1.0;                         // the machine's
  Eigen::VectorXd sizes;                     // of the states: the machine's length or a radian, of rates per its time
  double rate_size = 1.0;  // of states in parts of the machine (model/scale.hpp): its largest entry, and 1 / its time
  // At zero but for round-off: a family of steady motions, or energy. Its damping ratio means nothing.
  bool neutral(const std::complex<double>& eigenvalue) const;
};

// What is empty is the model's own choice ([linearize]), or Tandem's.
struct LinearizeOptions {
  std::vector<std::string> states{}, inputs{}, outputs{};
  bool modes_only = false;  // A, eigenvalues and modes: no inputs, outputs and second-order form
};

// Both throw ModelError for names that do not do, NumericalError when there is nothing to linearise.
Linearization linearize(const Model& model, const Steady& steady, const LinearizeOptions& options = {});
Linearization linearize_start(const Model& model, const LinearizeOptions& options = {});

}  // namespace tandem
