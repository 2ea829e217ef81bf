// Every force law of the library; gravity belongs to the model as a whole. A new one is added here and nowhere else.
#pragma once

#include "tandem/base/type_list.hpp"
#include "tandem/forces/body_force.hpp"
#include "tandem/forces/damping.hpp"
#include "tandem/forces/joint_effort.hpp"
#include "tandem/forces/spring_damper.hpp"

namespace tandem {

using AllForces = TypeList<BodyForce, BodyTorque, SpringDamper, JointEffort, Damping>;

}  // namespace tandem
