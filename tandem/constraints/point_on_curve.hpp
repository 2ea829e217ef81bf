// Point on curve: M's origin stays on a smooth curve C(s) fixed in F, a cubic spline through given points.
//
// s*(p) is the parameter of the nearest point, (p − C(s))·C′(s) = 0; N two directions across the curve there.
//
//   (1)  φ = Nᵀ (p − C(s*))
//   (2)  φ̇ = Nᵀ v                       on the curve, where p = C(s*)
//   (3)  φ̈ = Nᵀ v̇ − Nᵀ C″ ṡ²,   ṡ = C′·v/|C′|²
#pragma once

#include <optional>

#include "tandem/constraints/constraint.hpp"
#include "tandem/math/spline.hpp"

namespace tandem {

struct PointOnCurve {
  static constexpr std::string_view type = "point_on_curve";
  static constexpr int holonomic = 2, nonholonomic = 0;
  static constexpr Placement placement = Placement::points;
  static constexpr std::array<std::string_view, 2> row_names{"across 1", "across 2"};

  std::vector<Vector3> curve{};  // the points it goes through, in the axes of F from F's origin
  bool closed = false;
  std::array<CubicSpline, 3> spline{};  // made by through()

  static PointOnCurve read(Properties& properties);
  static PointOnCurve through(std::vector<Vector3> points, bool closed);
  void check(Faults& faults) const;

  double nearest(const Vec3<double>& p) const;  // s*, searched over the whole curve, then Newton
  // Beyond the end of an open curve there is none: rows() go on along a straight line, so that a step can be tried.
  std::string trouble(const Relative<Real>& x) const;

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    // A Newton step in the kernel's scalar from the converged double carries its derivative, by the state and by the
    // points of the curve; the second step is for nested duals, whose mixed derivative is of second order.
    S s = S(nearest(values_of(x.p)));
    Vec3<S> c, c1, c2;
    evaluate(s, c, c1, c2);
    for (int step = 0; step < 2; ++step) {
      s -= (c - x.p).dot(c1) / (c1.dot(c1) + (c - x.p).dot(c2));
      evaluate(s, c, c1, c2);
    }

    Eigen::Index least = 0;
    c1.unaryExpr([](const S& y) { return std::abs(value_of(y)); }).minCoeff(&least);
    const Vec3<S> first = c1.cross(Vec3<S>(Vec3<S>::Unit(least)));
    const Vec3<S> second = c1.cross(first);
    const S s_dot = c1.dot(x.v) / c1.dot(c1);
    const Vec3<S> across[2] = {first / norm<S>(first), second / norm<S>(second)};
    for (int row = 0; row < 2; ++row) {
      rows.phi[row] = across[row].dot(x.p - c);               // (1)
      rows.T.col(row).template tail<3>() = across[row];       // (2)
      rows.bias[row] = -across[row].dot(c2) * s_dot * s_dot;  // (3)
    }
  }
  template <class S> Vec3<S> reaction_point(const Relative<S>& x) const { return x.p; }

 private:
  template <class S> void evaluate(const S& s, Vec3<S>& c, Vec3<S>& c1, Vec3<S>& c2) const {
    for (std::size_t i = 0; i < 3; ++i) {
      const Jet<S> jet = spline[i].template jet<S>(s);
      const auto k = static_cast<Eigen::Index>(i);
      c[k] = jet.value;
      c1[k] = jet.rate;
      c2[k] = jet.acceleration;
    }
  }
};

}  // namespace tandem
