// Every drive of the library. A new one is added here and nowhere else.
#pragma once

#include "tandem/base/own_types.hpp"
#include "tandem/drives/constant_speed.hpp"
#include "tandem/drives/function.hpp"
#include "tandem/drives/hold.hpp"
#include "tandem/drives/oscillation.hpp"
#include "tandem/drives/polynomial.hpp"
#include "tandem/drives/ramp.hpp"
#include "tandem/drives/table.hpp"

#define TANDEM_DRIVES(MACRO) \
  MACRO(Hold)                \
  MACRO(ConstantSpeedDrive) MACRO(Ramp) MACRO(Oscillation) MACRO(Polynomial) MACRO(TableDrive) MACRO(ExpressionDrive)

namespace tandem {

using AllDrives = TANDEM_TYPE_LIST(TANDEM_DRIVES);

#define TANDEM_DECLARE(T) TANDEM_KERNELS(extern, DriveKernelOf, T)
TANDEM_DRIVES(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
