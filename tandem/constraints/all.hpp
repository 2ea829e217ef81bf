// Every pair constraint of the library. A new one is added here and nowhere else.
// Coupler and constant speed are relations of joint coordinates (coupler.hpp, constant_speed.hpp); a user's own rows
// are in custom_rows.hpp.
#pragma once

#include "tandem/base/own_types.hpp"
#include "tandem/constraints/distance.hpp"
#include "tandem/constraints/knife_edge.hpp"
#include "tandem/constraints/parallel_axes.hpp"
#include "tandem/constraints/point_on_circle.hpp"
#include "tandem/constraints/point_on_curve.hpp"
#include "tandem/constraints/point_on_line.hpp"
#include "tandem/constraints/point_on_plane.hpp"
#include "tandem/constraints/rolling_ball.hpp"
#include "tandem/constraints/rolling_surface.hpp"
#include "tandem/constraints/rope.hpp"
#include "tandem/constraints/wheel.hpp"

// clang-format off
#define TANDEM_CONSTRAINTS(MACRO) \
  MACRO(Distance) \
  MACRO(Rope) \
  MACRO(PointOnLine) \
  MACRO(PointOnPlane) \
  MACRO(PointOnCircle) \
  MACRO(PointOnCurve) \
  MACRO(ParallelAxes) \
  MACRO(Wheel) \
  MACRO(KnifeEdge) \
  MACRO(RollingBall) \
  MACRO(RollingSurface<Ellipsoid>)
// clang-format on

namespace tandem {

using AllConstraints = TANDEM_TYPE_LIST(TANDEM_CONSTRAINTS);

#define TANDEM_DECLARE(T) TANDEM_KERNELS(extern, ConstraintKernelOf, T)
TANDEM_CONSTRAINTS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
