// The second derivatives m_i of a cubic spline: the slope is continuous at every point between the ends.
//
//   (1)  h_i−1 m_i−1 + 2 (h_i−1 + h_i) m_i + h_i m_i+1 = 6 (s_i − s_i−1),   h_i = x_i+1 − x_i,  s_i = (y_i+1 − y_i) /
//   h_i (2)  natural:   m_0 = m_n = 0 (3)  periodic:  m_0 = m_n, and (1) once more across the end:
//        h_n−1 m_n−1 + 2 (h_n−1 + h_0) m_0 + h_0 m_1 = 6 (s_0 − s_n−1)
// Given m_0 = m_n, (1) has three diagonals, and its solution is m = p + m_0 w. Its diagonal is twice the sum of what
// stands beside it, so elimination needs no pivots. Time and memory are linear in the points.
// Source: de Boor, A Practical Guide to Splines, chapter IV.
#include "tandem/math/spline.hpp"

namespace tandem {

CubicSpline::CubicSpline(std::vector<Real> x, const std::vector<Real>& y, SplineEnds ends)
    : x_(std::move(x)), periodic_(ends == SplineEnds::periodic) {
  const std::size_t n = x_.size() - 1;  // pieces
  const auto h = [&](std::size_t i) { return x_[i + 1] - x_[i]; };
  const auto slope = [&](std::size_t i) { return (y[i + 1] - y[i]) / h(i); };

  std::vector<Real> p(n + 1, Real(0.0)), w(n + 1, Real(0.0)), pivot(n + 1, Real(1.0));  // (2): the ends of p are 0
  w[0] = w[n] = 1.0;
  for (std::size_t i = 1; i < n; ++i) {  // (1), what stands below the diagonal eliminated
    const Real factor = i == 1 ? Real(0.0) : h(i - 1) / pivot[i - 1];
    pivot[i] = 2.0 * (h(i - 1) + h(i)) - factor * h(i - 1);
    p[i] = 6.0 * (slope(i) - slope(i - 1)) - factor * p[i - 1];
    w[i] = i == 1 ? -h(0) : -factor * w[i - 1];
  }
  for (std::size_t i = n - 1; i > 0; --i) {
    p[i] = (p[i] - h(i) * p[i + 1]) / pivot[i];
    w[i] = (w[i] - h(i) * w[i + 1]) / pivot[i];
  }
  Real m_0 = 0.0;
  if (periodic_)
    m_0 = (6.0 * (slope(0) - slope(n - 1)) - h(n - 1) * p[n - 1] - h(0) * p[1]) /
          (2.0 * (h(n - 1) + h(0)) + h(n - 1) * w[n - 1] + h(0) * w[1]);  // (3)
  const auto m = [&](std::size_t i) { return p[i] + m_0 * w[i]; };

  for (std::vector<Real>* coefficients : {&a_, &b_, &c_, &d_}) coefficients->reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    a_.push_back(y[i]);
    b_.push_back(slope(i) - h(i) * (2.0 * m(i) + m(i + 1)) / 6.0);
    c_.push_back(0.5 * m(i));
    d_.push_back((m(i + 1) - m(i)) / (6.0 * h(i)));
  }
  end_value_ = y.back();
  end_slope_ = b_.back() + h(n - 1) * (2.0 * c_.back() + 3.0 * h(n - 1) * d_.back());
}

}  // namespace tandem
