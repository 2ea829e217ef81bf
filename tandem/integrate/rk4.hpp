// The classical Runge-Kutta method of order four, fixed step.
#pragma once

#include "tandem/integrate/runge_kutta.hpp"

namespace tandem {

class RungeKutta4 final : public RungeKutta {
 public:
  RungeKutta4() : RungeKutta(table()) {}
  static const Tableau& table() {
    static const Tableau tableau{.c = {0.0, 0.5, 0.5, 1.0},
                                 .a = {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
                                 .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
                                 .e = {}};
    return tableau;
  }
};

}  // namespace tandem
