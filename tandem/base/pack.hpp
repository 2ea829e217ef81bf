// A pack of worlds: one number of each of n worlds, side by side.
//
// A comparison of packs gives a mask, which is no bool: code that branches on a number does not compile for a pack, and
// what is written with select() takes each world its own way. Where something is decided once for all of them (which
// rows are in use, whether what came out is finite), of_world() reads one world. It does so for every scalar: a double
// and a dual have one world, of which it is the value.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "tandem/base/elementary.hpp"
#include "tandem/base/scalar.hpp"

namespace tandem {

template <int n> struct Mask {
  bool lane[n] = {};
};

template <int n> struct Pack {
  double lane[n] = {};

  Pack() = default;
  Pack(double number) {  // NOLINT(google-explicit-constructor): the same in all worlds
    for (double& each : lane) each = number;
  }

  Pack& operator+=(const Pack& b) { return *this = *this + b; }
  Pack& operator-=(const Pack& b) { return *this = *this - b; }
  Pack& operator*=(const Pack& b) { return *this = *this * b; }
  Pack& operator/=(const Pack& b) { return *this = *this / b; }
  friend Pack operator+(const Pack& a) { return a; }
  friend Pack operator-(Pack a) {
    for (double& each : a.lane) each = -each;
    return a;
  }
  friend Pack operator+(Pack a, const Pack& b) {
    for (int i = 0; i < n; ++i) a.lane[i] += b.lane[i];
    return a;
  }
  friend Pack operator-(Pack a, const Pack& b) {
    for (int i = 0; i < n; ++i) a.lane[i] -= b.lane[i];
    return a;
  }
  friend Pack operator*(Pack a, const Pack& b) {
    for (int i = 0; i < n; ++i) a.lane[i] *= b.lane[i];
    return a;
  }
  friend Pack operator/(Pack a, const Pack& b) {
    for (int i = 0; i < n; ++i) a.lane[i] /= b.lane[i];
    return a;
  }

  friend Mask<n> operator<(const Pack& a, const Pack& b) {
    Mask<n> out;
    for (int i = 0; i < n; ++i) out.lane[i] = a.lane[i] < b.lane[i];
    return out;
  }
  friend Mask<n> operator<=(const Pack& a, const Pack& b) {
    Mask<n> out;
    for (int i = 0; i < n; ++i) out.lane[i] = a.lane[i] <= b.lane[i];
    return out;
  }
  friend Mask<n> operator==(const Pack& a, const Pack& b) {
    Mask<n> out;
    for (int i = 0; i < n; ++i) out.lane[i] = a.lane[i] == b.lane[i];
    return out;
  }
  friend Mask<n> operator>(const Pack& a, const Pack& b) { return b < a; }
  friend Mask<n> operator>=(const Pack& a, const Pack& b) { return b <= a; }
};

template <int n> Pack<n> select(const Mask<n>& condition, Pack<n> yes, const Pack<n>& no) {
  for (int i = 0; i < n; ++i)
    if (!condition.lane[i]) yes.lane[i] = no.lane[i];
  return yes;
}

namespace packs {
template <int n, class F> Pack<n> each(Pack<n> x, F&& f) {
  for (double& lane : x.lane) lane = f(lane);
  return x;
}
}  // namespace packs
template <int n> Pack<n> sqrt(const Pack<n>& x) {
  return packs::each(x, [](double a) { return std::sqrt(a); });
}
template <int n> Pack<n> sin(const Pack<n>& x) {
  return packs::each(x, [](double a) { return sin(a); });
}
template <int n> Pack<n> cos(const Pack<n>& x) {
  return packs::each(x, [](double a) { return cos(a); });
}
template <int n> Pack<n> abs(const Pack<n>& x) {
  return packs::each(x, [](double a) { return std::abs(a); });
}
template <int n> Pack<n> round(const Pack<n>& x) {
  return packs::each(x, [](double a) { return std::round(a); });
}
template <int n> Pack<n> abs2(const Pack<n>& x) { return x * x; }

// How many worlds a scalar holds, and its number in one of them.
template <class S> inline constexpr int worlds_of = 1;
template <int n> inline constexpr int worlds_of<Pack<n>> = n;
inline double of_world(double x, int) { return x; }
template <class T> double of_world(const Dual<T>& x, int) { return value_of(x); }
template <int n> double of_world(const Pack<n>& x, int w) { return x.lane[w]; }
template <int n> void put_world(Pack<n>& x, int w, double number) { x.lane[w] = number; }

}  // namespace tandem

namespace Eigen {
template <int n> struct NumTraits<tandem::Pack<n>> : NumTraits<double> {
  using Real = tandem::Pack<n>;
  using NonInteger = tandem::Pack<n>;
  using Nested = tandem::Pack<n>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = n,
    AddCost = n,
    MulCost = n
  };
};
template <int n, class BinaryOp> struct ScalarBinaryOpTraits<tandem::Pack<n>, double, BinaryOp> {
  using ReturnType = tandem::Pack<n>;
};
template <int n, class BinaryOp> struct ScalarBinaryOpTraits<double, tandem::Pack<n>, BinaryOp> {
  using ReturnType = tandem::Pack<n>;
};
}  // namespace Eigen
