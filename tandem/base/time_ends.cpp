#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tandem/base/larger.hpp"
#include "tandem/base/time_scan.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

std::optional<TimeEnd> JumpTest::end_at(double t, double room_before, double room_after) const {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  using Level = TimeEnd::Level;
  const std::array<std::pair<Level, double Jet<double>::*>, 3> all{{{Level::value, &Jet<double>::value},
                                                                    {Level::rate, &Jet<double>::rate},
                                                                    {Level::acceleration, &Jet<double>::acceleration}}};
  // Of the jet from one distance to twice of it, the largest of a few, as each may be small by chance.
  const auto change = [&](double distance) {
    Jet<double> most;
    for (const double more : {1.0, 1.2, 1.4, 1.7}) {
      const Jet<double> near = levels_(t + more * distance), far = levels_(t + 2.0 * more * distance);
      for (const auto& each : all) keep_larger(most.*each.second, std::abs(near.*each.second - far.*each.second));
    }
    return most;
  };
  for (const double side : {-1.0, 1.0}) {
    const double far = std::min(tolerances::end_reach * whole_, 0.25 * (side < 0.0 ? room_before : room_after));
    const double near = std::max(tolerances::end_reach * far, 64.0 * epsilon * std::abs(t));
    if (!(far >= 64.0 * near)) continue;  // no room to see it
    const double ratio = std::sqrt(far / near);
    double size = 0.0;  // of the value on both sides
    for (const double x : {levels_(t - far).value, levels_(t + far).value})
      if (std::isfinite(x)) size += std::abs(x);
    const Jet<double> first = change(side * far), second = change(side * near * ratio), third = change(side * near);
    for (const auto& [level, member] : all) {
      const double a = first.*member, b = second.*member, c = third.*member, range = range_.*member;
      if (!std::isfinite(c)) {
        const bool all_along = !std::isfinite(a) && !std::isfinite(b);
        if (all_along && side < 0.0) continue;  // it begins here
        return TimeEnd{level, all_along ? TimeEnd::What::no_number_after : TimeEnd::What::no_number, t};
      }
      if (!(b >= tolerances::end_growth * a && c >= tolerances::end_growth * b)) continue;
      const double steepest = std::sqrt(ratio * std::sqrt(ratio));  // p > −3/4
      const bool slowly = b <= steepest * a && c <= steepest * b && c > tolerances::time_jump * range;
      if (slowly || (level == Level::value && c > 10.0 * size)) return TimeEnd{level, TimeEnd::What::grows, t};
    }
  }
  return std::nullopt;
}

std::optional<TimeEnd> find_end(const Levels& levels, double from, double to, std::span<const TimeBreak> breaks) {
  if (breaks.empty()) return std::nullopt;
  const JumpTest test(levels, from, to);
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    const double t = breaks[i].before + 0.5 * (breaks[i].after - breaks[i].before);
    const double before = i > 0 ? breaks[i - 1].after : from, after = i + 1 < breaks.size() ? breaks[i + 1].before : to;
    if (std::optional<TimeEnd> end = test.end_at(t, t - before, after - t)) {
      end->at = i;
      return end;
    }
  }
  return std::nullopt;
}

}  // namespace tandem
