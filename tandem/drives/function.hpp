// A function of time: an expression of t in a model file, or any callable in C++. Its derivatives come from duals.
#pragma once

#include "tandem/drives/drive.hpp"

namespace tandem {

struct ExpressionDrive {
  static constexpr std::string_view type = "function";
  TimeFunction value{};

  static ExpressionDrive read(Properties& properties) {
    if (!properties.has("value")) properties.fault("value", "value is missing; give an expression of the time t");
    return {.value = properties.function("value", 0.0)};
  }
  std::vector<TimeFunction> of_time() const { return {value}; }

  template <class S> Jet<S> motion(const S& t) const { return value.jet<S>(t); }
};

// DriveFunction{[](auto t) { return 0.1 * sin(3.0 * t); }}
template <class F> struct DriveFunction {
  static constexpr std::string_view type = "function";
  F value;

  template <class S> Jet<S> motion(const S& t) const {
    using D = Dual<S>;
    const Dual<D> x = value(Dual<D>(D(t, S(1.0)), D(S(1.0), S(0.0))));
    return {x.value.value, x.value.derivative, x.derivative.derivative};
  }
};
template <class F> DriveFunction(F) -> DriveFunction<F>;

}  // namespace tandem
