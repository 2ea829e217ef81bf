// Assembly: from a rough guess to a pose and speeds that meet all rows, with the coordinates and speeds of
// Model::starts held, and everything else changed as little as possible by mass.
//
//   (1)  positions:  ½ dᵀ M d least,   φ(q) = 0,          held coordinates = their values    (nearest_pose.hpp)
//   (2)  speeds:     M Δv − Jᵀ λ = 0,  J v + φ_t = 0,     held speeds = their rates
// Soft rows are not asked for. A rope may be slack, and asks nothing of the speeds.
#pragma once

#include "tandem/dynamics/state.hpp"
#include "tandem/integrate/projection.hpp"

namespace tandem {

struct AssemblyOptions {
  // A start that is further than `tolerance` off the model's own rows (parts of their size) is refused, unless large
  // moves are allowed. Held coordinates do not count: to hold them elsewhere is to ask for the move.
  double tolerance = tolerances::start;
  bool allow_large = true;
  bool zero_momentum = false;  // afterwards, by observe/momentum.hpp
};

// The start is further off its constraints than the tolerance, and large moves were not allowed.
struct FarStart : ModelError {
  using ModelError::ModelError;
};

struct BodyMove {
  std::string body;
  double distance = 0.0, turn = 0.0;        // of the mass centre, of the body
  double speed = 0.0, angular_speed = 0.0;  // how much the velocities changed
  double length = 1.0;                      // of the body's island, in metres: what a radian counts as
  double most() const { return std::max(distance, length * turn); }
  double most_speed() const { return std::max(speed, length * angular_speed); }
};

struct Assembly {
  State bodies;                 // on the maximal cut, as start_state() gives it
  ResidualNorms given, after;   // of the model's own rows, before and after
  double moved = 0.0;           // largest move of a body (metres, and radians times the length of the machine)
  double speed_moved = 0.0;     // largest change of a body's velocity, likewise
  std::string most_moved;       // the body that moved most; empty when none did
  std::vector<BodyMove> moves;  // most moved first
  int iterations = 0;           // of the positions
  bool continued = false;       // whether Newton alone did not do
  std::vector<Fault> unmet;     // what cannot be met, a sentence each; empty when all is well
};

// Tells in `unmet` what cannot be met; the bodies are then where least squares left them.
Assembly try_to_assemble(const Model& model, const State& guess, const AssemblyOptions& options = {});
[[noreturn]] void refuse_unmet(const Assembly& assembly);  // throws ModelError with what cannot be met
// As try_to_assemble() and refuse_unmet(); both throw FarStart.
Assembly assemble(const Model& model, const State& guess, const AssemblyOptions& options = {});

}  // namespace tandem
