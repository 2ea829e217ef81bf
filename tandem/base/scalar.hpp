// The scalar letter S: what kernels are written on, and the few functions that replace an `if` on it.
//
// Kernels (math, joints, constraints, forces, rows) are templates on S. S is double, or Dual<double> for exact
// derivatives; a pack of worlds must fit too. So a kernel never branches on an S: it calls select().
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <tuple>

#include "tandem/base/dual.hpp"

#ifdef TANDEM_REAL_HEADER
#include TANDEM_REAL_HEADER
#else

namespace tandem {

// The type of the numbers of a model: masses, lengths, stiffnesses, frames. It is double. The reader, the compiler and
// the kernels are built once more on duals, where every number carries its derivative by one of [parameters]
// (by_parameter/real_is_dual.hpp), so what is a number of the model must be called Real.
using Real = double;
// What carries derivatives along a direction.
using Tangential = Dual<double>;

template <class... S> struct Scalars {};
using KernelScalars = Scalars<double, Dual<double>>;

}  // namespace tandem

// The scalars that kernels are instantiated for: the same as KernelScalars.
#define TANDEM_INSTANTIATE_FOR_SCALARS(MACRO) \
  MACRO(double)                               \
  MACRO(::tandem::Dual<double>)

#endif

namespace tandem {

inline constexpr double pi = std::numbers::pi;

// One kernel a scalar.
template <template <class> class Kernel, class All> struct KernelsOn;
template <template <class> class Kernel, class... S> struct KernelsOn<Kernel, Scalars<S...>> {
  using type = std::tuple<std::shared_ptr<const Kernel<S>>...>;
  template <template <class, class> class KernelOf, class Thing, class... More>
  static type make(const Thing& thing, const More&... more) {
    return type{std::make_shared<const KernelOf<Thing, S>>(thing, more...)...};
  }
};
template <template <class> class Kernel> using Kernels = typename KernelsOn<Kernel, KernelScalars>::type;
template <template <class> class Kernel, template <class, class> class KernelOf, class Thing, class... More>
Kernels<Kernel> make_kernels(const Thing& thing, const More&... more) {
  return KernelsOn<Kernel, KernelScalars>::template make<KernelOf>(thing, more...);
}

inline double select(bool condition, double yes, double no) { return condition ? yes : no; }
template <class T> Dual<T> select(bool condition, const Dual<T>& yes, const Dual<T>& no) {
  return condition ? yes : no;
}

// The angle of the same direction nearest to zero: x − 2π round(x / 2π).
template <class S> S wrap_angle(const S& x) {
  using std::round;
  return x - 2.0 * pi * round(x / (2.0 * pi));
}

// The angle of the direction `angle` nearest to `reference`: counts turns without a branch. Its bits are those of the
// angle and the turn: nothing else of the reference, which is history, gets into them.
template <class S> S unwrap_angle(const S& angle, double reference) {
  using std::round;
  return angle - 2.0 * pi * round((angle - reference) / (2.0 * pi));
}

}  // namespace tandem
