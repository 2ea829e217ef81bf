// Parallel axes: z of M stays along z of F.
//
//   (1)  φ = (z_M·x_F, z_M·y_F)
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct ParallelAxes {
  static constexpr std::string_view type = "parallel_axes";
  static constexpr int holonomic = 2, nonholonomic = 0;
  static constexpr Placement placement = Placement::directions;
  static constexpr std::array<std::string_view, 2> row_names{"axis x", "axis y"};
  static ParallelAxes read(Properties&) { return {}; }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {  // (1)
    parallel_axis_rows(x, rows, 0);
  }
};

}  // namespace tandem
