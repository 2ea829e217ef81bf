// Machines as users write them, with force laws, of any size: model files as texts.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

namespace tandem::growth {

// Hinges about y and z in turn, a damper in each.
inline std::string dampers(int n) {
  std::string text = "format = 1\n";
  for (int i = 0; i < n; ++i) {
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nmass = 1.0\nshape = {{ type = \"rod\", length = 0.2 }}\nposition = [{}, 0, 0]\n", i,
        0.2 * i + 0.1);
    text += fmt::format(
        "[[joint]]\nname = \"j{0}\"\ntype = \"revolute\"\nbodies = [\"{1}\", \"b{0}\"]\npoint = [{2}, 0, 0]\naxis = "
        "{3}\n"
        "[[force]]\nname = \"d{0}\"\ntype = \"joint\"\njoint = \"j{0}\"\ndamping = 0.01\n",
        i, i == 0 ? "world" : fmt::format("b{}", i - 1), 0.2 * i, i % 2 == 0 ? "[0, 1, 0]" : "[0, 0, 1]");
  }
  return text;
}

// An arc of links on ball joints, held at both ends.
inline std::string balls(int n) {
  const double length = 0.2, turn = 0.6 * std::numbers::pi, radius = length / 2.0 / std::sin(turn / 2.0 / n);
  const auto x = [&](int k) { return radius * std::sin(-turn / 2.0 + turn * k / n); };
  const auto z = [&](int k) { return radius * (1.0 - std::cos(-turn / 2.0 + turn * k / n)); };
  std::string text = "format = 1\n";
  for (int k = 0; k < n; ++k)
    text += fmt::format(
        "[[body]]\nname = \"b{}\"\nmass = 0.5\n"
        "shape = {{ type = \"cylinder\", radius = 0.02, length = {}, axis = [1, 0, 0] }}\n"
        "position = [{}, 0, {}]\nangles = [0, 0, {}]\n",
        k, length, 0.5 * (x(k) + x(k + 1)), 0.5 * (z(k) + z(k + 1)), -std::atan2(z(k + 1) - z(k), x(k + 1) - x(k)));
  for (int k = 0; k <= n; ++k)
    text += fmt::format(
        "[[joint]]\nname = \"j{}\"\ntype = \"spherical\"\nbodies = [\"{}\", \"b{}\"]\npoint = [{}, 0, {}]\n", k,
        k == 0 || k == n ? "world" : fmt::format("b{}", k - 1), k == n ? n - 1 : k, x(k), z(k));
  return text;
}

// A snake in a gentle curve, a spring, a damper and an effort of time in each hinge; on knife edges, or on wheels.
inline std::string snake_on(const std::string& what, int n) {
  const bool wheels = what == "wheel";
  const double length = 0.3, height = wheels ? 0.05 : 0.0;
  std::string text = fmt::format("format = 1\ngravity = [0, 0, {}]\n", wheels ? -9.81 : 0.0);
  double x = 0.0, y = 0.0;
  for (int i = 0; i < n; ++i) {
    const double heading = 0.3 * std::sin(2.0 * std::numbers::pi * i / 10.0), c = std::cos(heading),
                 s = std::sin(heading);
    const std::string at = fmt::format("[{}, {}, {}]", x - 0.5 * length * c, y - 0.5 * length * s, height);
    text += fmt::format(
        "[[body]]\nname = \"link{}\"\nmass = 1.0\nshape = {{ type = \"box\", size = [{}, 0.06, 0.04] }}\nposition = "
        "{}\n"
        "angles = [{}, 0, 0]\n",
        i, length, at, heading);
    if (i == 0)
      text += "[[joint]]\nname = \"ground\"\ntype = \"planar\"\nbodies = [\"world\", \"link0\"]\naxis = [0, 0, 1]\n";
    else
      text += fmt::format(
          "[[joint]]\nname = \"h{0}\"\ntype = \"revolute\"\nbodies = [\"link{1}\", \"link{0}\"]\npoint = [{2}, {3}, "
          "{4}]\n"
          "axis = [0, 0, 1]\n[[force]]\nname = \"m{0}\"\ntype = \"joint\"\njoint = \"h{0}\"\nstiffness = 0.5\n"
          "damping = 0.05\neffort = \"0.3*sin(3*t - {5})\"\n",
          i, i - 1, x, y, height, 0.6 * i);
    if (wheels)
      text += fmt::format(
          "[[body]]\nname = \"wheel{0}\"\nmass = 0.1\nshape = {{ type = \"disc\", radius = 0.05 }}\nposition = {1}\n"
          "angles = [{2}, 0, 0]\n[[joint]]\nname = \"axle{0}\"\ntype = \"revolute\"\nbodies = [\"link{0}\", "
          "\"wheel{0}\"]\n"
          "point = {1}\naxis = [{3}, {4}, 0]\n[[constraint]]\nname = \"contact{0}\"\ntype = \"wheel\"\n"
          "bodies = [\"world\", \"wheel{0}\"]\nradius = 0.05\n",
          i, at, heading, -s, c);
    else
      text += fmt::format(
          "[[constraint]]\nname = \"edge{0}\"\ntype = \"knife_edge\"\nbodies = [\"world\", \"link{0}\"]\n"
          "blade = [{1}, {2}, 0]\n",
          i, c, s);
    x -= length * c;
    y -= length * s;
  }
  return text;
}

inline std::string machine(const std::string& shape, int n) {
  return shape == "dampers" ? dampers(n) : shape == "balls" ? balls(n) : snake_on(shape, n);
}

}  // namespace tandem::growth
