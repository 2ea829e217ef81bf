// The tree on a pack of worlds: its templates, compiled once more.
#include "tandem/base/pack.hpp"

#define TANDEM_TREE_SCALARS(MACRO)  // not here

#include "tandem/tree/any_joint.cpp"
#include "tandem/tree/coordinate_rows.cpp"
#include "tandem/tree/custom_loop_rows.cpp"
#include "tandem/tree/forward.cpp"
#include "tandem/tree/held_joints.cpp"
#include "tandem/tree/inverse.cpp"
#include "tandem/tree/loads.cpp"
#include "tandem/tree/loop_order.cpp"
#include "tandem/tree/loop_places.cpp"
#include "tandem/tree/loop_rows.cpp"
#include "tandem/tree/loop_sweep.cpp"
#include "tandem/tree/mass.cpp"
#include "tandem/tree/tree_dynamics.cpp"

namespace tandem {

template struct AnyJoint<Pack<4>>;
template struct LoopBlock<Pack<4>>;
template class LoopRows<Pack<4>>;
template class TreeLoads<Pack<4>>;
template struct Turns<Pack<4>>;
template class Tree<Pack<4>>;

}  // namespace tandem
