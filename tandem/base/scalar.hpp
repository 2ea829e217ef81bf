// The scalar letter S: what kernels are written on, and the few functions that replace an `if` on it.
//
// Kernels (math, joints, constraints, forces, rows) are templates on S. S is double, or Dual<double> for exact
// derivatives; a pack of worlds must fit too. So a kernel never branches on an S: it calls select().
#pragma once

#include <cmath>
#include <numbers>

#include "tandem/base/dual.hpp"

namespace tandem {

inline constexpr double pi = std::numbers::pi;

// The scalars every kernel is instantiated for. Add one here and in Kernels<> of a contract to support it everywhere.
#define TANDEM_INSTANTIATE_FOR_SCALARS(MACRO) \
  MACRO(double)                               \
  MACRO(::tandem::Dual<double>)

inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
template <class T> Dual<T> select(bool condition, const Dual<T>& yes, const Dual<T>& no) {
  return condition ? yes : no;
}

// The angle of the same direction nearest to zero: x − 2π round(x / 2π).
template <class S> S wrap_angle(const S& x) {
  using std::round;
  return x - 2.0 * pi * round(x / (2.0 * pi));
}

// The angle of the direction `angle` nearest to `reference`: counts turns without a branch.
template <class S> S unwrap_angle(const S& angle, double reference) {
  return reference + wrap_angle(S(angle - reference));
}

}  // namespace tandem
