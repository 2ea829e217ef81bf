#include "tandem/model/registry.hpp"

#include "tandem/constraints/all.hpp"
#include "tandem/drives/all.hpp"
#include "tandem/forces/all.hpp"
#include "tandem/joints/all.hpp"

namespace tandem {

Registry Registry::standard() {
  Registry registry;
  for_each_type(AllJoints{}, [&]<class T>() { registry.add_joint<T>(); });
  for_each_type(AllConstraints{}, [&]<class T>() { registry.add_constraint<T>(); });
  for_each_type(AllForces{}, [&]<class T>() { registry.add_force<T>(); });
  for_each_type(AllDrives{}, [&]<class T>() { registry.add_drive<T>(); });
  registry.joints.end_of_library();
  registry.constraints.end_of_library();
  registry.forces.end_of_library();
  registry.drives.end_of_library();
  return registry;
}

#define TANDEM_DEFINE(T) TANDEM_KERNELS(, JointKernelOf, T)
TANDEM_JOINTS(TANDEM_DEFINE)
#undef TANDEM_DEFINE
#define TANDEM_DEFINE(T) TANDEM_KERNELS(, ConstraintKernelOf, T)
TANDEM_CONSTRAINTS(TANDEM_DEFINE)
#undef TANDEM_DEFINE
#define TANDEM_DEFINE(T) TANDEM_KERNELS(, ForceKernelOf, T)
TANDEM_FORCES(TANDEM_DEFINE)
#undef TANDEM_DEFINE
#define TANDEM_DEFINE(T) TANDEM_KERNELS(, DriveKernelOf, T)
TANDEM_DRIVES(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
