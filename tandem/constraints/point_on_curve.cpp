#include "tandem/constraints/point_on_curve.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tandem/base/tolerances.hpp"

namespace tandem {

static std::string entry(std::size_t i) { return "curve[" + std::to_string(i) + "]"; }

PointOnCurve PointOnCurve::read(Properties& properties) {
  const bool closed = properties.flag("closed", false);
  std::vector<Vector3> points;
  for (const std::vector<Real>& row : properties.table("curve")) {
    if (row.size() != 3) {
      properties.fault(entry(points.size()),
                       entry(points.size()) + " needs three numbers [x, y, z], not " + std::to_string(row.size()));
      return {};
    }
    points.emplace_back(row[0], row[1], row[2]);
  }
  return through(std::move(points), closed);
}

PointOnCurve PointOnCurve::through(std::vector<Vector3> points, bool closed) {
  PointOnCurve constraint;
  constraint.curve = std::move(points);
  constraint.closed = closed;
  if (constraint.curve.size() < 3) return constraint;  // check() will say so
  std::vector<Vector3> path = constraint.curve;
  if (closed) path.push_back(path.front());
  std::vector<Real> length{0.0};
  for (std::size_t i = 1; i < path.size(); ++i) length.push_back(length.back() + (path[i] - path[i - 1]).norm());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<Real> y;
    for (const Vector3& point : path) y.push_back(point[static_cast<Eigen::Index>(axis)]);
    constraint.spline[axis] = CubicSpline(length, y, closed ? SplineEnds::periodic : SplineEnds::natural);
  }
  return constraint;
}

void PointOnCurve::check(Faults& faults) const {
  if (curve.size() < 3) return faults.error_in("curve", "curve needs at least three points");
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;
  std::size_t nearest_pair = 1;
  for (std::size_t i = 1; i < curve.size() + (closed ? 1 : 0); ++i) {
    const double apart = value_of((curve[i % curve.size()] - curve[i - 1]).norm());
    if (!(apart > 0.0 && std::isfinite(apart))) {
      const std::string here = entry(i % curve.size());
      return faults.error_in(
          here, fmt::format("{} and {} {}", here, entry(i - 1),
                            std::isfinite(apart) ? "coincide; a closed curve does not repeat its first point"
                                                 : "must be finite numbers"));
    }
    if (apart < shortest) nearest_pair = i;
    shortest = std::min(shortest, apart);
    longest = std::max(longest, apart);
  }
  if (longest > 1e9 * shortest)
    faults.error_in(entry(nearest_pair % curve.size()),
                    "the points of the curve are too uneven: some neighbours are a thousand million times as far apart "
                    "as " +
                        entry(nearest_pair - 1) + " and " + entry(nearest_pair % curve.size()) +
                        "; put points in between");
}

double PointOnCurve::nearest(const Vec3<double>& p) const {
  const double first = value_of(spline[0].first()), last = value_of(spline[0].last());
  const int samples = 16 * static_cast<int>(curve.size());
  double best = first, best_square = std::numeric_limits<double>::infinity();
  Vec3<double> c, c1, c2;
  const auto look = [&](double s) {
    Vec3<Real> at, along, bend;
    evaluate(Real(s), at, along, bend);
    c = values_of(at);
    c1 = values_of(along);
    c2 = values_of(bend);
  };
  for (int i = 0; i <= samples; ++i) {
    const double s = first + (last - first) * i / samples;
    look(s);
    if (const double square = (c - p).squaredNorm(); square < best_square) {
      best_square = square;
      best = s;
    }
  }
  const double most = (last - first) / samples;  // Newton stays within a sample of the best one
  for (int i = 0; i < 20; ++i) {
    look(best);
    const double curvature = c1.squaredNorm() + (c - p).dot(c2);
    const double step = -(c - p).dot(c1) / (curvature > 0.0 ? curvature : c1.squaredNorm());
    best += std::clamp(step, -most, most);
    if (std::abs(step) < 1e-15 * (last - first)) break;
  }
  return best;
}

std::string PointOnCurve::trouble(const Relative<Real>& x) const {
  if (closed || curve.size() < 3) return "";
  const double s = nearest(values_of(x.p)), first = value_of(spline[0].first()), last = value_of(spline[0].last());
  const double slack = tolerances::curve_end * (last - first);
  if (!std::isfinite(s) || (s >= first - slack && s <= last + slack)) return "";
  const std::size_t end = s < first ? 0 : curve.size() - 1;
  return fmt::format(
      "the point has run off the end of the curve, at {}; give the curve more points, or closed = true, or "
      "end the run before with a [[stop]]",
      entry(end));
}

}  // namespace tandem
