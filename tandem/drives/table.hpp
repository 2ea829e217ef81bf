// Table of (time, value) pairs, joined by a natural cubic spline: position, speed and acceleration are continuous.
#pragma once

#include "tandem/drives/drive.hpp"
#include "tandem/math/spline.hpp"

namespace tandem {

struct TableDrive {
  static constexpr std::string_view type = "table";
  std::vector<std::vector<Real>> points{};  // rows [time, value], times increasing
  CubicSpline spline{};

  static TableDrive read(Properties& properties) { return through(properties.table("points")); }
  static TableDrive through(std::vector<std::vector<Real>> points);
  void check(Faults& faults) const;
  std::vector<Real> knots() const {
    std::vector<Real> times;
    for (const std::vector<Real>& row : points)
      if (!row.empty()) times.push_back(row[0]);
    return times;
  }

  template <class S> Jet<S> motion(const S& t) const { return spline.jet<S>(t); }
};

}  // namespace tandem
