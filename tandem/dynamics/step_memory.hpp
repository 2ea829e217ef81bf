// StepMemory: what a simulation keeps beside its State from step to step, because it speeds later steps up or was
// chosen on the way. Without it a run goes on just as right, but not in the same bits. Saving, resuming and copying a
// simulation is saving these two.
#pragma once

#include "tandem/base/memory.hpp"
#include "tandem/dynamics/state.hpp"

namespace tandem {

// Which rows are in use, as independent of each other: ascending.
struct ChosenRows {
  std::vector<int> velocity, position;
  bool operator==(const ChosenRows&) const = default;
};

// Where the recursion eliminates rows to the world (tree/loop_rows.hpp): what it found at a state.
struct RowPlaces {
  bool found = false;
  double t = 0.0;
  Eigen::VectorXd q{};
  std::vector<int> inward_of{};  // per block: further inward than on this link, where it was weak
};

// Of the method null_space: the rows for which speeds were chosen, and how.
struct SpeedChoice {
  std::vector<int> rows{}, dependent{}, independent{};
  double growth = 0.0;  // the largest number in J_d⁻¹ J_i then
};

struct StepMemory {
  double h = 0.0;  // the step that an adaptive integrator finds right; 0: not known yet

  ChosenRows rows{};          // of the problem in the coordinates in use
  std::size_t most_rows = 0;  // that were ever independent
  ChosenRows tree_rows{};     // of the model, in the recursion: taken from the above when a step last chose
  RowPlaces tree_places{};
  SpeedChoice speeds{};

  Eigen::VectorXd last_rate{};  // ẋ of the last stage, of the integrator implicit; empty: none
  Eigen::VectorXd impulses{};   // of the last step by impulses: its first guess in the next one
  double impulse_h = 0.0;       // how long they acted
  bool found_in_step = false;   // whether a step by impulses ended here: then it found these accelerations and forces
  Eigen::VectorXd y{}, lambda{};
  Eigen::VectorXd bodies_q{};  // of all bodies as read last: a quaternion may stand for its rotation with either sign
};

// As numbers, in a row, and back: State::parts is not among them. Reading throws std::invalid_argument where there is
// too little, or a count that cannot be; whether it fits a model, that who takes it tells (Simulation::restore).
void save(const State& state, MemoryWriter& out);
void load(MemoryReader& in, State& state);
void save(const StepMemory& memory, MemoryWriter& out);
void load(MemoryReader& in, StepMemory& memory);

}  // namespace tandem
