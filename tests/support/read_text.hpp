// The description in a text that has no faults.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "tandem/io/model/model_file.hpp"

namespace tandem {

inline ModelDescription read(std::string_view text, const ReadOptions& options = {}) {
  Faults faults;
  ModelDescription description = read_description(text, "test.toml", options, faults);
  for (const Fault& fault : faults.list()) ADD_FAILURE() << fault.text();
  return description;
}

}  // namespace tandem
