// Whether what rolls or glides on a plane does so, by plain geometry from the poses and twists of the bodies. Radius
// and axis are declared (ContactGeometry); nothing is shared with the rows, which are what is checked.
//
// n the normal of the plane through p_F, c the origin of M, a the declared axis, all in the world:
//   (1)  the point in contact   disc:   P = c − (r − ρ) e − ρ n,   e = (n − (n·a) a)/|n − (n·a) a|  up, in its plane
//                               ball:   P = c − r n
//                               ellipsoid:  P = c − L Lᵀn/|Lᵀn|,   L = R diag(a₁, a₂, a₃): L times the unit sphere,
//                               whose lowest point is where n·L e is least over |e| = 1
//                               blade:  P = c
//   (2)  disc, ball and ellipsoid touch the plane:   n·(P − p_F) = 0
//   (3)  u = v_M + ω_M × (P − p_M) − v_F − ω_F × (P − p_F)  of the two material points at P
//        all but a blade:  u = 0;   blade:  l·u = 0,   l = n × a/|n × a|
//   (4)  J of the rows and ∂u/∂V of (3) have the same row space: the rows forbid what (3) forbids, no less and no more
// (2) and the part of u along n are asked of constraints with a holonomic row only.
#pragma once

#include <string>
#include <vector>

#include "tandem/dynamics/state.hpp"

namespace tandem {

struct ContactFault {
  std::string block;  // constraint "rear"
  std::string what;   // the point in contact slips, …
  double error = 0.0;
  double t = 0.0;
};

// Of a state on the maximal cut: (2) and (3). Errors are in parts of the body's size and of the speeds.
std::vector<ContactFault> check_contacts(const Model& model, const State& bodies);
// Of the rows there: (4), which finds what the motion of a run does not show.
std::vector<ContactFault> check_contact_rows(const Model& model, const State& bodies);

// How many constraints declare what touches the plane, and the rows of velocities that nothing is declared about.
struct ContactCover {
  int checked = 0;
  std::vector<std::string> not_checked;  // constraint "own"
};
ContactCover contact_cover(const Model& model);

}  // namespace tandem
