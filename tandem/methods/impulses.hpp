// Sequential impulses at acceleration level: the same sweeps as in a time step, until the rows are met.
//
//   (1)  y = M⁻¹ f first; then block after block  λ += K⁻¹ (b − J y),  y += M⁻¹ Jᵀ Δλ     (block_sweeper.hpp)
//   (2)  until the residual is 1e-12 of its terms
//   (3)  a rope counts while it is taut and not going slack, with λ ≤ 0
//   (4)  a soft row is a spring and a damper:  λ = −m (ω² φ + 2 ζ ω φ̇),  m = 1/(J M⁻¹ Jᵀ)
//   (5)  where sweeps get stuck: J M⁻¹ Jᵀ λ = b − J M⁻¹ f by conjugate gradients, divided by the K of the blocks,
//        over the rows in use: what redundant rows differ by is round-off, which no λ takes away
// In time it works otherwise, with velocities and without the bias: integrate/impulse_step.hpp.
#pragma once

#include "tandem/methods/block_sweeper.hpp"
#include "tandem/methods/inertia_shift.hpp"
#include "tandem/methods/method.hpp"

namespace tandem {

class Impulses final : public Method {
 public:
  std::string_view name() const override { return "impulses"; }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override;
  const SweepReport& report() const { return report_; }

 private:
  void add_soft_rows(const GaussProblem& problem);

  void take_shift_back(const Model& model, const GaussProblem& problem, Solution& solution);
  bool follow_gradients(const GaussProblem& problem, Solution& solution);  // false where a row is one-sided
  void sweep(const Model& model, const GaussProblem& problem, Solution& solution);

  BlockSweeper sweeper_;
  SweepReport report_;
  InertiaShift shift_;
  GaussProblem shifted_;              // M + E, where a body lacks inertia
  Eigen::VectorXd given_, f_, soft_;  // forces with those of soft rows; and with E y; multipliers of soft rows
};

}  // namespace tandem
