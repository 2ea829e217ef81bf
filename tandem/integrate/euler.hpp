// Euler's explicit method, order one: to show what order means, not to use.
#pragma once

#include "tandem/integrate/runge_kutta.hpp"

namespace tandem {

class Euler final : public RungeKutta {
 public:
  Euler() : RungeKutta(table()) {}
  static const Tableau& table() {
    static const Tableau tableau{.c = {0.0}, .a = {{}}, .b = {1.0}, .e = {}};
    return tableau;
  }
};

}  // namespace tandem
