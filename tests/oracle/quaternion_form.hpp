// The equations of motion in quaternion rates as QuIRK writes them: seven coordinates a body, the mass matrix singular.
// An oracle of the coordinates "quaternion": it stands on the rows of the bodies alone.
//
//   (1)  x = (q, r) per body;  M_q = TᵀIT (rank 3), M_r = m 1;   F = (Tᵀ(τ − ω × Iω), f)
//   (2)  A ẍ = b: the rows of the model in quaternion rates (ω̇ = T q̈, for Ṫ q̇ = 0), then one row a quaternion:
//        q·q̈ = −q̇·q̇
// For a ball joint between bodies B and C, in QuIRK's order (r_B, r_C, q_B, q_C):
//   (3)  A = [1, −1, −sk(Q_B p_B) Q_B T_B, sk(Q_C p_C) Q_C T_C],  b = −sk(ω_B)² Q_B p_B + sk(ω_C)² Q_C p_C
// Rows may be added to A and b before solving, which three ways do.
// Source: Shoer, QuIRK (2010), with the length rows it needs.
#pragma once

#include "tandem/dynamics/state.hpp"

namespace tandem::oracle {

// A constrained system with a mass matrix and rows of one's own:  M ẍ = F + F_c,  A ẍ = b.
struct DenseSystem {
  Eigen::MatrixXd M, A;
  Eigen::VectorXd F, b;
};

// What became of a system: ẍ, and what A and b turned out to be.
struct DenseAnswer {
  Eigen::VectorXd acceleration;
  Eigen::VectorXd constraint_force;  // F_c = M ẍ − F
  int rank = 0;                      // of A; less than its rows: redundant ones
  double unmet = 0.0;                // largest |A ẍ − b|: more than round-off where rows contradict each other
};

DenseAnswer solve_udwadia_kalaba(const DenseSystem& system);      // by Udwadia and Kalaba: M must be regular
DenseAnswer solve_udwadia_phohomsiri(const DenseSystem& system);  // and Phohomsiri: [M; A] must have full rank
DenseAnswer solve_kkt(const DenseSystem& system);                 // [M Aᵀ; A 0], least squares

// At a state on the maximal cut in quasi-velocities, such as Simulation::bodies().
DenseSystem quaternion_form(const Model& model, const State& bodies);
// The same with w q qᵀ added to M and −w q (q̇·q̇) to F: M is regular, and the solution is the same.
DenseSystem regular_quaternion_form(const Model& model, const State& bodies);

// Where each coordinate of QuIRK's order stands in Tandem's: all positions first, then all quaternions.
std::vector<int> positions_first(const Model& model);
DenseSystem reordered(const DenseSystem& system, const std::vector<int>& order);

}  // namespace tandem::oracle
