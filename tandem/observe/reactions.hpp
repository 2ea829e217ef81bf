// Reactions: what the first body does to the second, in newtons and newton metres, never multipliers.
//
// The formulas are in loaded.hpp.
#pragma once

#include "tandem/methods/method.hpp"
#include "tandem/observe/loaded.hpp"

namespace tandem {

struct Reaction {
  Vector3 force = Vector3::Zero();
  Vector3 torque = Vector3::Zero();
  Vector3 point = Vector3::Zero();
};

inline Reaction reaction_of(const ReactionOf<double>& in) { return {in.force, in.torque, in.point}; }
Reaction joint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int joint);
Reaction constraint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int constraint);
// The generalised force of a drive along its coordinate.
double drive_effort(const Model& model, const Solution& solution, int drive);
// The generalised forces of a coupler or constant speed, one a term.
std::vector<double> relation_efforts(const Model& model, const Solution& solution, int constraint);

// What carries load on a plane, wheels, balls and surfaces: the constraint, and its contact row, whose multiplier is
// the normal force. A negative one pulls: a real wheel would lift off.
struct Contact {
  int constraint = 0, row = 0;
};
std::vector<Contact> contacts(const Model& model);

}  // namespace tandem
