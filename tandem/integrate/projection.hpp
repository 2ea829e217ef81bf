// Projection onto the constraints, as in the bicycle project: after a step, first positions, then velocities.
//
//   (1)  δ = −J_h⁺ φ,  J⁺ = Jᵀ (J Jᵀ)⁻¹,  q ← q ⊞ δ; repeated until |φ| is small      holonomic rows
//   (2)  v ← v − J⁺ (J v + φ_t)                                                      all rows, one step, exact
//   (3)  mass-weighted: the v nearest in ½ Δvᵀ M Δv: what an impulse of the constraints alone would do
// Only the independent rows that the workspace holds are used; see gauss_problem.hpp.
#pragma once

#include <Eigen/Cholesky>

#include "tandem/methods/method.hpp"

namespace tandem {

// A given start may be this far from its constraints (metres, radians); it is then moved onto them.
inline constexpr double start_tolerance = 1e-6;

struct ResidualNorms {
  double position = 0.0;  // largest |φ|
  double velocity = 0.0;  // largest |J v + φ_t|
};

ResidualNorms residual_norms(const GaussProblem& problem, const Eigen::VectorXd& v);

class Projection {
 public:
  double tolerance = 1e-13;  // of φ, in metres and radians
  int most_iterations = 25;

  // Both leave the workspace refreshed at the new state, with the rows it came with. Returns the number of iterations.
  int project_positions(const Model& model, State& state, Workspace& workspace);    // (1)
  void project_velocities(const Model& model, State& state, Workspace& workspace);  // (2)

 private:
  Eigen::VectorXd& least_change(const GaussProblem& problem, const std::vector<int>& rows,
                                const Eigen::VectorXd& target);

  std::vector<int> holonomic_;
  Eigen::MatrixXd A_, AAt_;
  Eigen::VectorXd target_, multipliers_, delta_;
  Eigen::LDLT<Eigen::MatrixXd> ldlt_;
};

// (3), by the given method: M v⁺ − Jᵀ λ = M v, J v⁺ = −φ_t.
void project_velocities_by_mass(const Model& model, State& state, Workspace& workspace, Method& method);

}  // namespace tandem
