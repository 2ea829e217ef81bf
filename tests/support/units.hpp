// Other units of length, mass and time: the same machine in them must behave the same.
#pragma once

#include <cmath>
#include <string>

#include "tandem/model/model.hpp"

namespace tandem::test {

struct Units {
  double length = 1.0, mass = 1.0, time = 1.0;  // what one metre, kilogram and second become

  double of(int lengths, int masses, int times) const {
    return std::pow(length, lengths) * std::pow(mass, masses) * std::pow(time, times);
  }
  double speed() const { return of(1, 0, -1); }
  double acceleration() const { return of(1, 0, -2); }
  double force() const { return of(1, 1, -2); }
  double energy() const { return of(2, 1, -2); }
  double inertia() const { return of(2, 1, 0); }
  double of_unit(const std::string& unit) const;  // m, m/s, N m, …
};

// A model that was read from a text, with every number in other units; the text is JSON, parameters are gone. With
// units of one it is the text that the others are compared with. Throws std::logic_error for a number it does not know.
std::string in_units(const Model& model, const Units& units);

}  // namespace tandem::test
