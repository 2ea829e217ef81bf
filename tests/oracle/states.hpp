// Where engines are compared: states near a given one that meet their constraints, and how well rows determine things
// there. All of it on the bodies, dense, by no method of the library.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tandem/dynamics/state.hpp"

namespace tandem::oracle {

// The equations of the bodies at a state: M y − Jᵀ λ = f, J y = b.
struct BodyEquations {
  Eigen::MatrixXd M, J;
  Eigen::VectorXd f, b;
  Eigen::VectorXd phi, rate;  // residuals; φ is zero for rows that have none

  // What is known of the rows, lengths in parts of the machine's and rows of unit length:
  std::vector<int> rows;     // independent ones
  std::vector<char> unique;  // per row: whether its multiplier is
  double kappa = 1.0;        // condition of the independent ones; infinite beyond 1e7
  double mass_norm(const Eigen::VectorXd& y) const;
};
BodyEquations body_equations(const Model& model, const State& bodies);

// Other speeds, drawn by number, then moved on with them for a time `dt`, which is halved until the constraints can be
// met again. The same to round-off whatever the engine.
struct Moved {
  State unmet;  // before it was brought back onto its constraints: its residuals are numbers to compare
  State met;
};
Moved moved_state(const Model& model, const State& from, double dt, unsigned number);

}  // namespace tandem::oracle
