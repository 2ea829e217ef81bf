// The equations of motion in quaternion rates as QuIRK writes them: seven coordinates a body, the mass matrix singular.
//
//   (1)  x = (q, r) per body;  M_q = TᵀIT (rank 3), M_r = m 1;   F = (Tᵀ(τ − ω × Iω), f)
//   (2)  A ẍ = b: the rows of the model in quaternion rates, then one row a quaternion:  q·q̈ = −q̇·q̇
// For a ball joint between bodies B and C, in QuIRK's order (r_B, r_C, q_B, q_C):
//   (3)  A = [1, −1, −sk(Q_B p_B) Q_B T_B, sk(Q_C p_C) Q_C T_C],  b = −sk(ω_B)² Q_B p_B + sk(ω_C)² Q_C p_C
// Rows may be added to A and b before solving; udwadia_kalaba.hpp has three ways to solve.
// Source: Shoer, QuIRK (2010), with the length rows it needs.
#pragma once

#include "tandem/methods/udwadia_kalaba.hpp"

namespace tandem {

// At a state on the maximal cut in quasi-velocities, such as Simulation::bodies().
DenseSystem quaternion_form(const Model& model, const State& bodies);
// The same with w q qᵀ added to M and −w q (q̇·q̇) to F: M is regular, and the solution is the same.
DenseSystem regular_quaternion_form(const Model& model, const State& bodies);

// Where each coordinate of QuIRK's order stands in Tandem's: all positions first, then all quaternions.
std::vector<int> positions_first(const Model& model);
DenseSystem reordered(const DenseSystem& system, const std::vector<int>& order);

}  // namespace tandem
