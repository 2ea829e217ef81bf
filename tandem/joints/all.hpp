// Every joint of the library. A new joint is added here and nowhere else.
#pragma once

#include "tandem/base/own_types.hpp"
#include "tandem/joints/cylindrical.hpp"
#include "tandem/joints/fixed.hpp"
#include "tandem/joints/free.hpp"
#include "tandem/joints/helical.hpp"
#include "tandem/joints/planar.hpp"
#include "tandem/joints/prismatic.hpp"
#include "tandem/joints/revolute.hpp"
#include "tandem/joints/spherical.hpp"
#include "tandem/joints/translational.hpp"
#include "tandem/joints/universal.hpp"

// clang-format off
#define TANDEM_JOINTS(MACRO) \
  MACRO(Fixed) \
  MACRO(Revolute) \
  MACRO(Prismatic) \
  MACRO(Helical) \
  MACRO(Cylindrical) \
  MACRO(Universal) \
  MACRO(Planar) \
  MACRO(Spherical) \
  MACRO(Translational) \
  MACRO(Free)
// clang-format on

namespace tandem {

using AllJoints = TANDEM_TYPE_LIST(TANDEM_JOINTS);

#define TANDEM_DECLARE(T) TANDEM_KERNELS(extern, JointKernelOf, T)
TANDEM_JOINTS(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
