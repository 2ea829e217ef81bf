// Where a state, input or output stands in a linearisation.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tandem/linearize/linearize.hpp"

namespace tandem {

inline Eigen::Index index_of(const std::vector<LinearState>& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<Eigen::Index>(i);
  ADD_FAILURE() << "there is no " << name;
  return 0;
}

}  // namespace tandem
