#include "tandem/drives/table.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem {

TableDrive TableDrive::through(std::vector<std::vector<Real>> points) {
  TableDrive drive;
  drive.points = std::move(points);
  Faults faults;
  drive.check(faults);
  if (faults.any_error()) return drive;  // told when the model is checked
  std::vector<Real> t, q;
  for (const auto& row : drive.points) {
    t.push_back(row[0]);
    q.push_back(row[1]);
  }
  drive.spline = CubicSpline(std::move(t), q, SplineEnds::natural);
  return drive;
}

static std::string plain(const Real& number) { return fmt::format("{}", value_of(number)); }

void TableDrive::check(Faults& faults) const {
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

}  // namespace tandem
