// Coordinates: how the motion of all bodies is written. The cut and the choice of coordinates are one thing here: a
// linear map from the speeds u in use to the velocities V = (ω in body axes, v of the mass centre) of the bodies.
//
//   (1)  V = Z u + z(t),   y = Z u̇ + c
//   (2)  M_u = Zᵀ M Z,   f_u = Zᵀ (f − M c),   J_u = J Z,   b_u = b − J c
// | name       | cut   | u                                         | rows left                         |
// |------------|-------|-------------------------------------------|-----------------------------------|
// | quasi      | all   | V itself: Z = 1                           | all                               |
// | quaternion | all   | quaternion rates, v                       | all, and the length of quaternions |
// | euler312   | all   | rates of yaw, lean and pitch, v           | all                               |
// | joints     | loops | speeds of the tree's joints: Z = D⁻¹ P_p  | loops, constraints, drives of them |
// State::v() holds the speeds; the unknowns are those that are not driven.
// Along a direction of the state, by dual numbers (t is held):
//   (3)  poses and V of the bodies from q and u;   u̇ from their accelerations:  y = Z u̇ + c solved for u̇
//   (4)  q = q₀ + w N(q) u, solved for q: the end of a step w that takes its rate there
#pragma once

#include <memory>

#include "tandem/dynamics/applied.hpp"
#include "tandem/dynamics/gauss_problem.hpp"
#include "tandem/dynamics/rows.hpp"

namespace tandem {

struct Solution {
  Eigen::VectorXd y;       // accelerations
  Eigen::VectorXd lambda;  // F_c = +Jᵀ λ
  int rank = 0;            // independent rows
};

// What the coordinates read when they write a problem.
struct Surroundings {
  const Model& model;
  const State& state;
  const Kinematics<double>& kinematics;
  const AppliedForces<double>& applied;
  const Rows<double>& rows;
};

class Coordinates {
 public:
  virtual ~Coordinates() = default;
  virtual std::string_view name() const = 0;
  // The motion of one speed, in the user's words: body "rod" turns about its x axis; with `can`: can turn.
  virtual std::string motion(const Model& model, int speed, bool can = false) const = 0;
  // That the motion along one unknown has no inertia, and what to do about it.
  virtual std::string without_inertia(const Model& model, int unknown) const = 0;
  virtual int speed_of(int unknown) const { return unknown; }

  // From a state on the maximal cut in quasi-velocities; `kinematics` is at that state.
  virtual State from_bodies(const Model& model, const State& bodies, const Kinematics<double>& kinematics) const = 0;
  virtual void place_bodies(const Model& model, const State& state, Kinematics<double>& kinematics) = 0;
  virtual void rate(const Model& model, const State& state, VecOut<double> q_dot) const = 0;  // q̇ = N(q) u
  virtual void retract(const Model& model, VecIn<double> delta, VecOut<double> q) const = 0;  // δ: unknowns
  // Unknowns into speeds: v += δ, and v̇ from the accelerations of a solution.
  virtual void add_speeds(VecIn<double> delta, VecOut<double> v) const { v += delta; }
  virtual void speed_rate(const Model&, double, VecIn<double> y, VecOut<double> v_dot) const { v_dot = y; }
  // The same along a direction.
  virtual void place_along(const Model& model, double t, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                           Kinematics<Dual<double>>& kinematics) const = 0;  // (3)
  virtual void speed_rate_along(const Model& model, const VecX<Dual<double>>& q, const VecX<Dual<double>>& v,
                                const Kinematics<Dual<double>>& kinematics, const VecX<Dual<double>>& y,
                                VecX<Dual<double>>& v_dot) const = 0;  // (3), with the bodies of place_along
  virtual void solve_positions(const Model& model, VecIn<double> q0, double w, const VecX<Dual<double>>& v,
                               VecX<Dual<double>>& q) const = 0;  // (4)
  // After a step: quaternions of unit length, driven coordinates where their drives are. Returns how far a quaternion
  // was from unit length.
  virtual double settle(const Model& model, State& state) const = 0;

  // How a state is laid out, with the size of each coordinate, and of each speed as a displacement: the length of its
  // island, or 1 for an angle.
  virtual Layout layout(const Model& model) const = 0;

  virtual GaussProblem structure(const Model& model) = 0;                                // sizes and sparsity, once
  virtual void fill(const Surroundings& at, bool with_mass, GaussProblem& problem) = 0;  // (2)
  // M of a problem that was filled without.
  virtual void fill_mass(GaussProblem&) const {}
  // The same equations with other right sides: M y − Jᵀ λ = force, J y = rows for all bodies and all rows of the model.
  // After fill() at the same state; expand() then gives this y and these λ. The next fill() ends it.
  virtual void fill_right_sides(const Surroundings& at, const Eigen::VectorXd& force, const Eigen::VectorXd& rows,
                                GaussProblem& problem) = 0;
  // From a solution of the problem to the accelerations of all bodies and the multipliers of all rows.
  virtual void expand(const Surroundings& at, const GaussProblem& problem, const Solution& in, Solution& out) = 0;
};

// Names are "quasi", "quaternion", "euler312" for the cut "all", and any for the cut "loops".
std::unique_ptr<Coordinates> make_coordinates(const Model& model, Cut cut, CoordinatesName coordinates);

// Copies the columns of a six-column body block that the body has: all, or the last three of a point mass.
template <class Block> auto body_columns(const Body& body, const Block& six) { return six.rightCols(body.nv()); }

// The sizes of the rows of a problem by their numbers in the model; 1 for the length of a quaternion.
Eigen::VectorXd row_sizes(const Model& model, const std::vector<int>& model_row);

// The inertia of a body in its own velocities: diag(I, m 1).
Mat6<double> body_inertia(const Body& body);

}  // namespace tandem
