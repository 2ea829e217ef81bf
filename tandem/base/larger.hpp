// The larger of two numbers, such that what is not a number stays: std::max may hide it, and so may a later number.
#pragma once

#include <cmath>

namespace tandem {

inline void keep_larger(double& most, double value) {
  if (!(value <= most) && !std::isnan(most)) most = value;
}

}  // namespace tandem
