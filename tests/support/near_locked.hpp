// Mechanisms that are almost locked or almost redundant: joints that repeat each other but for offsets of 1e-12 to
// 1e-2, doors on several hinges, parallelograms with one crank too many, loops whose axes are almost parallel. A
// pendulum hangs on one of the bodies, so that a body that is held or let go wrongly shows in its acceleration. Half of
// them move.
//
// As texts, so that whatever fails can be kept as a model file.
#pragma once

#include <string>

namespace tandem::test {

std::string near_locked(unsigned seed);

}  // namespace tandem::test
