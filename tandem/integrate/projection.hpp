// Projection onto the constraints, as in the bicycle project: after a step, first positions, then velocities.
//
//   (1)  δ = −J_h⁺ φ,  J⁺ = Jᵀ (J Jᵀ)⁻¹,  q ← q ⊞ δ; repeated until |φ| is small      holonomic rows
//   (2)  v ← v − J⁺ (J v + φ_t)                                                      all rows, one step, exact
//   (3)  mass-weighted: the v nearest in ½ Δvᵀ M Δv: what an impulse of the constraints alone would do:
//        M Δv − Jᵀ λ = 0,  J Δv = −(J v + φ_t)
// The norm of (1) and (2) is the plain one in the coordinates in use. Only the independent rows that the workspace
// holds are used; see gauss_problem.hpp.
#pragma once

#include "tandem/methods/method.hpp"

namespace tandem {

// A given start may be this far from its constraints (metres, radians); it is then moved onto them.
inline constexpr double start_tolerance = 1e-6;

struct ResidualNorms {
  double position = 0.0;  // largest |φ|
  double velocity = 0.0;  // largest |J v + φ_t|
};

// Soft rows need not be met, a slack rope has nothing to meet.
ResidualNorms residual_norms(const GaussProblem& problem);

class Projection {
 public:
  double tolerance = 1e-13;  // of φ, in metres and radians
  int most_iterations = 25;

  // Both leave the workspace refreshed at the new state, with the rows it came with. Returns the number of iterations.
  int project_positions(const Model& model, State& state, Workspace& workspace);    // (1)
  void project_velocities(const Model& model, State& state, Workspace& workspace);  // (2)

 private:
  const Eigen::VectorXd& least_change(const GaussProblem& problem, const std::vector<int>& rows,
                                      const Eigen::VectorXd& residual);

  RowSystem system_;
  std::vector<int> holonomic_;
  Eigen::VectorXd multipliers_, delta_;
};

// (3), by the given method.
void project_velocities_by_mass(const Model& model, State& state, Workspace& workspace, Method& method);

}  // namespace tandem
