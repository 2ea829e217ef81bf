// Doors side by side, each on two hinges: what redundant rows are counted on.
#pragma once

#include <string>

#include "tandem/joints/revolute.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {

inline Model doors(int n) {
  Builder build("doors");
  for (int i = 0; i < n; ++i) {
    const std::string number = std::to_string(i);
    build.body(
        {.name = "door" + number, .mass = 1.0, .shapes = {Shape::box({1, 0.1, 2})}, .position = {0.5, 1.0 * i, 0}});
    for (const int up : {-1, 1})
      build.joint({.name = (up < 0 ? "lower" : "upper") + number,
                   .type = Revolute{},
                   .bodies = {"world", "door" + number},
                   .point = Vector3(0, i, up),
                   .axis = Vector3(0, 0, 1)});
  }
  return build.finish();
}

}  // namespace tandem::test
