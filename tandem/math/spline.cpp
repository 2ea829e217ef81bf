#include "tandem/math/spline.hpp"

#include <Eigen/LU>

#include "tandem/math/types.hpp"

namespace tandem {

CubicSpline::CubicSpline(std::vector<Real> x, const std::vector<Real>& y, SplineEnds ends)
    : x_(std::move(x)), periodic_(ends == SplineEnds::periodic) {
  const auto n = static_cast<Eigen::Index>(x_.size()) - 1;  // pieces
  const auto at = [](const std::vector<Real>& v, Eigen::Index i) { return v[static_cast<std::size_t>(i)]; };
  const auto h = [&](Eigen::Index i) { return at(x_, i + 1) - at(x_, i); };
  const auto slope = [&](Eigen::Index i) { return (at(y, i + 1) - at(y, i)) / h(i); };

  // Unknown: the second derivative m_i at each point; continuity of the slope gives one equation a point.
  MatX<Real> system = MatX<Real>::Zero(n + 1, n + 1);
  VecX<Real> right = VecX<Real>::Zero(n + 1);
  for (Eigen::Index i = 1; i < n; ++i) {
    system(i, i - 1) = h(i - 1);
    system(i, i) = 2.0 * (h(i - 1) + h(i));
    system(i, i + 1) = h(i);
    right[i] = 6.0 * (slope(i) - slope(i - 1));
  }
  if (periodic_) {
    system(0, 0) = 1.0;
    system(0, n) = -1.0;
    system(n, 0) = 2.0 * h(0);
    system(n, 1) += h(0);
    system(n, n - 1) += h(n - 1);
    system(n, n) += 2.0 * h(n - 1);
    right[n] = 6.0 * (slope(0) - slope(n - 1));
  } else {
    system(0, 0) = 1.0;
    system(n, n) = 1.0;
  }
  const VecX<Real> m = system.partialPivLu().solve(right);
  for (Eigen::Index i = 0; i < n; ++i) {
    a_.push_back(at(y, i));
    b_.push_back(slope(i) - h(i) * (2.0 * m[i] + m[i + 1]) / 6.0);
    c_.push_back(0.5 * m[i]);
    d_.push_back((m[i + 1] - m[i]) / (6.0 * h(i)));
  }
  end_value_ = y.back();
  end_slope_ = b_.back() + h(n - 1) * (2.0 * c_.back() + 3.0 * h(n - 1) * d_.back());
}

}  // namespace tandem
