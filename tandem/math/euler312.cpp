#include "tandem/math/euler312.hpp"

#include <fmt/format.h>

#include "tandem/base/elementary.hpp"

namespace tandem {

void check_euler312(double lean) {
  if (std::abs(cos(lean)) > euler312_smallest_cosine) return;
  throw EulerSingularity(fmt::format(
      "3-1-2 Euler angles are singular at a lean of 90 degrees (lean is {:.6f} rad); use quaternions here", lean));
}

}  // namespace tandem
