// Comparing and seeding matrices of any scalar, and reproducible random ones.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <type_traits>

#include "tandem/base/type_list.hpp"
#include "tandem/math/rotation.hpp"

namespace tandem::test {

using D = Dual<double>;

// Laws that hold but for round-off, and on how many random states each is tried.
inline constexpr double law_tolerance = 1e-12;
inline constexpr int law_repeats = 8;

// |a − b| ≤ tolerance (1 + |b|) at every level of a scalar. Written so that NaN is never close to anything.
inline bool close(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance * (1.0 + std::abs(b)); }
template <class T> bool close(const Dual<T>& a, const Dual<T>& b, double tolerance) {
  return close(a.value, b.value, tolerance) && close(a.derivative, b.derivative, tolerance);
}

inline std::string text_of(double x) { return std::to_string(x); }
template <class T> std::string text_of(const Dual<T>& x) {
  return "(" + text_of(x.value) + " ; " + text_of(x.derivative) + ")";
}

// EXPECT_TRUE(near(a, b, 1e-12)): matrices or scalars, double or dual.
template <class A, class B>
testing::AssertionResult near(const Eigen::MatrixBase<A>& a_in, const Eigen::MatrixBase<B>& b_in, double tolerance) {
  const auto a = a_in.eval();
  const auto b = b_in.eval();
  if (a.rows() != b.rows() || a.cols() != b.cols())
    return testing::AssertionFailure() << "sizes differ: " << a.rows() << "x" << a.cols() << " and " << b.rows() << "x"
                                       << b.cols();
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      if (!close(a(i, j), b(i, j), tolerance))
        return testing::AssertionFailure() << "(" << i << ", " << j << "): " << text_of(a(i, j)) << " is not "
                                           << text_of(b(i, j)) << "; off by " << value_of(a(i, j) - b(i, j));
  return testing::AssertionSuccess();
}
template <class S>
requires(!requires { typename S::PlainObject; }) testing::AssertionResult
    near(const S& a, const std::type_identity_t<S>& b, double tolerance) {
  if (close(a, b, tolerance)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << text_of(a) << " is not " << text_of(b);
}
template <class A> testing::AssertionResult near_zero(const Eigen::MatrixBase<A>& a, double tolerance) {
  return near(a, A::PlainObject::Zero(a.rows(), a.cols()), tolerance);
}

// A matrix of duals from values and derivatives, and back.
template <class A, class B> auto seed(const Eigen::MatrixBase<A>& value_in, const Eigen::MatrixBase<B>& derivative_in) {
  using S = typename A::Scalar;
  const auto value = value_in.eval();
  const auto derivative = derivative_in.eval();
  Eigen::Matrix<Dual<S>, A::RowsAtCompileTime, A::ColsAtCompileTime, 0, A::MaxRowsAtCompileTime,
                A::MaxColsAtCompileTime>
      out(value.rows(), value.cols());
  for (Eigen::Index i = 0; i < value.rows(); ++i)
    for (Eigen::Index j = 0; j < value.cols(); ++j) out(i, j) = Dual<S>(value(i, j), derivative(i, j));
  return out;
}
template <class A> auto held(const Eigen::MatrixBase<A>& value) {
  return seed(value, A::PlainObject::Zero(value.rows(), value.cols()));
}

template <class S> struct Inner;
template <class T> struct Inner<Dual<T>> { using type = T; };

template <class A> auto values(const Eigen::MatrixBase<A>& a) {
  using T = typename Inner<typename A::Scalar>::type;
  return a.unaryExpr([](const Dual<T>& x) { return x.value; }).eval();
}
template <class A> auto derivatives(const Eigen::MatrixBase<A>& a) {
  using T = typename Inner<typename A::Scalar>::type;
  return a.unaryExpr([](const Dual<T>& x) { return x.derivative; }).eval();
}

template <class S> Vec3<S> vee(const Mat3<S>& m) {
  return {0.5 * (m(2, 1) - m(1, 2)), 0.5 * (m(0, 2) - m(2, 0)), 0.5 * (m(1, 0) - m(0, 1))};
}

// Reproducible. Duals get a random derivative as well, so that a law tested on them is tested at both levels.
class Random {
 public:
  explicit Random(unsigned seed_number) : engine_(seed_number) {}

  double number(double low, double high) {
    // Not std::uniform_real_distribution: its numbers may differ between libraries.
    return low + (high - low) * (static_cast<double>(engine_()) / 4294967296.0);
  }
  template <class S> S scalar(double low = -1.0, double high = 1.0) {
    if constexpr (std::is_same_v<S, double>) {
      return number(low, high);
    } else {
      using T = typename Inner<S>::type;
      const T value = scalar<T>(low, high);
      return S(value, scalar<T>(-1.0, 1.0));
    }
  }
  template <class V> V vector(Eigen::Index size = V::RowsAtCompileTime, double low = -1.0, double high = 1.0) {
    V x(size);
    for (Eigen::Index i = 0; i < size; ++i) x[i] = scalar<typename V::Scalar>(low, high);
    return x;
  }
  Eigen::MatrixXd matrix(Eigen::Index rows, Eigen::Index columns) {
    return vector<Eigen::VectorXd>(rows * columns).reshaped(rows, columns);
  }
  template <class S> Vec3<S> vec3(double size = 1.0) { return vector<Vec3<S>>(3, -size, size); }
  template <class S> Mat3<S> rotation(double size = 1.5) { return rotation_exp<S>(vec3<S>(size)); }
  template <class S> Vec4<S> quaternion() {
    Vec4<S> q = vector<Vec4<S>>();
    q[3] += 0.3;
    return quaternion_normalized<S>(q);
  }

 private:
  std::mt19937 engine_;
};

// testing::Types made from a TypeList, alone or with each scalar.
template <class T, class S> struct Case {
  using Type = T;
  using Scalar = S;
};
template <class List> struct Types;
template <class... T> struct Types<TypeList<T...>> {
  using Each = testing::Types<T...>;
  using WithScalars = testing::Types<Case<T, double>..., Case<T, D>...>;
};

struct CaseName {
  template <class T> static std::string GetName(int) {  // NOLINT: the name that GoogleTest asks for
    if constexpr (requires { typename T::Scalar; })
      return std::string(T::Type::type) + (std::is_same_v<typename T::Scalar, double> ? "_double" : "_dual");
    else
      return std::string(T::type);
  }
};

}  // namespace tandem::test
