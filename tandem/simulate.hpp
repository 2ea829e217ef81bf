// Simulation: one machine in motion. The step on one page, and what one can ask about its state.
//
//   Simulation simulation(model);
//   while (simulation.state().t < 5.0) simulation.step(0.001);
//   simulation.pose(model.point("frame", {0, 0, 1}));
#pragma once

#include "tandem/analysis/reactions.hpp"
#include "tandem/integrate/impulse_step.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/integrate/rk4.hpp"

namespace tandem {

// How far the given start was from the constraints, and how far it was moved.
struct StartReport {
  ResidualNorms given;
  double moved = 0.0;        // largest change of a coordinate (metres, radians)
  double speed_moved = 0.0;  // largest change of a speed
};

struct StepReport {
  ResidualNorms before, after;  // the projection
  int iterations = 0;           // of the position projection
  ImpulseReport impulses;       // by the method impulses
};

struct Energy {
  double kinetic = 0.0, gravity = 0.0, spring = 0.0;
  double total() const { return kinetic + gravity + spring; }
};

// A step that leaves a constraint by more than this (metres, radians) is too long to be trusted.
inline constexpr double largest_step_residual = 0.01;
// A body that turns further than this in one step (radians) is not followed by it.
inline constexpr double largest_turn = 1.5;

class Simulation {
 public:
  // Makes the start consistent: positions by the smallest move, speeds by an impulse of the constraints alone.
  // Throws ModelError when the given start is further than `tolerance` from its constraints.
  explicit Simulation(const Model& model, double tolerance = start_tolerance);
  explicit Simulation(Model&& model, double tolerance = start_tolerance) = delete;  // the model must outlive it

  const StartReport& start() const { return start_; }
  // In the coordinates in use; on the maximal cut in quasi-velocities that is bodies().
  const State& state() const { return state_; }
  void set_state(State state);
  // Position, quaternion and velocity of every body, laid out as on the maximal cut.
  const State& bodies() const { return bodies_; }
  void set_bodies(const State& bodies);

  // One step of rk4 and, if the model asks for it, projection. On failure the state stays the last good one and
  // NumericalError tells the time and the reason.
  StepReport step(double h);

  // Accelerations of all bodies and multipliers of all rows at the current state, on any cut.
  const Solution& solution();
  // The same in the coordinates in use, as the method found it.
  const Solution& reduced_solution();
  const Workspace& workspace() const { return workspace_; }

  Energy energy() const;
  Vector3 mass_center() const;
  Pose<double> pose(const BodyFrame& frame) const;
  Twist<double> velocity(const BodyFrame& frame) const;    // world axes
  Twist<double> acceleration(const BodyFrame& frame);      // world axes: (α, a of the point)
  Eigen::MatrixXd jacobian(const BodyFrame& frame) const;  // 6 × nv: velocity(frame) = jacobian(frame) v
  double coordinate(std::string_view joint, std::string_view coordinate = "") const;
  double rate(std::string_view joint, std::string_view coordinate = "") const;
  Eigen::VectorXd joint_acceleration(int joint);  // v̇ of all its speeds
  Reaction reaction(std::string_view name);       // of a joint or a constraint

 private:
  void make_start_consistent(double tolerance);
  void read_bodies();
  void stabilise_rows();
  StepReport step_by_equations(double h);  // rk4 and a method that solves for accelerations
  StepReport step_by_impulses(double h);
  template <class Residual>
  void refuse_start(Residual&& residual, double tolerance, const char* what, const char* how) const;
  void require_met() const;
  void require_sane_step(double h, double position_residual) const;
  CoordinateRef find_coordinate(std::string_view joint, std::string_view coordinate) const;

  const Model& model_;
  State state_, next_, bodies_;
  std::unique_ptr<Method> method_;
  Workspace workspace_;  // at state_, except within step()
  Solution solution_, reduced_, stage_solution_;
  bool solved_ = false, by_impulses_ = false;
  RungeKutta4 integrator_;
  Projection projection_;
  ImpulseStep impulse_step_;
  StartReport start_;
};

}  // namespace tandem
