// What the modes of a sweep are called.
#pragma once

#include "tandem/linearize/sweep.hpp"

namespace tandem {

// Beyond an edge, either of the two frequencies may be what the growing mode became. So that it is no matter of
// round-off, the lower one; of its conjugate, too.
void settle_edges(Sweep& sweep);

// Names are those of the modes at the last point, of the largest real part first, then of the lowest frequency; pairs
// once, without neutral ones.
void name_modes(Sweep& sweep, const std::vector<std::string>& names);

}  // namespace tandem
