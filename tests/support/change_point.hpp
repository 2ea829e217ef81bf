// Linkages that lie on one line, or fold up, in some poses: there branches cross, and each has a closed form that goes
// straight on. Planar, in the plane of x and z, with rods of 1 kg; one degree of freedom, the angle θ of the crank.
//
//   (1)  crank a from 0 to C, ground d from 0 to B, coupler b from C to D, rocker c from B to D. With r = |B − C|,
//        r² = a² + d² − 2 a d cos θ,   D = C + p e + h e⊥,   e = (B − C)/r,   p = (b² − c² + r²)/(2 r),
//        h = √((b + c)² − r²) √(r² − (b − c)²) / (2 r)
//   (2)  where b + c = a + d the first root is 2 √(a d) cos(θ/2), where |b − c| = |a − d| the second is 2 √(a d)
//   sin(θ/2):
//        with these, h changes its sign in the pose, and D goes straight on
//   (3)  time from energy: ½ M(θ) θ̇² + U(θ) = E,   t = ∫ √(M / (2 (E − U))) dθ while the crank turns one way
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "tandem/base/dual.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem::test {

struct ChangePoint {
  enum class Kind { parallel, crossed, coupler_and_rocker_longer, crank_and_coupler, crank_and_ground, slider };
  const char* name;
  double a, b, c, d;
  Kind kind;
  double theta = 1.1;  // at the start
};

inline constexpr ChangePoint change_points[] = {
    {"parallelogram", 1.0, 2.0, 1.0, 2.0, ChangePoint::Kind::parallel},
    {"antiparallelogram", 1.0, 2.0, 1.0, 2.0, ChangePoint::Kind::crossed},
    {"kite", 1.0, 1.0, 2.0, 2.0, ChangePoint::Kind::parallel},
    {"kite that folds", 1.0, 2.0, 2.0, 1.0, ChangePoint::Kind::coupler_and_rocker_longer},
    {"four-bar, a + b = c + d", 1.0, 2.5, 1.5, 2.0, ChangePoint::Kind::crank_and_coupler},
    {"four-bar, a + d = b + c", 1.0, 2.2, 1.8, 3.0, ChangePoint::Kind::crank_and_ground},
    {"slider-crank", 1.0, 1.0, 0.0, 0.0, ChangePoint::Kind::slider, 0.4},
};

template <class S> struct PlanePoint { S x, z; };
template <class S> struct Pins { PlanePoint<S> C, D; };

template <class S> Pins<S> pins(const ChangePoint& of, const S& theta) {
  using std::cos, std::sin, std::sqrt;
  const double a = of.a, b = of.b, c = of.c, d = of.d, root = 2.0 * std::sqrt(a * d);
  const S half = theta * 0.5;
  const PlanePoint<S> C{a * cos(theta), a * sin(theta)};
  if (of.kind == ChangePoint::Kind::slider) return {C, {2.0 * C.x, S(0.0)}};
  if (of.kind == ChangePoint::Kind::coupler_and_rocker_longer) {  // a = d: r = 2 a sin(θ/2) changes its sign
    const S r = 2.0 * a * sin(half), h = sqrt(b * b - 0.25 * r * r);
    const PlanePoint<S> e{sin(half), -cos(half)};
    return {C, {C.x + 0.5 * r * e.x - h * e.z, C.z + 0.5 * r * e.z + h * e.x}};
  }
  const S square = a * a + d * d - 2.0 * a * d * cos(theta), r = sqrt(square);
  S roots(0.0);  // (2)
  switch (of.kind) {
    case ChangePoint::Kind::crank_and_coupler:
      roots = root * sin(half) * sqrt((b + c) * (b + c) - square);
      break;
    case ChangePoint::Kind::crank_and_ground:
      roots = root * cos(half) * sqrt(square - (b - c) * (b - c));
      break;
    default:
      roots = (of.kind == ChangePoint::Kind::crossed ? -2.0 : 2.0) * a * d * sin(theta);
  }
  const S p = (b * b - c * c + square) / (2.0 * r), h = roots / (2.0 * r);  // (1)
  const PlanePoint<S> e{(d - C.x) / r, -C.z / r};
  return {C, {C.x + p * e.x - h * e.z, C.z + p * e.z + h * e.x}};
}

