// State: where the machine is and how it moves. Everything a later step needs is here.
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

// Energy brought in since the start.
struct Work {
  double dampers = 0.0, drives = 0.0, forces = 0.0;
  double total() const { return dampers + drives + forces; }
};

struct State {
  double t = 0.0;
  Eigen::VectorXd q;       // per body: quaternion (x, y, z, w), position of the mass centre; a point mass: position
  Eigen::VectorXd v;       // per body: ω in body axes, v of the mass centre; a point mass: v
  Eigen::VectorXd angles;  // last value of every joint coordinate, so that angles count their turns
  Work work;
};

State start_state(const Model& model);

// q ⊞ δ for all bodies, δ laid out as v; and q̇ = N(q) v.
void retract(const Model& model, const Eigen::VectorXd& delta, Eigen::VectorXd& q);
void coordinate_rate(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v, Eigen::VectorXd& q_dot);
void normalise_quaternions(const Model& model, Eigen::VectorXd& q);

}  // namespace tandem
