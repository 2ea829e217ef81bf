// The health record of a run: what must hold if the motion is right, moment by moment and in one summary.
//
//   (1)  balance = E(t) − E(0) − work of dampers, drives and forces           zero but for the integrator's error
//   (2)  residuals of the rows: φ, J v + φ_t before and after the projection, J y − b
//   (3)  power of constraint forces λᵀ(J v + φ_t): zero; rows that move with time are counted as drives
//   (4)  linear and angular momentum about the origin of the world
//   (5)  normal forces of wheels, balls and surfaces: below zero a real one would lift off, if the force is unique
//   (6)  events: singular poses (branches.hpp), breakpoints and stops that were not resolved
// What all of it says about the run: trust.hpp.
#pragma once

#include "tandem/base/tolerances.hpp"
#include "tandem/observe/momentum.hpp"
#include "tandem/observe/uniqueness.hpp"
#include "tandem/run/horizon.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

struct HealthRow {
  double t = 0.0;
  Energy energy;
  Work work;
  double balance = 0.0;
  Momentum momentum;
  ResidualNorms before, after;
  double acceleration = 0.0;        // largest |J y − b|, in metres as ResidualNorms
  double acceleration_share = 0.0;  // largest |J y − b| against its terms and the machine's own acceleration
  double power = 0.0;               // (3), watts
  double quaternion_error = 0.0;
  int rank = 0, iterations = 0;
  std::vector<double> loads;  // one a contact (reactions.hpp)
};

// A value and when it was seen.
struct Extreme {
  double value = 0.0, t = 0.0;
};

// Something that happened at moments of a run, by name.
struct HealthEvent {
  enum class Kind {
    singular_pose,        // passed, or met
    branch_changed,       // at a singular pose the machine did not go straight on
    branch_left,          // a loop went over to another assembly mode without a singular pose
    breakpoint_of_force,  // something of time that the steps did not resolve
    breakpoint_of_drive,
    breakpoint_of_constraint,
    stop,  // a stop condition that may have been passed over
  };
  Kind kind = Kind::singular_pose;
  int index = 0;               // a row of the model; of the last four: into forces, drives, constraints, stops
  double t = 0.0, last = 0.0;  // first and last time
  long count = 1;
};

struct HealthSummary {
  Energy energy_start, energy_end;
  Work work;
  double energy_scale = 0.0;  // largest kinetic energy or change of energy seen: what the balance is compared with
  double energy_size = 0.0;   // largest energy of a kind: its round-off is no change
  double energy_lift = 0.0;   // of the heaviest body by the machine's length: positions are known to 1e-13 of that
  Extreme balance;            // the largest, by size
  Momentum momentum_start, momentum_end;
  ResidualNorms before, after;  // largest
  double acceleration = 0.0, acceleration_share = 0.0, power = 0.0, quaternion_error = 0.0;
  double turn = 0.0;  // largest of a body in a step, radians
  int least_rank = 0, most_rank = 0;
  double rank_changed = -1.0;  // when first; negative: never
  std::vector<Extreme> lowest_loads;
  std::vector<bool> shared_loads;  // those that are not unique (uniqueness.hpp): no evidence of anything
  std::vector<HealthEvent> events;
  std::optional<HorizonRecord> horizon;  // where it was asked for
  long steps = 0, rejected = 0, iterations = 0;
  long general_steps = 0;              // StepReport::general
  long samples = 0, full_samples = 0;  // recorded; with all rows of the model in (2) and (3)
  ImpulseReport impulses;              // the worst of all steps
  double largest_force = 0.0;
  double energy_noise() const { return tolerances::energy_round_off * std::max(energy_size, energy_lift); }
  bool energy_moved() const { return energy_scale > energy_noise(); }
  // Largest balance against the energy that moved; nothing where none did, or where it is round-off.
  double relative_balance() const {
    const double off = std::abs(balance.value);
    return energy_moved() && !(off <= 0.1 * energy_noise()) ? off / energy_scale : 0.0;
  }
};

double energy_of_lift(const Model& model);

// Throws NumericalError, by name, when something that can be told about the state is not finite: energies, momentum,
// reactions, efforts, the motion of joints, outputs.
void require_finite(const Model& model, Simulation& simulation);

class Health {
 public:
  Health(const Model& model, const Setup& setup);
  // Every step: what it reported.
  void watch(const StepReport& report, Simulation& after);
  // The record at the state of `simulation`; counts for the summary. Throws NumericalError when it is not finite. Where
  // steps go by the recursion, the rows that its joints hold are looked at in some records only: 1, 2, 4, …, 64, 128,
  // 192, …, after steps by the general equations, and the last.
  const HealthRow& record(Simulation& simulation, const StepReport& report, bool last = false);
  // An event at t; one of its kind that was seen no longer than `within` before is the same one.
  void note(HealthEvent::Kind kind, int index, double t, double within = 0.0);
  void note_horizon(const HorizonRecord& record) { summary_.horizon = record; }
  const HealthSummary& summary() const { return summary_; }
  const std::vector<Contact>& contacts() const { return contacts_; }
  // Which loads were unique at all rows that were looked at (uniqueness.hpp); look() adds a moment to these.
  const Uniqueness& unique() const { return unique_.of_all(); }
  void look(const Workspace& workspace);
  void save(MemoryWriter& out) const;
  void load(MemoryReader& in);

 private:
  void mark_loads();
  bool is_full(bool last);

  const Model& model_;
  Setup setup_;
  std::vector<Contact> contacts_;
  UniquenessRecord unique_;
  bool started_ = false;
  long general_seen_ = 0;  // general steps up to the last record
  HealthRow row_;
  HealthSummary summary_;
};

}  // namespace tandem
