// Dual numbers: a value and its derivative along one direction.
//
//   (1)  f(x + ε ẋ) = f(x) + ε f'(x) ẋ,   ε² = 0
//
// Exact to round-off, no step size. They nest: Dual<Dual<double>> carries second derivatives.
// Comparisons look at the value alone, so a branch is taken as it would be with doubles.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <type_traits>

#include "tandem/base/elementary.hpp"

namespace tandem {

template <class T> struct Dual;

// What carries a derivative. Such a number never turns into one that carries less, unless value_of() says so.
template <class T> inline constexpr bool carries_derivative = false;
template <class T> inline constexpr bool carries_derivative<Dual<T>> = true;
template <class Inner, class T>
concept InnerLevelOf =
    carries_derivative<Inner> && !std::is_same_v<Inner, Dual<T>> && std::is_constructible_v<T, Inner>;

template <class T> struct Dual {
  T value{};
  T derivative{};

  constexpr Dual() = default;
  constexpr Dual(double number) : value(number), derivative(0.0) {}  // NOLINT: a number is a dual with no derivative
  constexpr Dual(T value_, T derivative_) : value(value_), derivative(derivative_) {}
  // A number that carries a derivative of an inner level is constant at this one.
  template <InnerLevelOf<T> Inner> explicit constexpr Dual(const Inner& inner) : value(inner), derivative(0.0) {}

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }

  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr bool operator!=(const Dual& a, const Dual& b) { return !(a == b); }
  friend constexpr bool operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend constexpr bool operator>(const Dual& a, const Dual& b) { return b < a; }
  friend constexpr bool operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend constexpr bool operator>=(const Dual& a, const Dual& b) { return b <= a; }
};

// The double at the bottom of any scalar.
constexpr double value_of(double x) { return x; }
template <class T> constexpr double value_of(const Dual<T>& x) { return value_of(x.value); }
template <class T> constexpr const T& derivative_of(const Dual<T>& x) { return x.derivative; }

template <class T> Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T root = sqrt(x.value);
  return {root, x.derivative / (2.0 * root)};
}
template <class T> Dual<T> sin(const Dual<T>& x) { return {sin(x.value), cos(x.value) * x.derivative}; }
template <class T> Dual<T> cos(const Dual<T>& x) { return {cos(x.value), -sin(x.value) * x.derivative}; }
template <class T> Dual<T> tan(const Dual<T>& x) {
  const T t = tan(x.value);
  return {t, (1.0 + t * t) * x.derivative};
}
template <class T> Dual<T> asin(const Dual<T>& x) {
  using std::sqrt;
  return {asin(x.value), x.derivative / sqrt(1.0 - x.value * x.value)};
}
template <class T> Dual<T> acos(const Dual<T>& x) {
  using std::sqrt;
  return {acos(x.value), -x.derivative / sqrt(1.0 - x.value * x.value)};
}
template <class T> Dual<T> atan(const Dual<T>& x) { return {atan(x.value), x.derivative / (1.0 + x.value * x.value)}; }
template <class T> Dual<T> atan2(const Dual<T>& y, const Dual<T>& x) {
  return {atan2(y.value, x.value),
          (x.value * y.derivative - y.value * x.derivative) / (x.value * x.value + y.value * y.value)};
}
template <class T> Dual<T> exp(const Dual<T>& x) {
  const T e = exp(x.value);
  return {e, e * x.derivative};
}
template <class T> Dual<T> log(const Dual<T>& x) { return {log(x.value), x.derivative / x.value}; }
// Whether the derivative vanishes at every level of nesting.
constexpr bool is_constant(double) { return true; }
template <class T> constexpr bool is_constant(const Dual<T>& x) {
  return value_of(x.derivative) == 0.0 && is_constant(x.derivative) && is_constant(x.value);
}
// x^y. With a constant exponent log(x) is left out: it has no value at the x = 0 where time laws like t^1.5 start.
template <class T> Dual<T> pow(const Dual<T>& x, const Dual<T>& y) {
  const T power = pow(x.value, y.value);
  if (is_constant(y) && value_of(y) == 0.0) return {power, T(0.0)};  // x^0: 0 x^-1 has no value at x = 0 either
  const T by_base = y.value * pow(x.value, T(y.value - 1.0)) * x.derivative;
  if (is_constant(y)) return {power, by_base};
  return {power, by_base + power * log(x.value) * y.derivative};
}
template <class T> Dual<T> abs(const Dual<T>& x) { return x.value < T(0.0) ? -x : x; }
template <class T> Dual<T> abs2(const Dual<T>& x) { return x * x; }
template <class T> Dual<T> min(const Dual<T>& a, const Dual<T>& b) { return b < a ? b : a; }
template <class T> Dual<T> max(const Dual<T>& a, const Dual<T>& b) { return a < b ? b : a; }
template <class T> Dual<T> round(const Dual<T>& x) {
  using std::round;
  return {round(x.value), T(0.0)};
}
template <class T> bool isfinite(const Dual<T>& x) {
  using std::isfinite;
  return isfinite(x.value) && isfinite(x.derivative);
}

}  // namespace tandem

namespace Eigen {
template <class T> struct NumTraits<tandem::Dual<T>> : NumTraits<double> {
  using Real = tandem::Dual<T>;
  using NonInteger = tandem::Dual<T>;
  using Nested = tandem::Dual<T>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 2,
    MulCost = 6
  };
};
template <class T, class BinaryOp> struct ScalarBinaryOpTraits<tandem::Dual<T>, double, BinaryOp> {
  using ReturnType = tandem::Dual<T>;
};
template <class T, class BinaryOp> struct ScalarBinaryOpTraits<double, tandem::Dual<T>, BinaryOp> {
  using ReturnType = tandem::Dual<T>;
};
}  // namespace Eigen
