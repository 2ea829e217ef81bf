#include "tandem/drives/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tandem/base/tolerances.hpp"

namespace tandem {

TableDrive TableDrive::read(Properties& properties) {
  const std::string between = properties.text("between", "spline");
  if (between != "spline" && between != "monotone")
    properties.fault("between", fmt::format("between must be \"spline\" or \"monotone\", not \"{}\"", between));
  return through(properties.table("points"), between == "monotone" ? Between::monotone : Between::spline);
}

TableDrive TableDrive::through(std::vector<std::vector<Real>> points, Between between) {
  TableDrive drive;
  drive.points = std::move(points);
  drive.between = between;
  Faults faults;
  drive.check_points(faults);
  if (faults.any_error()) return drive;  // reported when the model is checked
  std::vector<Real> t, q;
  for (const auto& row : drive.points) {
    t.push_back(row[0]);
    q.push_back(row[1]);
  }
  drive.curve = between == Between::monotone ? CubicSpline::monotone(std::move(t), q)
                                             : CubicSpline(std::move(t), q, SplineEnds::natural);
  return drive;
}

static std::string plain(const Real& number) { return fmt::format("{}", value_of(number)); }

void TableDrive::check_points(Faults& faults) const {
  if (points.size() < 2) return faults.error_in("points", "points must hold at least two rows [time, value]");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string row = "points[" + std::to_string(i) + "]";
    if (points[i].size() != 2) return faults.error_in(row, "each row of points needs two numbers [time, value]");
    if (!std::isfinite(value_of(points[i][0])) || !std::isfinite(value_of(points[i][1])))
      return faults.error_in(row, "the times and values of points must be finite numbers");
    if (i > 0 && !(points[i][0] > points[i - 1][0]))
      return faults.error_in(row, "the times of points must increase from row to row, but " + plain(points[i][0]) +
                                      " follows " + plain(points[i - 1][0]));
  }
  const double whole = value_of(points.back()[0] - points.front()[0]);
  for (std::size_t i = 1; i < points.size(); ++i)
    if (!(value_of(points[i][0] - points[i - 1][0]) > 1e-12 * whole))
      return faults.error_in("points[" + std::to_string(i) + "]",
                             "the times " + plain(points[i - 1][0]) + " and " + plain(points[i][0]) +
                                 " of points are too close together for a table as long as this one");
}

void TableDrive::check(Faults& faults) const {
  check_points(faults);
  if (curve.knots().empty()) return;  // the points are at fault, here or where they were read
  if (between == Between::spline) warn_of_swings(faults);
}

// Where the points turn, a smooth curve goes a little beyond them. Elsewhere, or by much, it swings.
void TableDrive::warn_of_swings(Faults& faults) const {
  const std::size_t pieces = points.size() - 1;
  double lowest = value_of(points[0][1]), highest = lowest;
  for (const auto& row : points) {
    lowest = std::min(lowest, value_of(row[1]));
    highest = std::max(highest, value_of(row[1]));
  }
  const auto rise = [&](std::size_t i) { return value_of(points[i + 1][1] - points[i][1]); };
  double worst = 0.0, reached = 0.0;
  std::size_t at = pieces;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto [low, high] = curve.range(i);
    const auto [least, most] = std::minmax({value_of(points[i][1]), value_of(points[i + 1][1])});
    const double here = rise(i), before = i > 0 ? rise(i - 1) : -here;  // what ends may have turned just outside
    const double after = i + 1 < pieces ? rise(i + 1) : -here;
    const bool peak = (before > 0.0 && here < 0.0) || (here >= 0.0 && after < 0.0 && (here > 0.0 || before > 0.0));
    const bool valley = (before < 0.0 && here > 0.0) || (here <= 0.0 && after > 0.0 && (here < 0.0 || before < 0.0));
    const auto weigh = [&](double beyond, bool turns, double value) {
      if (!(beyond > (turns ? tolerances::spline_turn : tolerances::spline_swing) * (highest - lowest))) return;
      if (!(beyond > worst)) return;
      worst = beyond;
      reached = value;
      at = i;
    };
    weigh(high - most, peak, high);
    weigh(least - low, valley, low);
  }
  if (at == pieces) return;
  faults.warning_in(
      "points[" + std::to_string(at) + "]",
      fmt::format(
          "the spline through the points swings to {:.4g} between the times {} and {}, where the points go from "
          "{} to {}; between = \"monotone\" stays within the points",
          reached, plain(points[at][0]), plain(points[at + 1][0]), plain(points[at][1]), plain(points[at + 1][1])));
}

}  // namespace tandem
