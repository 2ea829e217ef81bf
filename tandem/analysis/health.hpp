// The health record of a run: what must hold if the motion is right, moment by moment and in one summary.
//
//   (1)  balance = E(t) − E(0) − work of dampers, drives and forces           zero but for the integrator's error
//   (2)  residuals of the rows: φ, J v + φ_t before and after the projection, J y − b
//   (3)  power of constraint forces λᵀ(J v + φ_t): zero; rows that move with time are counted as drives
//   (4)  linear and angular momentum about the origin of the world
//   (5)  normal forces of wheels and balls: below zero a real one would lift off, if the force is unique
#pragma once

#include "tandem/analysis/momentum.hpp"
#include "tandem/analysis/uniqueness.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

struct HealthRow {
  double t = 0.0;
  Energy energy;
  Work work;
  double balance = 0.0;
  Momentum momentum;
  ResidualNorms before, after;
  double acceleration = 0.0;  // largest |J y − b|
  double power = 0.0;         // (3), watts
  double quaternion_error = 0.0;
  int rank = 0, iterations = 0;
  std::vector<double> loads;  // one a contact (reactions.hpp)
};

// A value and when it was seen.
struct Extreme {
  double value = 0.0, t = 0.0;
};

// The lowest normal force of a contact. One that redundant rows share says nothing about lifting off.
struct LowestLoad {
  double value = 0.0, t = 0.0;
  bool unique = true;
  bool lifts_off() const { return unique && value < 0.0; }
};

struct HealthSummary {
  Energy energy_start, energy_end;
  Work work;
  double energy_scale = 0.0;  // largest kinetic energy or change of energy seen: what the balance is compared with
  double energy_size = 0.0;   // largest energy of a kind: its round-off is no change
  Extreme balance;            // the largest, by size
  Momentum momentum_start, momentum_end;
  ResidualNorms before, after;  // largest
  double acceleration = 0.0, power = 0.0, quaternion_error = 0.0;
  int least_rank = 0, most_rank = 0;
  double rank_changed = -1.0;  // when first; negative: never
  std::vector<LowestLoad> lowest_loads;
  long steps = 0, rejected = 0, iterations = 0;
  ImpulseReport impulses;  // the worst of all steps
  double largest_force = 0.0;
  bool energy_moved() const { return energy_scale > 1e-12 * energy_size; }
  // Largest balance against the energy that moved; nothing where none did.
  double relative_balance() const { return energy_moved() ? std::abs(balance.value) / energy_scale : 0.0; }
};

// Throws NumericalError, by name, when something that can be told about the state is not finite: energies, momentum,
// reactions, efforts, the motion of joints, outputs.
void require_finite(const Model& model, Simulation& simulation);

class Health {
 public:
  explicit Health(const Model& model);
  // Every step: what it reported.
  void watch(const StepReport& report, Simulation& after);
  // The record at the state of `simulation`, which needs a solution there; counts for the summary. Throws
  // NumericalError when it is not finite.
  const HealthRow& record(Simulation& simulation, const StepReport& report);
  const HealthSummary& summary() const { return summary_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  // Which loads were unique at all rows that were looked at (uniqueness.hpp); look() adds a moment to these.
  const Uniqueness& unique() const { return unique_.of_all(); }
  void look(const Workspace& workspace);
  void save(MemoryWriter& out) const;
  void load(MemoryReader& in);

 private:
  void mark_loads();

  const Model& model_;
  std::vector<Contact> contacts_;
  UniquenessRecord unique_;
  bool started_ = false;
  HealthRow row_;
  HealthSummary summary_;
};

}  // namespace tandem
