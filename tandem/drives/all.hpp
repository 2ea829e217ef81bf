// Every drive of the library. A new one is added here and nowhere else.
#pragma once

#include "tandem/base/type_list.hpp"
#include "tandem/drives/constant_speed.hpp"
#include "tandem/drives/function.hpp"
#include "tandem/drives/hold.hpp"
#include "tandem/drives/oscillation.hpp"
#include "tandem/drives/polynomial.hpp"
#include "tandem/drives/ramp.hpp"
#include "tandem/drives/table.hpp"

namespace tandem {

using AllDrives = TypeList<Hold, ConstantSpeedDrive, Ramp, Oscillation, Polynomial, TableDrive, ExpressionDrive>;

}  // namespace tandem
