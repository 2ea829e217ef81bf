#include "tandem/io/plots/sweep_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tandem::sweep_picture {

double largest_at(const SweepPlot& plot, std::size_t i) {
  double largest = 0.0;
  for (const auto& mode : plot.modes) {
    if (exists(mode.values[i])) largest = std::max(largest, std::abs(mode.values[i]));
  }
  return largest;
}

// ---- pairs ----

static bool conjugate(std::complex<double> a, std::complex<double> b, double tolerance) {
  return exists(a) && exists(b) && a.imag() != 0.0 && std::abs(a - std::conj(b)) <= tolerance;
}

std::vector<std::size_t> sweep_partners(const SweepPlot& plot) {
  const std::size_t count = plot.modes.size();
  std::vector<std::size_t> best(count);
  for (std::size_t m = 0; m < count; ++m) {
    best[m] = m;
    int most = 0;
    for (std::size_t j = 0; j < count; ++j) {
      int times = 0;
      for (std::size_t i = 0; i < plot.x.size() && j != m; ++i) {
        const auto a = plot.modes[m].values[i], b = plot.modes[j].values[i];
        times += conjugate(a, b, sweep_rounding * std::abs(a)) ? 1 : 0;
      }
      if (times > most) most = times, best[m] = j;
    }
  }
  for (std::size_t m = 0; m < count; ++m) {
    if (best[best[m]] != m) best[m] = m;
  }
  return best;
}

void order_pairs(SweepPlot& plot) {
  const auto partner = sweep_partners(plot);
  for (std::size_t m = 0; m < plot.modes.size(); ++m) {
    for (std::size_t i = 0; i < plot.x.size() && partner[m] > m; ++i) {
      auto &first = plot.modes[m].values[i], &second = plot.modes[partner[m]].values[i];
      if (first.imag() < 0.0 && conjugate(first, second, sweep_rounding * std::abs(first))) std::swap(first, second);
    }
  }
}

// ---- where pairs begin and end ----

// A place between two points of the sweep where two real modes become a pair, or the other way round. Half their
// distance squared goes through zero there and is all but straight, though the modes themselves have a corner.
struct Meeting {
  std::size_t point = 0;  // the first of the two
  std::size_t a = 0, b = 0;
};

static std::complex<double> half_distance_squared(const SweepPlot& plot, const Meeting& pair, std::size_t i) {
  const auto half = 0.5 * (plot.modes[pair.a].values[i] - plot.modes[pair.b].values[i]);
  return half * half;
}

static bool is_real(std::complex<double> value) {
  return std::abs(value.imag()) <= sweep_rounding * std::abs(value.real());
}

static std::vector<Meeting> meetings(const SweepPlot& plot) {
  const auto partner = sweep_partners(plot);
  std::vector<Meeting> result;
  for (std::size_t i = 0; i + 1 < plot.x.size(); ++i) {
    for (std::size_t m = 0; m < plot.modes.size(); ++m) {
      const Meeting pair{i, m, partner[m]};
      if (pair.b <= m) continue;
      const auto here = half_distance_squared(plot, pair, i), next = half_distance_squared(plot, pair, i + 1);
      const bool straight = is_real(here) && is_real(next);  // not a mode of this pair and one of another
      const double least = std::min(here.real(), next.real()), most = std::max(here.real(), next.real());
      if (straight && least <= 0.0 && most >= 0.0 && least < most) result.push_back(pair);
    }
  }
  return result;
}

// Adds one point to the result, at this part of the way from point i of the plot to the next one.
static void add_between(const SweepPlot& plot, const std::vector<Meeting>& pairs, double part, SweepPlot& result) {
  const std::size_t i = pairs.front().point;
  const auto between = [&](auto from, auto to) { return from + part * (to - from); };
  result.x.push_back(between(plot.x[i], plot.x[i + 1]));
  for (std::size_t m = 0; m < plot.modes.size(); ++m) {
    result.modes[m].values.push_back(between(plot.modes[m].values[i], plot.modes[m].values[i + 1]));
  }
  for (const Meeting& pair : pairs) {
    auto &a = result.modes[pair.a].values.back(), &b = result.modes[pair.b].values.back();
    const double middle = 0.5 * (a + b).real();
    const double from = half_distance_squared(plot, pair, i).real();
    const double to = half_distance_squared(plot, pair, i + 1).real();
    const double square = std::abs(between(from, to)) > 1e-12 * std::abs(to - from) ? between(from, to) : 0.0;
    const auto half = std::sqrt(std::complex<double>(square, 0.0));
    const double sign = square > 0.0 && a.real() < b.real() ? -1.0 : 1.0;
    a = middle + sign * half;
    b = middle - sign * half;
  }
}

SweepPlot with_meetings(const SweepPlot& plot) {
  const auto all = meetings(plot);
  SweepPlot result = plot;
  result.x.clear();
  for (auto& mode : result.modes) mode.values.clear();
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    result.x.push_back(plot.x[i]);
    for (std::size_t m = 0; m < plot.modes.size(); ++m) result.modes[m].values.push_back(plot.modes[m].values[i]);
    std::vector<Meeting> here;
    std::copy_if(all.begin(), all.end(), std::back_inserter(here), [&](const Meeting& one) { return one.point == i; });
    std::vector<double> parts;
    for (const Meeting& pair : here) {
      const double from = half_distance_squared(plot, pair, i).real();
      const double part = from / (from - half_distance_squared(plot, pair, i + 1).real());
      parts.push_back(part);
      for (const double step : {0.01, 0.06, 0.25, 0.56}) {
        parts.push_back(part - step * part);
        parts.push_back(part + step * (1.0 - part));
      }
    }
    std::sort(parts.begin(), parts.end());
    for (const double part : parts) {
      if (part > 0.0 && part < 1.0) add_between(plot, here, part, result);
    }
  }
  return result;
}

}  // namespace tandem::sweep_picture
