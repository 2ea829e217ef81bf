// A mechanism and some states of it, as plain numbers that every engine can be fed with, and their text form.
//
// A link is a body with the joint that carries it. Its frame is the joint's frame after the motion:
//   X_parent,link = (R, p) · motion(q)
// Joint letters: x y z hinge about that axis, X Y Z slider along it, b ball, f free.
//   q: angle or travel; ball: quaternion w x y z; free: quaternion w x y z and the position of the link's origin
//   v: rate; ball: ω in link axes; free: ω in link axes, velocity of the link's origin in the parent's axes
// A closure holds two points together: three rows. Link −1 is the world.
// Loads of a hinge or slider: −damping q̇ − stiffness q. Some more have an effort size sin(rate t), others are driven:
// q = size sin(rate t).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

using Three = std::array<double, 3>;

struct Link {
  int parent = -1;
  char joint = 'z';
  std::array<double, 9> R{1, 0, 0, 0, 1, 0, 0, 0, 1};  // by rows
  Three p{};
  double mass = 1.0;
  Three center{};
  std::array<double, 6> inertia{};  // about the centre: xx yy zz xy xz yz
  double damping = 0.0, stiffness = 0.0;
  int nq() const { return joint == 'f' ? 7 : joint == 'b' ? 4 : 1; }
  int nv() const { return joint == 'f' ? 6 : joint == 'b' ? 3 : 1; }
  bool slides() const { return joint >= 'X' && joint <= 'Z'; }
  int axis() const { return slides() ? joint - 'X' : joint - 'x'; }  // of hinges and sliders
};

struct Closure {
  int a = 0, b = 0;
  Three point_a{}, point_b{};  // in the frames of the links
};

// A state, and what is right there.
struct Sample {
  std::vector<double> q, v;
  std::vector<double> acceleration;  // of v, with no efforts
  std::vector<double> given;         // accelerations for inverse dynamics
  std::vector<double> effort;        // that bring them about
  std::vector<double> end;           // of hinges and sliders, after `span` seconds, of mechanisms with loads
  double energy = 0.0;               // kinetic
};

// size sin(rate t), of a hinge or slider: an effort or a driven coordinate.
struct Wave {
  int link = 0;
  double size = 0.0, rate = 0.0;
  double at(double t) const { return size * std::sin(rate * t); }
  double acceleration(double t) const { return -rate * rate * at(t); }
};

struct Loads {
  std::vector<Wave> efforts{}, drives{};
  static constexpr double step = 0.001, span = 0.05;  // of the runs that are timed and checked
  // For engines without prescribed motion: so large an inertia of the motor that nothing disturbs it, and an effort
  // that accelerates it as wanted.
  static constexpr double armature = 1e9;
};

struct Mechanism {
  std::string name;
  Three gravity{0, 0, -9.81};
  std::vector<Link> links;
  std::vector<Closure> closures;
  std::vector<Sample> samples;
  Loads loads{};
  bool is_loaded() const { return !loads.efforts.empty() || !loads.drives.empty(); }
  bool floats() const { return links.front().joint == 'f'; }  // the only place of a free joint
  int nq() const {
    int sum = 0;
    for (const Link& link : links) sum += link.nq();
    return sum;
  }
  int nv() const {
    int sum = 0;
    for (const Link& link : links) sum += link.nv();
    return sum;
  }
  // Where the numbers of a link begin.
  std::size_t q_of(int link) const {
    std::size_t sum = 0;
    for (int i = 0; i < link; ++i) sum += static_cast<std::size_t>(links[static_cast<std::size_t>(i)].nq());
    return sum;
  }
  std::size_t v_of(int link) const {
    std::size_t sum = 0;
    for (int i = 0; i < link; ++i) sum += static_cast<std::size_t>(links[static_cast<std::size_t>(i)].nv());
    return sum;
  }
};

// Largest difference, as a part of the largest number of `right`.
inline double relative_error(const std::vector<double>& found, const std::vector<double>& right) {
  double scale = 0.0, error = 0.0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    scale = std::max(scale, std::abs(right[i]));
    if (!(std::abs(found[i] - right[i]) <= error)) error = std::abs(found[i] - right[i]);  // keeps a NaN
  }
  return error / scale;
}

template <class Stream, class Numbers> void put_numbers(Stream& stream, const Numbers& numbers) {
  for (const double each : numbers) stream << each << ' ';
  stream << '\n';
}

inline void write(const Mechanism& mechanism, const std::string& path) {
  std::ofstream out(path);
  out.precision(std::numeric_limits<double>::max_digits10);
  out << mechanism.name << ' ' << mechanism.links.size() << ' ' << mechanism.closures.size() << ' '
      << mechanism.samples.size() << '\n';
  put_numbers(out, mechanism.gravity);
  for (const auto* waves : {&mechanism.loads.efforts, &mechanism.loads.drives}) {
    out << waves->size();
    for (const Wave& wave : *waves) out << ' ' << wave.link << ' ' << wave.size << ' ' << wave.rate;
    out << '\n';
  }
  for (const Link& link : mechanism.links) {
    out << link.parent << ' ' << link.joint << ' ' << link.mass << '\n';
    put_numbers(out, link.R);
    put_numbers(out, link.p);
    put_numbers(out, link.center);
    put_numbers(out, link.inertia);
    out << link.damping << ' ' << link.stiffness << '\n';
  }
  for (const Closure& closure : mechanism.closures) {
    out << closure.a << ' ' << closure.b << '\n';
    put_numbers(out, closure.point_a);
    put_numbers(out, closure.point_b);
  }
  for (const Sample& sample : mechanism.samples) {
    for (const auto* part : {&sample.q, &sample.v, &sample.acceleration, &sample.given, &sample.effort, &sample.end}) {
      out << part->size() << ' ';
      put_numbers(out, *part);
    }
    out << sample.energy << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

inline Mechanism read(const std::string& path) {
  std::ifstream in(path);
  const auto get = [&](auto& numbers) {
    for (double& each : numbers) in >> each;
  };
  Mechanism mechanism;
  std::size_t links = 0, closures = 0, samples = 0;
  in >> mechanism.name >> links >> closures >> samples;
  get(mechanism.gravity);
  for (auto* waves : {&mechanism.loads.efforts, &mechanism.loads.drives}) {
    std::size_t size = 0;
    in >> size;
    waves->resize(size);
    for (Wave& wave : *waves) in >> wave.link >> wave.size >> wave.rate;
  }
  mechanism.links.resize(links);
  mechanism.closures.resize(closures);
  mechanism.samples.resize(samples);
  for (Link& link : mechanism.links) {
    in >> link.parent >> link.joint >> link.mass;
    get(link.R);
    get(link.p);
    get(link.center);
    get(link.inertia);
    in >> link.damping >> link.stiffness;
  }
  for (Closure& closure : mechanism.closures) {
    in >> closure.a >> closure.b;
    get(closure.point_a);
    get(closure.point_b);
  }
  for (Sample& sample : mechanism.samples) {
    for (auto* part : {&sample.q, &sample.v, &sample.acceleration, &sample.given, &sample.effort, &sample.end}) {
      std::size_t size = 0;
      in >> size;
      part->resize(size);
      get(*part);
    }
    in >> sample.energy;
  }
  if (!in) throw std::runtime_error("cannot read " + path);
  return mechanism;
}

}  // namespace bench
