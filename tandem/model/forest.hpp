// Forest: a spanning tree of the joints, rooted at the world. Which joints would carry coordinates, and which close
// loops and become rows. On the maximal cut it only informs; all joints are rows there.
#pragma once

#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

struct Forest {
  std::vector<int> tree;   // joints that carry coordinates, from the roots outward
  std::vector<int> loops;  // joints that close a loop
  std::vector<int> roots;  // bodies that no chain of joints ties to the world: they float
};

Forest spanning_forest(const Model& model);

// Bodies that no joint, constraint or force touches: free of everything but gravity.
std::vector<int> lone_bodies(const Model& model);

}  // namespace tandem
