// How large, heavy and slow a machine is. Every threshold is relative to these, so that the same machine in other
// units, or a machine of micrometres, gets the same verdicts.
//
//   (1)  length  of an island (bodies joined by rows or forces): the farthest that a mass centre, with the radius of
//                gyration around it, or a point where something is attached lies from the middle of all these points
//                at the start; the machine's is its largest island's
//   (2)  mass    of the heaviest body
//   (3)  time    1 / the largest of √(g / length), |v| / length, |ω| at the start; at rest without gravity the duration
// Without anything to tell (a lone mass point), lengths come from what it travels in the duration, and are 1 m at last.
#pragma once

#include <vector>

namespace tandem {

struct Model;

struct Scale {
  double length = 1.0, mass = 1.0, time = 1.0;
  std::vector<double> of_body;  // the length of each body's island
  double speed() const { return length / time; }
  double energy() const { return mass * speed() * speed(); }
  double force() const { return energy() / length; }
};

Scale find_scale(const Model& model);

}  // namespace tandem
