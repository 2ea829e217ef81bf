// What a model that must be refused is told.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "tandem/base/faults.hpp"

namespace tandem {

template <class Act> std::string refusal_of(const Act& act) {
  try {
    act();
  } catch (const ModelError& error) {
    return error.what();
  }
  ADD_FAILURE() << "it was accepted";
  return "";
}

}  // namespace tandem
