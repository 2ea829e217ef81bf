// The second derivatives m_i of a cubic spline: the slope is continuous at every point between the ends.
//
//   (1)  h_i−1 m_i−1 + 2 (h_i−1 + h_i) m_i + h_i m_i+1 = 6 (s_i − s_i−1),   h_i = x_i+1 − x_i
//        with slopes s_i = (y_i+1 − y_i) / h_i
//   (2)  natural:   m_0 = m_n = 0
//   (3)  periodic:  m_0 = m_n, and (1) once more across the end:
//        h_n−1 m_n−1 + 2 (h_n−1 + h_0) m_0 + h_0 m_1 = 6 (s_0 − s_n−1)
// Given m_0 = m_n, (1) has three diagonals, and its solution is m = p + m_0 w. Its diagonal is twice the sum of what
// stands beside it, so elimination needs no pivots. Time and memory are linear in the points.
// Source: de Boor, A Practical Guide to Splines, chapter IV.
//
// Monotone: the slopes are those of parabolas through three points, cut down so that every piece is monotone.
//
//   (4)  p_i = (s_i−1 h_i + s_i h_i−1) / (h_i−1 + h_i)
//   (5)  b_i = 0 where s_i−1 s_i ≤ 0, else the smallest in size of p_i, 2 s_i−1 and 2 s_i
//   (6)  ends:  p_0 = s_0 (1 + h_0/(h_0 + h_1)) − s_1 h_0/(h_0 + h_1), 0 where p_0 s_0 ≤ 0, at most 2 s_0 in size
//   (7)  c_i = (3 s_i − 2 b_i − b_i+1)/h_i,   d_i = (b_i + b_i+1 − 2 s_i)/h_i²
// Source: Steffen, A simple method for monotonic interpolation in one dimension, Astron. Astrophys. 239 (1990) 443.
#include "tandem/math/spline.hpp"

#include <cmath>

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

namespace {

Real smaller(const Real& a, const Real& b) { return std::abs(value_of(a)) <= std::abs(value_of(b)) ? a : b; }

Real end_slope(const Real& s, const Real& next, const Real& h, const Real& next_h) {  // (6)
  const Real p = s + (s - next) * h / (h + next_h);
  return value_of(p) * value_of(s) <= 0.0 ? Real(0.0) : smaller(p, 2.0 * s);
}

}  // namespace

CubicSpline CubicSpline::monotone(std::vector<Real> x, const std::vector<Real>& y) {
  CubicSpline out;
  const std::size_t n = x.size() - 1;
  std::vector<Real> h(n), s(n), b(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    h[i] = x[i + 1] - x[i];
    s[i] = (y[i + 1] - y[i]) / h[i];
  }
  b[0] = n == 1 ? s[0] : end_slope(s[0], s[1], h[0], h[1]);
  b[n] = n == 1 ? s[0] : end_slope(s[n - 1], s[n - 2], h[n - 1], h[n - 2]);
  for (std::size_t i = 1; i < n; ++i) {
    if (value_of(s[i - 1]) * value_of(s[i]) <= 0.0) continue;
    const Real p = (s[i - 1] * h[i] + s[i] * h[i - 1]) / (h[i - 1] + h[i]);  // (4)
    b[i] = smaller(p, smaller(2.0 * s[i - 1], 2.0 * s[i]));                  // (5)
  }
  for (std::size_t i = 0; i < n; ++i) {  // (7)
    out.a_.push_back(y[i]);
    out.b_.push_back(b[i]);
    out.c_.push_back((3.0 * s[i] - 2.0 * b[i] - b[i + 1]) / h[i]);
    out.d_.push_back((b[i] + b[i + 1] - 2.0 * s[i]) / (h[i] * h[i]));
  }
  out.end_value_ = y.back();
  out.end_slope_ = b[n];
  out.x_ = std::move(x);
  return out;
}

std::pair<double, double> CubicSpline::range(std::size_t i) const {
  const double a = value_of(a_[i]), b = value_of(b_[i]), c = value_of(c_[i]), d = value_of(d_[i]);
  const double h = value_of(x_[i + 1] - x_[i]);
  const double end = i + 1 < a_.size() ? value_of(a_[i + 1]) : value_of(end_value_);
  std::pair<double, double> out = std::minmax(a, end);
  const double root = c * c - 3.0 * b * d;  // of b + 2 c u + 3 d u² = 0
  if (!(root >= 0.0)) return out;
  const double q = -(c + std::copysign(std::sqrt(root), c));  // the two roots without cancellation: q/(3 d) and b/q
  for (const double u : {q / (3.0 * d), b / q}) {
    if (!(u > 0.0 && u < h)) continue;
    const double value = a + u * (b + u * (c + u * d));
    out = {std::min(out.first, value), std::max(out.second, value)};
  }
  return out;
}

}  // namespace tandem
