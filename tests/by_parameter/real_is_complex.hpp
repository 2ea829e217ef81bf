// The numbers of a model as complex ones, for derivatives by complex-step: f′ = Im f(x + i h x′)/h with a step so small
// that nothing is rounded. It shares no rule of differentiation with the duals that it checks. Analytic functions are
// those of the C library; comparisons look at the real part; what is not analytic is continued along the real axis.
#pragma once

#include <complex>

#include "tandem/base/dual.hpp"

namespace tandem {

struct Complex {
  static constexpr double step = 1e-40;
  std::complex<double> z{};

  Complex() = default;
  Complex(double number) : z(number) {}  // NOLINT: a number is one without derivative
  Complex(double value, double derivative) : z(value, step * derivative) {}
  explicit Complex(const std::complex<double>& z_) : z(z_) {}

  Complex& operator+=(const Complex& b) { return *this = *this + b; }
  Complex& operator-=(const Complex& b) { return *this = *this - b; }
  Complex& operator*=(const Complex& b) { return *this = *this * b; }
  Complex& operator/=(const Complex& b) { return *this = *this / b; }
  friend Complex operator+(const Complex& a) { return a; }
  friend Complex operator-(const Complex& a) { return Complex(-a.z); }
  friend Complex operator+(const Complex& a, const Complex& b) { return Complex(a.z + b.z); }
  friend Complex operator-(const Complex& a, const Complex& b) { return Complex(a.z - b.z); }
  friend Complex operator*(const Complex& a, const Complex& b) { return Complex(a.z * b.z); }
  friend Complex operator/(const Complex& a, const Complex& b) { return Complex(a.z / b.z); }
  friend bool operator==(const Complex& a, const Complex& b) { return a.z.real() == b.z.real(); }
  friend bool operator!=(const Complex& a, const Complex& b) { return !(a == b); }
  friend bool operator<(const Complex& a, const Complex& b) { return a.z.real() < b.z.real(); }
  friend bool operator>(const Complex& a, const Complex& b) { return b < a; }
  friend bool operator<=(const Complex& a, const Complex& b) { return a.z.real() <= b.z.real(); }
  friend bool operator>=(const Complex& a, const Complex& b) { return b <= a; }
};

template <> inline constexpr bool carries_derivative<Complex> = true;

inline double value_of(const Complex& x) { return x.z.real(); }
inline double derivative_of(const Complex& x) { return x.z.imag() / Complex::step; }
inline bool is_constant(const Complex& x) { return x.z.imag() == 0.0; }

inline Complex sqrt(const Complex& x) { return Complex(std::sqrt(x.z)); }
inline Complex sin(const Complex& x) { return Complex(std::sin(x.z)); }
inline Complex cos(const Complex& x) { return Complex(std::cos(x.z)); }
inline Complex tan(const Complex& x) { return Complex(std::tan(x.z)); }
inline Complex asin(const Complex& x) { return Complex(std::asin(x.z)); }
inline Complex acos(const Complex& x) { return Complex(std::acos(x.z)); }
inline Complex atan(const Complex& x) { return Complex(std::atan(x.z)); }
inline Complex exp(const Complex& x) { return Complex(std::exp(x.z)); }
inline Complex log(const Complex& x) { return Complex(std::log(x.z)); }
inline Complex pow(const Complex& x, const Complex& y) { return Complex(std::pow(x.z, y.z)); }
// The arc tangent of a ratio of at most about one, and the quarter turns that it leaves out.
inline Complex atan2(const Complex& y, const Complex& x) {
  const double whole = std::atan2(y.z.real(), x.z.real());
  const bool steep = std::abs(y.z.real()) > std::abs(x.z.real());
  const Complex part = steep ? -atan(x / y) : atan(y / x);
  const double quarter = std::acos(0.0);
  return part + quarter * std::round((whole - value_of(part)) / quarter);
}
inline Complex abs(const Complex& x) { return x.z.real() < 0.0 ? -x : x; }
inline Complex abs2(const Complex& x) { return x * x; }
inline Complex min(const Complex& a, const Complex& b) { return b < a ? b : a; }
inline Complex max(const Complex& a, const Complex& b) { return a < b ? b : a; }
inline Complex round(const Complex& x) { return std::round(x.z.real()); }
inline bool isfinite(const Complex& x) { return std::isfinite(x.z.real()) && std::isfinite(x.z.imag()); }
inline Complex select(bool condition, const Complex& yes, const Complex& no) { return condition ? yes : no; }

using Real = Complex;
using Tangential = Complex;

template <class... S> struct Scalars {};
using KernelScalars = Scalars<Complex>;

}  // namespace tandem

#define TANDEM_INSTANTIATE_FOR_SCALARS(MACRO) MACRO(::tandem::Complex)

namespace Eigen {
template <> struct NumTraits<tandem::Complex> : NumTraits<double> {
  using Real = tandem::Complex;
  using NonInteger = tandem::Complex;
  using Nested = tandem::Complex;
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
template <class BinaryOp> struct ScalarBinaryOpTraits<tandem::Complex, double, BinaryOp> {
  using ReturnType = tandem::Complex;
};
template <class BinaryOp> struct ScalarBinaryOpTraits<double, tandem::Complex, BinaryOp> {
  using ReturnType = tandem::Complex;
};
}  // namespace Eigen
