// Table of (time, value) pairs, joined by a smooth curve.
//
//   spline    natural cubic spline: position, speed and acceleration are continuous; it may swing beyond the points
//   monotone  never beyond two neighbouring points: position and speed are continuous, the acceleration jumps at points
#pragma once

#include "tandem/drives/drive.hpp"
#include "tandem/math/spline.hpp"

namespace tandem {

struct TableDrive {
  static constexpr std::string_view type = "table";
  enum class Between { spline, monotone };
  std::vector<std::vector<Real>> points{};  // rows [time, value], times increasing
  Between between = Between::spline;
  CubicSpline curve{};

  static TableDrive read(Properties& properties);
  static TableDrive through(std::vector<std::vector<Real>> points, Between between = Between::spline);
  void check(Faults& faults) const;
  std::vector<Real> knots() const {
    std::vector<Real> times;
    for (const std::vector<Real>& row : points)
      if (!row.empty()) times.push_back(row[0]);
    return times;
  }

  template <class S> Jet<S> motion(const S& t) const { return curve.jet<S>(t); }

 private:
  void check_points(Faults& faults) const;
  void warn_of_swings(Faults& faults) const;
};

}  // namespace tandem
