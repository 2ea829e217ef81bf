#include "tandem/integrate/locate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tandem {

static constexpr double smallest_part = 1e-14;  // of a time: moments less apart are one

static double resolution(double t) { return smallest_part * std::max(1e-300, std::abs(t)); }

Moment find_largest(const OfMoment& of, Moment from, Moment to) {  // (3)
  const double golden = 0.5 * (3.0 - std::sqrt(5.0));
  double a = from.t, b = to.t;
  Moment best = from.value >= to.value ? from : to;
  Moment x{a + golden * (b - a), 0.0};
  x.value = of(x.t);
  Moment second = x, third = x;
  double step = 0.0, before = 0.0;
  for (int i = 0; i < 60; ++i) {
    if (x.value > best.value) best = x;
    if (best.value > 0.0) return best;
    const double middle = 0.5 * (a + b);
    // The top of a parabola is known to the root of round-off.
    const double near = 1e-9 * (to.t - from.t) + resolution(x.t);
    if (std::abs(x.t - middle) <= 2.0 * near - 0.5 * (b - a)) break;
    double next = std::numeric_limits<double>::quiet_NaN();
    if (std::abs(before) > near) {
      const double r = (x.t - second.t) * (third.value - x.value), q = (x.t - third.t) * (second.value - x.value);
      const double top = x.t - ((x.t - third.t) * q - (x.t - second.t) * r) / (2.0 * (q - r));
      if (top > a + near && top < b - near && std::abs(top - x.t) < 0.5 * std::abs(before)) next = top;
    }
    before = step;
    if (std::isnan(next)) {
      before = x.t < middle ? b - x.t : a - x.t;
      next = x.t + golden * before;
    }
    step = next - x.t;
    if (std::abs(step) < near) next = x.t + std::copysign(near, step);
    const Moment u{next, of(next)};
    if (u.value >= x.value) {
      (u.t >= x.t ? a : b) = x.t;
      third = second;
      second = x;
      x = u;
    } else {
      (u.t < x.t ? a : b) = u.t;
      if (u.value >= second.value || second.t == x.t) {
        third = second;
        second = u;
      } else if (u.value >= third.value || third.t == x.t || third.t == second.t) {
        third = u;
      }
    }
  }
  return x.value > best.value ? x : best;
}

Moment find_moment(const OfMoment& of, Rise rise) {  // (4)
  Moment low = rise.below, high = rise.above;
  double low_weight = low.value, high_weight = high.value;
  int side = 0;
  for (int i = 0; i < 100 && high.t - low.t > resolution(high.t); ++i) {
    double t = low_weight < 0.0 ? low.t + (high.t - low.t) * (-low_weight / (high_weight - low_weight))
                                : 0.5 * (low.t + high.t);
    if (!(t > low.t && t < high.t) || i % 8 == 7) t = 0.5 * (low.t + high.t);
    if (!(t > low.t && t < high.t)) break;
    const Moment middle{t, of(t)};
    if (middle.value > 0.0) {
      high = middle;
      high_weight = middle.value;
      if (side == 1) low_weight *= 0.5;
      side = 1;
    } else {
      low = middle;
      low_weight = middle.value;
      if (side == -1) high_weight *= 0.5;
      side = -1;
    }
  }
  return high;
}

static double reach(double from, double to, double slope) { return 0.5 * (from + to + slope); }  // (2)

bool may_rise(double before, double from, double to) {
  return !(reach(from, to, std::max(std::abs(from - before), std::abs(to - from))) <= 0.0);
}

std::optional<Rise> first_rise(const OfMoment& of, Moment from, Moment to, int parts) {
  std::vector<Moment> at{from};
  for (int i = 1; i < parts; ++i) {
    const double t = from.t + (to.t - from.t) * i / parts;
    at.push_back({t, of(t)});
  }
  at.push_back(to);
  const auto change = [&](std::size_t i) { return std::abs(at[i + 1].value - at[i].value); };
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    if (at[i].value > 0.0) continue;
    if (at[i + 1].value > 0.0) return Rise{at[i], at[i + 1]};  // (1)
    double slope = change(i);
    if (i > 0) slope = std::max(slope, change(i - 1));
    if (i + 2 < at.size()) slope = std::max(slope, change(i + 1));
    if (reach(at[i].value, at[i + 1].value, slope) <= 0.0) continue;
    const Moment top = find_largest(of, at[i], at[i + 1]);
    if (top.value > 0.0) return Rise{at[i], top};
  }
  return std::nullopt;
}

}  // namespace tandem
