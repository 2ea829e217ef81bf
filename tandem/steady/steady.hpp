// Steady motions: equilibria, and motions along the machine's symmetries at constant rates (relative equilibria).
//
//   (1)  (q̇, v̇) = ξ(q, v) for a constant ξ of the symmetries (symmetry.hpp): v = v_ξ(q), y = y_ξ(q)
//   (2)  φ(q) = 0,   J v_ξ + φ_t = 0,   Zᵀ (M y_ξ − f) = 0 with J Z = 0,   held readings = their values
// Unknown are the pose and ξ. Newton with exact derivatives (dynamics/tangent.hpp) at fixed λ, λ by least squares;
// poses move along φ = 0. Of many solutions one close to the start: every step is the one of least norm.
// Where a spin and a rotation do the same (a top that stands upright) the spin is preferred: the frame stays at rest.
#pragma once

#include "tandem/steady/symmetry.hpp"

namespace tandem {

struct SteadyOptions {
  std::vector<ModelHold> hold;
  const Symmetry* symmetry = nullptr;  // of a like model, to save the search: refused when it is none here
  int most_iterations = 60;
  std::optional<Setup> setup{};  // how accelerations are found; not given: the model's
};

struct HeldValue {
  std::string name;
  double wanted = 0.0, value = 0.0;
};

struct Steady {
  State bodies;  // on the maximal cut
  Symmetry symmetry;
  Eigen::VectorXd rates;      // along the columns of symmetry.basis
  GroupMotion motion;         // ξ
  Solution solution;          // accelerations and multipliers by the model's method
  double residual = 0.0;      // largest |y − y_ξ|, m/s², and rad/s² times the length of the machine
  double row_residual = 0.0;  // largest |J v + φ_t|, in metres a second likewise
  double speed = 0.0;         // the largest of a body, in parts of the machine's
  int iterations = 0;
  std::vector<HeldValue> held;
  bool rests() const;  // an equilibrium
};

// What is held by the model, with its values at the given bodies where none are given. Throws NumericalError when there
// is no steady motion near.
Steady find_steady(const Model& model, const State& guess, const SteadyOptions& options);
// From the model's own start and [steady] table; the start is assembled first.
Steady find_steady(const Model& model);

// What a held reading reads.
template <class S> S read(const Model& model, const ModelReading& reading, const Kinematics<S>& kinematics);

}  // namespace tandem
