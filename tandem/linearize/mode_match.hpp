// Which modes of two neighbouring points of a sweep belong together: (1) of sweep.hpp.
#pragma once

#include "tandem/linearize/linearize.hpp"

namespace tandem {

struct ModeMatch {
  std::vector<int> to;  // for each mode of the first the one of the second
  bool sure = true;
};

ModeMatch match_modes(const Linearization& a, const Linearization& b);

}  // namespace tandem
