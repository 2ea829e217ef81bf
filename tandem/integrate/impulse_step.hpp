// A time step by sequential impulses: velocities first, then positions with the new velocities.
//
//   (1)  v* = v + h M⁻¹ f                        applied forces, gyroscopic torque included
//   (2)  sweeps until  J v⁺ = −φ_t(t + h)         J at the start of the step; the bias is never used
//   (3)  q⁺ = q ⊞ h v⁺
//   (4)  Baumgarte: −(β/h) φ on the right side of (2);  soft rows and ropes as in block_sweeper.hpp;
//        a slack rope may use up its slack: J v⁺ ≤ −φ_t − φ/h
//   (5)  positions: δ = −M⁻¹Jᵀ K⁻¹ φ block by block, each seeing the moves of those before it; then q ⊞ δ and rows anew
// Where a body lacks inertia, M + E takes the place of M, and E is taken back between sweeps (inertia_shift.hpp):
//   (6)  M v⁺ + E (v⁺ − g) = …;  after each sweep  v += (M + E)⁻¹ E (v − g),  g = v
// Of order one in h. Impulses are kept for the next step as its first guess (warm start).
// Source: Robson, distance constraint derivation (2016), corrected; Catto, iterative dynamics (2005).
#pragma once

#include "tandem/dynamics/step_memory.hpp"
#include "tandem/integrate/impulse_rows.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/methods/block_sweeper.hpp"
#include "tandem/methods/inertia_shift.hpp"

namespace tandem {

struct ImpulseReport {
  int sweeps = 0;         // of all sub-steps
  double unsolved = 0.0;  // residual of (2) after the last sweep, relative to its terms: the largest of all sub-steps
  int worst_row = -1;     // where
  double position_gap = 0.0;  // largest |φ| before (5)
  double gap_share = 0.0;     // the same in parts of the length of its island
  int position_iterations = 0;
};

class ImpulseStep {
 public:
  // `memory` must outlive it: impulses are kept there.
  ImpulseStep(const ImpulseOptions& options, StepMemory& memory) : options_(options), memory_(memory) {}
  // Moves `state` by h. `result` gets the mean accelerations and the forces λ/h of the last sub-step. The workspace is
  // at `state` before, and after unless it is left behind; its bodies are there in any case.
  ImpulseReport step(const Model& model, double h, State& state, Workspace& workspace, Solution& result);
  // Rows and forces where the step ended; without b.
  const GaussProblem& problem(const Workspace& workspace) const { return rows_ ? rows_->problem : workspace.problem; }
  void forget() { memory_.impulses.resize(0); }  // no warm start next time

 private:
  void substep(const Model& model, double h, State& state, Workspace& workspace, ImpulseReport& report);
  void refresh(const Model& model, const State& state, Workspace& workspace);
  void set_rules(const GaussProblem& problem, double h);
  void set_target(const GaussProblem& problem, double h, const Eigen::VectorXd& v);
  void project_positions(const Model& model, State& state, Workspace& workspace, ImpulseReport& report);

  bool prepare(const GaussProblem& problem);
  void take_shift_back();

  ImpulseOptions options_;
  StepMemory& memory_;
  BlockSweeper sweeper_;
  InertiaShift shift_;
  GaussProblem shifted_;  // M + E, where a body lacks inertia
  State ahead_;
  Eigen::VectorXd v_, target_, before_, phi_, delta_, guess_, push_;
  std::vector<double> feedback_;                 // of soft blocks
  bool started_ = false, time_matters_ = false;  // whether rows or forces may change with time alone
  std::unique_ptr<ImpulseRows> rows_;            // where the model allows it
};

}  // namespace tandem
