// Names for the small fixed-size vectors and matrices used everywhere.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "tandem/base/scalar.hpp"

namespace tandem {

template <class S> using Vec3 = Eigen::Matrix<S, 3, 1>;
template <class S> using Vec4 = Eigen::Matrix<S, 4, 1>;
template <class S> using Vec6 = Eigen::Matrix<S, 6, 1>;
template <class S> using Mat3 = Eigen::Matrix<S, 3, 3>;
template <class S> using Mat6 = Eigen::Matrix<S, 6, 6>;
template <class S> using VecX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S> using MatX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

// A vector, or a part of one, that a function looks at, or writes where it stands; its size is that which it has.
template <class S> using VecIn = const Eigen::Ref<const VecX<S>>&;
template <class S> using VecOut = Eigen::Ref<VecX<S>>;

// Sizes known at most: no heap. A joint has up to 7 coordinates, 6 speeds and 6 rows.
template <class S> using VecUpTo6 = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, 6, 1>;
template <class S> using VecUpTo7 = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, 7, 1>;
template <class S> using Mat6UpTo6 = Eigen::Matrix<S, 6, Eigen::Dynamic, 0, 6, 6>;

using Vector3 = Vec3<Real>;
using Matrix3 = Mat3<Real>;

// sk(a) b = a × b
template <class S> Mat3<S> sk(const Vec3<S>& a) {
  Mat3<S> m;
  m << S(0.0), -a.z(), a.y(), a.z(), S(0.0), -a.x(), -a.y(), a.x(), S(0.0);
  return m;
}

template <class S> S norm(const Vec3<S>& a) {
  using std::sqrt;
  return sqrt(S(a.dot(a)));
}

// The doubles at the bottom of a vector or matrix: what a test looks at, never what goes on into a formula.
template <class Derived> auto values_of(const Eigen::MatrixBase<Derived>& m) {
  return m.unaryExpr([](const typename Derived::Scalar& x) { return value_of(x); }).eval();
}

// Constants of a model are Reals; a kernel lifts them to its scalar.
template <class S, class Derived> auto lift(const Eigen::MatrixBase<Derived>& m) { return m.template cast<S>().eval(); }

}  // namespace tandem
