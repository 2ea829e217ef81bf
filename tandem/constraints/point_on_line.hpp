// Point on line: M's origin stays on the z axis of F.
//
//   (1)  φ = (p_x, p_y),  no bias
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct PointOnLine {
  static constexpr std::string_view type = "point_on_line";
  static constexpr int holonomic = 2, nonholonomic = 0;
  static constexpr Placement placement = Placement::axis;
  static constexpr std::array<std::string_view, 2> row_names{"across x", "across y"};
  static PointOnLine read(Properties&) { return {}; }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {  // (1)
    position_row(x, 1, rows, position_row(x, 0, rows, 0));
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p; }
};

}  // namespace tandem
