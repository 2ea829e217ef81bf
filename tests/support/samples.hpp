// One sensible instance of every joint, constraint and drive, and random relative motions of two frames.
#pragma once

#include <variant>

#include "support/numbers.hpp"
#include "tandem/constraints/all.hpp"
#include "tandem/drives/all.hpp"
#include "tandem/joints/all.hpp"

namespace tandem::test {

// An expression of t, or of nothing.
inline TimeFunction of_time(const std::string& text) {
  const std::string names[] = {"t"};
  auto parsed = Expression::parse(text, names);
  if (const auto* error = std::get_if<ExpressionError>(&parsed)) throw std::invalid_argument(error->message);
  return TimeFunction(std::get<Expression>(parsed));
}

// Any joint, constraint or drive that is complete without parameters; the others are below.
template <class T> T sample() { return {}; }
template <> inline Helical sample<Helical>() {
  Helical joint;
  joint.pitch = 0.37;
  return joint;
}
template <> inline Distance sample<Distance>() { return {.length = of_time("1.1 + 0.3*sin(2*t) + 0.2*t^2")}; }
template <> inline Rope sample<Rope>() { return {.length = 0.8}; }
template <> inline PointOnCircle sample<PointOnCircle>() { return {.radius = 0.6}; }
template <> inline PointOnCurve sample<PointOnCurve>() {
  return PointOnCurve::through({{0.0, 0.0, 0.1}, {0.9, 0.2, 0.4}, {1.1, 1.2, 0.0}, {0.1, 1.5, -0.5}, {-0.6, 0.7, 0.2}},
                               false);
}
template <> inline Wheel sample<Wheel>() { return {.radius = 0.35, .crown = 0.06}; }
template <> inline RollingBall sample<RollingBall>() { return {.radius = 0.25}; }
template <> inline RollingSurface<Ellipsoid> sample<RollingSurface<Ellipsoid>>() {
  return {{.semi_axes = Vector3(0.5, 0.3, 0.2)}};
}

template <> inline Hold sample<Hold>() { return {.value = 0.3}; }
template <> inline ConstantSpeedDrive sample<ConstantSpeedDrive>() { return {.speed = -1.4, .start = 0.2}; }
template <> inline Ramp sample<Ramp>() { return {.from = 0.2, .to = 1.5, .begin = 0.25, .duration = 1.5}; }
template <> inline Oscillation sample<Oscillation>() {
  return {.amplitude = 0.4, .frequency = 1.7, .phase = 0.6, .offset = -0.1};
}
template <> inline Polynomial sample<Polynomial>() { return {.coefficients = {0.4, -1.1, 0.7, 0.35, -0.2}}; }
template <> inline TableDrive sample<TableDrive>() {
  return TableDrive::through({{0.0, 0.1}, {0.4, 0.5}, {0.9, -0.2}, {1.6, 0.3}, {2.2, 1.0}});
}
template <> inline ExpressionDrive sample<ExpressionDrive>() { return {.value = of_time("0.3*cos(3*t) + exp(-t)*t")}; }

// How M moves as F sees it. Constraints hold at any such motion; point_on_curve only where it is on its curve.
template <class S> Relative<S> random_relative(Random& random) {
  return {random.rotation<S>(1.2), random.vec3<S>(1.3), random.vec3<S>(2.0), random.vec3<S>(2.0)};
}
template <class C, class S> Relative<S> sample_relative(Random& random) {
  Relative<S> x = random_relative<S>(random);
  if constexpr (std::is_same_v<C, PointOnCurve>) {
    const PointOnCurve on = sample<PointOnCurve>();
    const S s = random.scalar<S>(0.3, 3.5), s_dot = random.scalar<S>(-2.0, 2.0);
    for (std::size_t i = 0; i < 3; ++i) {
      const Jet<S> jet = on.spline[i].jet<S>(s);
      x.p[static_cast<Eigen::Index>(i)] = jet.value;
      x.v[static_cast<Eigen::Index>(i)] = jet.rate * s_dot;
    }
  }
  return x;
}

// x(t + ε): Ṙ = sk(ω) R, ṗ = v, at a held twist.
template <class S> Relative<Dual<S>> along(const Relative<S>& x) {
  return {seed(x.R, Mat3<S>(sk<S>(x.w) * x.R)), seed(x.p, x.v), held(x.w), held(x.v)};
}

// Random coordinates of a joint, a unit quaternion first where it has one.
template <class J, class S> VecUpTo7<S> random_coordinates(Random& random) {
  VecUpTo7<S> q = random.vector<VecUpTo7<S>>(J::nq, -2.9, 2.9);
  if constexpr (J::nq != J::nv) q.template head<4>() = random.quaternion<S>();
  return q;
}

}  // namespace tandem::test
