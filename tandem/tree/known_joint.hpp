// Whether a joint is one of the library's own, by its type in C++: a program may register another one of the same name.
#pragma once

#include "tandem/joints/all.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

template <class... J> bool is_any_of(const ModelJoint& joint) {
  const Joint* known = joint.joint();
  return known && (... || (dynamic_cast<const JointKernelOf<J, double>*>(&known->on<double>()) != nullptr));
}

}  // namespace tandem
