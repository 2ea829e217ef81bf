// A pendulum on a post that a drive turns at Ω: straight down up to Ω² = g/l, then out at cos θ = g/(l Ω²).
#pragma once

#include "tandem/tandem.hpp"

namespace tandem {

inline constexpr double pendulum_length = 0.5;

inline Model rotating_pendulum(double Omega, double guess) {
  const double l = pendulum_length;
  Builder build("table");
  build.body({.name = "post",
              .mass = 1.0,
              .inertia = std::array{1.0, 1.0, 1.0, 0.0, 0.0, 0.0},
              .angular_velocity = {0, 0, Omega}});
  build.body({.name = "bob",
              .mass = 0.3,
              .inertia = std::array{0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
              .position = {l * std::sin(guess), 0.0, -l * std::cos(guess)},
              .velocity = {0.0, Omega * l * std::sin(guess), 0.0},
              .angular_velocity = {0, 0, Omega}});
  build.joint({.name = "axle",
               .type = Revolute{},
               .bodies = {"world", "post"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, 0, 1)});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"post", "bob"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(0, -1, 0)});
  build.drive({.name = "motor", .type = ConstantSpeedDrive{.speed = Omega}, .coordinate = {"axle", ""}});
  return build.finish();
}

}  // namespace tandem
