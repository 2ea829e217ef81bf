// Every joint of the library. A new joint is added here and nowhere else.
#pragma once

#include "tandem/base/type_list.hpp"
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

namespace tandem {

using AllJoints =
    TypeList<Fixed, Revolute, Prismatic, Helical, Cylindrical, Universal, Planar, Spherical, Translational, Free>;

}  // namespace tandem
