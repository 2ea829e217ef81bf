// Every force law of the library; gravity belongs to the model as a whole. A new one is added here and nowhere else.
#pragma once

#include "tandem/base/own_types.hpp"
#include "tandem/forces/body_force.hpp"
#include "tandem/forces/damping.hpp"
#include "tandem/forces/joint_effort.hpp"
#include "tandem/forces/spring_damper.hpp"

#define TANDEM_FORCES(MACRO) MACRO(BodyForce) MACRO(BodyTorque) MACRO(SpringDamper) MACRO(JointEffort) MACRO(Damping)

namespace tandem {

using AllForces = TANDEM_TYPE_LIST(TANDEM_FORCES);

#define TANDEM_DECLARE(T) TANDEM_KERNELS(extern, ForceKernelOf, T)
TANDEM_FORCES(TANDEM_DECLARE)
#undef TANDEM_DECLARE

}  // namespace tandem
