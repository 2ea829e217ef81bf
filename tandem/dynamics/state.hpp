// State: where the machine is and how it moves. Everything a later step needs is here; what only speeds it up stands
// beside it (step_memory.hpp).
//
//   (1)  x = (q | v | z | work)   what integrators carry through time: coordinates, speeds, states of force laws and
//                                 controllers (there are none yet), the energy brought in since the start
//   (2)  d = (angles)             what is held through a step: the last value of every joint coordinate, so that angles
//                                 count their turns
// The rate of change ẋ is laid out as x: q̇, v̇, ż, and powers. Of the bodies (the maximal cut in quasi-velocities)
//   q    per body: quaternion (x, y, z, w), position of the mass centre; a point mass: position
//   v    per body: ω in body axes, v of the mass centre; a point mass: v
#pragma once

#include "tandem/model/model.hpp"

namespace tandem {

struct Segment {
  int first = 0, size = 0;
  int end() const { return first + size; }
};
inline Eigen::Map<Eigen::VectorXd> part(Eigen::VectorXd& x, Segment which) {
  return {x.data() + which.first, which.size};
}
inline Eigen::Map<const Eigen::VectorXd> part(const Eigen::VectorXd& x, Segment which) {
  return {x.data() + which.first, which.size};
}

// The segment `work` by its names: the energy brought in, or powers.
struct Work {
  double dampers = 0.0, drives = 0.0, forces = 0.0;
  double total() const { return dampers + drives + forces; }
};

struct Segments {
  Segment q{}, v{}, z{}, work{};  // of x
  Segment angles{};               // of d

  Segments() = default;
  Segments(int nq, int nv, int angles_size, int nz = 0)
      : q{0, nq}, v{nq, nv}, z{v.end(), nz}, work{z.end(), 3}, angles{0, angles_size} {}
  int x_size() const { return work.end(); }
  int d_size() const { return angles.end(); }
  Work read_work(const Eigen::VectorXd& x) const { return {x[work.first], x[work.first + 1], x[work.first + 2]}; }
  void write_work(const Work& from, Eigen::VectorXd& x) const {
    x.segment<3>(work.first) << from.dampers, from.drives, from.forces;
  }
};
Segments segments_of_bodies(const Model& model);

// What x and d are made of, and how large the numbers in x are.
struct Layout : Segments {
  // The size of every number in x (model/scale.hpp), of speeds per the machine's time: what errors are measured in. 0:
  // an error there does not count, as in work.
  Eigen::VectorXd error_scale{};

  Layout() = default;
  explicit Layout(const Segments& of) : Segments(of), error_scale(Eigen::VectorXd::Ones(of.x_size())) {
    part(error_scale, work).setZero();
  }
};

struct State {
  double t = 0.0;
  Eigen::VectorXd x{}, d{};
  Segments parts{};

  State() = default;
  explicit State(const Segments& of)
      : x(Eigen::VectorXd::Zero(of.x_size())), d(Eigen::VectorXd::Zero(of.d_size())), parts(of) {}

  Eigen::Map<Eigen::VectorXd> q() { return part(x, parts.q); }
  Eigen::Map<Eigen::VectorXd> v() { return part(x, parts.v); }
  Eigen::Map<Eigen::VectorXd> z() { return part(x, parts.z); }
  Eigen::Map<Eigen::VectorXd> angles() { return part(d, parts.angles); }
  Eigen::Map<const Eigen::VectorXd> q() const { return part(x, parts.q); }
  Eigen::Map<const Eigen::VectorXd> v() const { return part(x, parts.v); }
  Eigen::Map<const Eigen::VectorXd> z() const { return part(x, parts.z); }
  Eigen::Map<const Eigen::VectorXd> angles() const { return part(d, parts.angles); }
  Work work() const { return parts.read_work(x); }
  void add_work(double h, const Work& powers);
};

State start_state(const Model& model);

// q ⊞ δ for all bodies, δ laid out as v; and q̇ = N(q) v.
void retract(const Model& model, VecIn<double> delta, VecOut<double> q);
void coordinate_rate(const Model& model, VecIn<double> q, VecIn<double> v, VecOut<double> q_dot);
void normalise_quaternions(const Model& model, VecOut<double> q);

}  // namespace tandem
