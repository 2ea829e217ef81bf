// Piecewise cubics through given points: splines, twice continuously differentiable, with natural or periodic ends; or
// monotone where the points are, and once continuously differentiable.
//
//   (1)  on [x_i, x_i+1], u = x − x_i:  f = a_i + b_i u + c_i u² + d_i u³
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "tandem/base/time_function.hpp"

namespace tandem {

enum class SplineEnds { natural, periodic };

class CubicSpline {
 public:
  CubicSpline() = default;
  // `x` strictly increasing, at least 2 (natural) or 3 (periodic, first and last y equal) points.
  CubicSpline(std::vector<Real> x, const std::vector<Real>& y, SplineEnds ends);
  // Never beyond the two points of a piece, and level where they are.
  static CubicSpline monotone(std::vector<Real> x, const std::vector<Real>& y);

  Real first() const { return x_.front(); }
  Real last() const { return x_.back(); }
  const std::vector<Real>& knots() const { return x_; }
  // The lowest and highest value on piece i, ends included.
  std::pair<double, double> range(std::size_t i) const;

  // Value and derivatives; beyond the ends, unless it is periodic, the end pieces go on as straight lines.
  template <class S> Jet<S> jet(const S& at) const {
    const Real span = last() - first();
    S s = at;
    if (periodic_) s = at - span * std::floor((value_of(at) - value_of(first())) / value_of(span));
    const double where = value_of(s);
    // A periodic spline has no beyond: rounding may still leave `where` an ulp outside its ends.
    if (!periodic_ && where < first()) return {a_[0] + b_[0] * (s - first()), S(b_[0]), S(0.0)};
    if (!periodic_ && where > last()) return {end_value_ + end_slope_ * (s - last()), S(end_slope_), S(0.0)};
    const auto next = std::upper_bound(x_.begin(), x_.end() - 1, where);
    const auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(next - x_.begin() - 1, 0));
    const S u = s - x_[i];
    return {a_[i] + u * (b_[i] + u * (c_[i] + u * d_[i])), b_[i] + u * (2.0 * c_[i] + 3.0 * u * d_[i]),
            2.0 * c_[i] + 6.0 * u * d_[i]};  // (1)
  }

 private:
  std::vector<Real> x_, a_, b_, c_, d_;
  Real end_value_ = 0.0, end_slope_ = 0.0;
  bool periodic_ = false;
};

}  // namespace tandem
