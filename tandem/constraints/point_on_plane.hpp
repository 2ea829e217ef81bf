// Point on plane: M's origin stays in the x-y plane of F.
//
//   (1)  φ = p_z,  no bias
#pragma once

#include "tandem/constraints/constraint.hpp"

namespace tandem {

struct PointOnPlane {
  static constexpr std::string_view type = "point_on_plane";
  static constexpr int holonomic = 1, nonholonomic = 0;
  static constexpr Placement placement = Placement::axis;
  static constexpr std::array<std::string_view, 1> row_names{"height"};
  static PointOnPlane read(Properties&) { return {}; }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {  // (1)
    position_row(x, 2, rows, 0);
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p; }
};

}  // namespace tandem
