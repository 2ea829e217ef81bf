// Forest: a spanning tree of the joints, rooted at the world. Which joints carry coordinates on the reduced cut, and
// which close loops and become rows. On the maximal cut all joints are rows.
//
// The tree is grown breadth first, so that paths to the root are short. At equal depth a driven joint is taken first,
// then one that forbids more (a cut hinge leaves five rows, a cut ball three), then one that carries a heavier body.
// Bodies that nothing ties to the world hang from the heaviest of them, the first listed of equals. Masses are those of
// the file's own numbers, so that the tree stays the same whatever parameters are set to.
// A joint with `cut = true`, a custom joint and a joint on a point mass never carry coordinates.
#pragma once

#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

struct Forest {
  struct Node {
    int body = 0;
    int parent = -1;          // a node; −1 is the world
    int joint = -1;           // −1: the body floats
    bool reversed = false;    // the joint's first body is the child
    int tree = 0;             // bodies of one tree are coupled by inertia; the world couples none
    int q_first = 0, nq = 0;  // its coordinates in State
    int v_first = 0, nv = 0;
    std::vector<int> drives;  // a drive for each of its speeds, −1 for none
  };
  std::vector<Node> nodes;        // parents before children, each tree and each subtree together
  std::vector<int> node_of_body;  // per body
  std::vector<int> tree;          // joints that carry coordinates, as in nodes
  std::vector<int> loops;         // joints that close a loop
  std::vector<int> roots;         // bodies that no chain of joints ties to the world: they float
  int nq = 0, nv = 0, trees = 0;
};

Forest spanning_forest(const Model& model);

// Bodies that no joint, constraint or force touches: free of everything but gravity.
std::vector<int> lone_bodies(const Model& model);

}  // namespace tandem