// M and U of (3); gravity g.
struct MassAndHeight {
  double M = 0.0, U = 0.0;
};
inline MassAndHeight mass_and_height(const ChangePoint& of, double theta, double g) {
  using D1 = Dual<double>;
  const Pins<D1> at = pins(of, D1(theta, 1.0));
  MassAndHeight out;
  const auto rod = [&](const PlanePoint<D1>& from, const PlanePoint<D1>& to) {
    const D1 x = 0.5 * (from.x + to.x), z = 0.5 * (from.z + to.z), across = to.x - from.x, up = to.z - from.z;
    const auto square = [](const D1& of_rate) { return of_rate.derivative * of_rate.derivative; };
    out.M += square(x) + square(z) + (square(across) + square(up)) / 12.0;
    out.U += g * z.value;
  };
  rod({D1(0.0), D1(0.0)}, at.C);
  rod(at.C, at.D);
  if (of.kind == ChangePoint::Kind::slider)
    out.M += at.D.x.derivative * at.D.x.derivative;
  else
    rod({D1(of.d), D1(0.0)}, at.D);
  return out;
}

// (3): when the crank, which starts at of.theta with the speed w > 0, is at `theta`. Gauss, three points a part.
inline double time_of(const ChangePoint& of, double w, double g, double theta) {
  const MassAndHeight start = mass_and_height(of, of.theta, g);
  const double energy = 0.5 * start.M * w * w + start.U;
  constexpr int parts = 20000;
  const double width = (theta - of.theta) / parts;
  double sum = 0.0;
  for (int i = 0; i < parts; ++i)
    for (int k = -1; k <= 1; ++k) {
      const MassAndHeight at = mass_and_height(of, of.theta + width * (i + 0.5 + 0.5 * k * std::sqrt(0.6)), g);
      sum += (k == 0 ? 4.0 : 2.5) / 9.0 * std::sqrt(at.M / (2.0 * (energy - at.U)));
    }
  return sum * width;
}

inline std::string rod_text(const char* name, const PlanePoint<Dual<double>>& from,
                            const PlanePoint<Dual<double>>& to) {
  const auto x = 0.5 * (from.x + to.x), z = 0.5 * (from.z + to.z), across = to.x - from.x, up = to.z - from.z;
  const double square = across.value * across.value + up.value * up.value;
  const double turn = (across.value * up.derivative - up.value * across.derivative) / square;
  return fmt::format(
      "[[body]]\nname = \"{0}\"\nmass = 1\ninertia = [{1:.17g}, {1:.17g}, {1:.17g}]\nposition = [{2:.17g}, 0, "
      "{3:.17g}]\nvelocity = [{4:.17g}, 0, {5:.17g}]\nangular_velocity = [0, {6:.17g}, 0]\n",
      name, square / 12.0, x.value, z.value, x.derivative, z.derivative, -turn);
}

inline std::string pin_text(const char* name, const char* first, const char* second,
                            const PlanePoint<Dual<double>>& at) {
  return fmt::format(
      "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\nbodies = [\"{}\", \"{}\"]\npoint = [{:.17g}, 0, "
      "{:.17g}]\naxis = [0, 1, 0]\n",
      name, first, second, at.x.value, at.z.value);
}

// The crank turns with w from of.theta. Its joint is "A", which reads of.theta − θ; that of D and the rocker or slider
// is "D".
inline Model change_point_model(const ChangePoint& of, double w, double g) {
  using D1 = Dual<double>;
  const Pins<D1> at = pins(of, D1(of.theta, w));
  const PlanePoint<D1> O{D1(0.0), D1(0.0)}, B{D1(of.d), D1(0.0)};
  std::string text = fmt::format("format = 1\ngravity = [0, 0, {}]\n", -g);
  text += rod_text("crank", O, at.C) + rod_text("coupler", at.C, at.D);
  text += pin_text("A", "world", "crank", O) + pin_text("C", "crank", "coupler", at.C);
  if (of.kind == ChangePoint::Kind::slider) {
    text += fmt::format(
        "[[body]]\nname = \"slider\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [{0:.17g}, 0, 0]\nvelocity = "
        "[{1:.17g}, 0, 0]\n[[joint]]\nname = \"P\"\ntype = \"prismatic\"\nbodies = [\"world\", \"slider\"]\npoint = "
        "[{0:.17g}, 0, 0]\naxis = [1, 0, 0]\n",
        at.D.x.value, at.D.x.derivative);
    text += pin_text("D", "coupler", "slider", at.D);
  } else {
    text +=
        rod_text("rocker", B, at.D) + pin_text("B", "world", "rocker", B) + pin_text("D", "coupler", "rocker", at.D);
  }
  return read_model(text, of.name);
}

}  // namespace tandem::test
