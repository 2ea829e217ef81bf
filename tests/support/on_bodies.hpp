// The equations of the bodies themselves: the cut "all" in quasi-velocities, where "auto" would take a tree.
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

inline Setup on_bodies(const Model& model) {
  Setup setup = model.setup;
  setup.method = MethodName::lagrange;
  setup.cut = Cut::all;
  return setup;
}

}  // namespace tandem
