// Readings: linear functions of a perturbation w = (δ, δv), from which the states of a linearisation are chosen.
//
// A reading is a named coordinate, or one component of a body's turn where angles do not serve. It has two parts: the
// change of its value, a function of δ, and the change of its rate, a function of δ and δv.
#pragma once

#include "tandem/dynamics/tangent.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {

struct Reading {
  std::string name;
  std::optional<ModelStart> coordinate{};
  int body = 0, axis = 0;  // without a coordinate: the turn of a body about one of its axes
  int rank = 0;            // of how it is liked: 0 named by the user, then outputs, joints, bodies, turns
  bool angular = true;
};

struct ReadingChange {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

// Its change along a direction that `kinematics` carries; `y` (may be null) carries the change of the accelerations.
ReadingChange change_of(const Model& model, const Reading& reading, const Direction& along,
                        const Kinematics<Tangential>& kinematics, const VecX<Tangential>* y = nullptr);

// The readings that usually suffice, the best liked first: `wanted`, outputs, joints. Throws ModelError for a wanted
// name that is no coordinate.
std::vector<Reading> usual_readings(const Model& model, const State& bodies, const std::vector<std::string>& wanted);
// All others behind them: bodies, turns.
void add_other_readings(const Model& model, const State& bodies, std::vector<Reading>& all);

// Chooses as many of the given rows as their space has dimensions, in groups of rank, by pivoting within a group. Rows
// that were chosen before come first in `chosen`. Each row is a reading's function on a basis of perturbations.
// `good`: how much of a row must be new for it to be taken.
void choose_independent(const Eigen::MatrixXd& rows, const std::vector<int>& ranks, Eigen::Index wanted, double good,
                        std::vector<int>& chosen);

}  // namespace tandem
