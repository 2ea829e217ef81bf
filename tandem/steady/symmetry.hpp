// Symmetries: motions of the whole machine, and spins of its round bodies, that nothing in it notices.
//
// An element ξ of the algebra has a translation t, a rotation n about the origin of the world, a spin s_i of each body
// in body axes, and a part of time. It moves a state (q, v) by
//   (1)  poses:        ω_i = R_iᵀ n + s_i,     v_i = t + n × p_i
//   (2)  velocities:   ω̇_i = −s_i × ω_i,       v̇_i = n × v_i           (a spin turns the body under its velocity)
// ξ is a symmetry when the equations of motion do not change along it. At states that meet the constraints:
//   (3)  φ′ = 0,   (J v + φ_t)′ = 0,   y′ = (−s_i × y_ω, n × y_v)        ′: along (1) and (2)
// (3) is linear in ξ. So all symmetries at once are a null space over the candidates: time, three rotations, three
// translations, and the spin of each body with two equal moments of inertia. The derivatives are those by duals. (3) is
// taken in parts of the machine, per its time (model/scale.hpp), and so is ξ: a translation by its length, a time.
#pragma once

#include <string>
#include <vector>

#include "tandem/steady/response.hpp"

namespace tandem {

struct GroupMotion {
  double time = 0.0;
  Vector3 rotation = Vector3::Zero(), translation = Vector3::Zero();
  std::vector<Vector3> spin;  // one a body
};

struct SymmetryElement {
  enum class Kind { time, rotation, spin, translation } kind = Kind::time;
  Vector3 axis = Vector3::Zero();
  int body = world;  // of a spin
  std::string name;  // x, yaw, front_wheel.spin
};

struct Symmetry {
  std::vector<SymmetryElement> elements;  // the candidates
  Eigen::MatrixXd basis;                  // elements × dimension; the first column has the part of time, if any has
  std::vector<std::string> names;         // of the columns: yaw, x, yaw about (1, 0)
  bool moves_time = false;                // whether there is a column with a part of time; then that part is 1

  Eigen::Index dimension() const { return basis.cols(); }
  bool time_alone() const;  // whether nothing depends on time; else a symmetry may make up for it
  GroupMotion motion(const Eigen::VectorXd& coefficients, std::size_t bodies) const;
  GroupMotion element(Eigen::Index column, std::size_t bodies) const;
  // What one of a column is: a length for a translation alone, the time for that, 1 for what turns.
  double unit(Eigen::Index column, const Scale& scale) const;
};

// (1) and (2): how ξ moves a state.
Direction moved_by(const Model& model, const State& bodies, const GroupMotion& xi);
// The change of (1) and (2) when the state changes by δ, δv at fixed ξ.
Direction moved_by_changed(const Model& model, const State& bodies, const Direction& change, const GroupMotion& xi);
// (2) with another pair in place of the velocities: what ξ does to accelerations.
Eigen::VectorXd turned_by(const Model& model, const Eigen::VectorXd& pair, const GroupMotion& xi);

// All symmetries, or those that the model declares. Throws ModelError when a declared one is none.
Symmetry find_symmetry(const Model& model, const Setup& setup, const State& bodies);
inline Symmetry find_symmetry(const Model& model, const State& bodies) {
  return find_symmetry(model, model.setup, bodies);
}
// That alone: throws ModelError when the model declares a symmetry that there is not.
void check_declared_symmetries(const Model& model);

// How far a motion ξ is from meeting (3) where the response was placed, in parts of the machine within its time:
// accelerations against their size. Round-off, or it is none.
double symmetry_defect(const Model& model, const GroupMotion& xi, Response& response);

}  // namespace tandem
