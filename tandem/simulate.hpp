// Simulation: one machine in motion. The step on one page, and what one can ask about its state.
//
//   Simulation simulation(model);
//   while (simulation.state().t < 5.0) simulation.step(0.001);
//   simulation.pose(model.point("frame", {0, 0, 1}));
#pragma once

#include <span>

#include "tandem/choose.hpp"
#include "tandem/integrate/flow.hpp"
#include "tandem/integrate/impulse_step.hpp"
#include "tandem/integrate/integrator.hpp"
#include "tandem/integrate/projection.hpp"
#include "tandem/integrate/time_plan.hpp"
#include "tandem/observe/reactions.hpp"

namespace tandem {

class TreeFlow;
class TreeReading;

// How far the given start was from the constraints, and how far it was moved.
struct StartReport {
  ResidualNorms given;
  double moved = 0.0;        // largest move of a body (metres, and radians times the length of the machine)
  double speed_moved = 0.0;  // largest change of a body's velocity, likewise
  std::string most_moved;    // the body that moved most; empty when none did
};

struct StartOptions {
  double tolerance = tolerances::start;  // a start further off its constraints, in parts of the machine, is refused,
  bool assemble = false;                 // unless this asks for it
  bool zero_momentum = false;            // machines that float get the motion that leaves them without any
};

struct StepReport {
  ResidualNorms before, after;    // the projection
  int iterations = 0;             // of the position projection
  double quaternion_error = 0.0;  // from unit length, before it was restored
  double turn = 0.0;              // largest of a body in the step, radians
  double pivot = 1.0;             // where it ended: see Workspace::smallest_pivot(); fast steps: by mass
  int steps = 1, rejected = 0;    // by adaptive integrators: several in one call
  int general = 0;                // of them by the general equations, though the recursion steps through this model
  ImpulseReport impulses;         // by the method impulses
};

struct Energy {
  double kinetic = 0.0, gravity = 0.0, spring = 0.0;
  double total() const { return kinetic + gravity + spring; }
};

// Rows at a state, and what the machine does there.
struct RowsHere {
  const Rows<double>& rows;
  const std::vector<int>& blocks;     // which of them are there
  const Eigen::VectorXd &y, &lambda;  // of all bodies; of these rows, and of contacts and drives
  int rank = 0;                       // of all rows
  bool all = true;
};

class Simulation {
 public:
  // Makes the start consistent (assemble/assemble.hpp): the smallest move by mass, with Model::starts held.
  // Throws ModelError when the given start is further than the tolerance from its constraints.
  Simulation(const Model& model, const Setup& setup, const StartOptions& options = {});
  // As the model's file asks.
  explicit Simulation(const Model& model, const StartOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  Simulation(Model&& model, const Setup& setup, const StartOptions& options = {}) = delete;  // the model must
  explicit Simulation(Model&& model, const StartOptions& options = {}) = delete;             // outlive it

  const Model& model() const { return model_; }
  const Setup& setup() const { return setup_; }  // nothing in it is left open

  const StartReport& start() const { return start_; }
  // In the coordinates in use; on the maximal cut in quasi-velocities that is bodies().
  const State& state() const { return state_; }
  void set_state(State state);
  // Position, quaternion and velocity of every body, laid out as on the maximal cut.
  const State& bodies();
  void set_bodies(const State& bodies);

  // To t + h: one step of a fixed-step integrator, as many as needed of an adaptive one; projected if the model asks
  // for it. Every integrator ends a step at the breakpoints of time(), and so may take more. On failure the state stays
  // the last good one and NumericalError tells the time and the reason.
  StepReport step(double h);
  // One step: of an adaptive integrator of the length it finds right, not beyond `until`; a fixed-step one goes there,
  // or as far as time() and max_step let it.
  StepReport advance(double until);
  // What depends on time alone. At first it holds the kinks of the model's duration, and more of them when steps go
  // beyond it; a Run sets one with peaks.
  const TimePlan& time() const { return *time_; }
  void set_time(std::shared_ptr<const TimePlan> plan) { time_ = std::move(plan); }
  bool is_adaptive() const { return adaptive_; }
  // Steps go by the fast recursion (integrate/tree_flow.hpp); single ones may still be left to the plain equations.
  bool is_fast() const { return fast_ != nullptr; }
  bool was_fast() const { return was_fast_; }  // the last step, too
  double before() const { return before_.t; }  // where the last step began
  // Where another simulation of the same model, method and cut stands, but for its state: at a moment within its last
  // step. It takes the rows in use from there.
  void stand_beside(const Simulation& other, State state);
  // A state within the last step, by dense output, on the constraints. In the coordinates in use.
  State at(double t);
  // The same before it is brought onto the constraints: to look for moments that are worth more. Angles are as at
  // before().
  State glance(double t);
  // Goes back to such a moment. By impulses, what the bodies did in the step and the forces that made them hold there.
  void go_back(double t);

  // All that a later step needs beyond the model is state() and this: another simulation of it goes on from them bit
  // for bit. Throws std::invalid_argument when they are those of another model.
  const StepMemory& memory();
  void restore(const State& state, const StepMemory& memory);

  // Accelerations of all bodies and multipliers of all rows at the current state, on any cut.
  const Solution& solution();
  // The same in the coordinates in use, as the method found it.
  const Solution& reduced_solution();
  const Workspace& workspace() { return here(); }

  // What is asked for is found where a step left it to be found: so none of these is const. Where steps go by the
  // recursion it is read from that.
  std::span<const BodyMotion<double>> motions();  // of all bodies
  const Eigen::VectorXd& accelerations();         // of all bodies, as bodies().v()
  // All rows; with `all` false, where steps go by the recursion, those that no joint of its tree holds.
  RowsHere rows(bool all = true);
  double force_along(int row);  // of a contact: its normal force; of a drive: its effort
  CoordinateMotion<double> joint_motion(int joint, int coordinate);  // value and rate; a value of 0 where it has none
  Energy energy();
  Vector3 mass_center();
  Pose<double> pose(const BodyFrame& frame);
  Twist<double> velocity(const BodyFrame& frame);      // world axes
  Twist<double> acceleration(const BodyFrame& frame);  // world axes: (α, a of the point)
  Eigen::MatrixXd jacobian(const BodyFrame& frame);    // 6 × nv: velocity(frame) = jacobian(frame) bodies().v()
  double coordinate(std::string_view joint, std::string_view coordinate = "");
  double rate(std::string_view joint, std::string_view coordinate = "");
  Eigen::VectorXd joint_acceleration(int joint);  // v̇ of all its speeds
  Reaction reaction(std::string_view name);       // of a joint or a constraint
  Reaction joint_reaction(int joint);
  Reaction constraint_reaction(int constraint);

 private:
  void make_start_consistent(const StartOptions& options);
  void read_bodies(const Kinematics<double>& from);
  // The workspace at state_, and bodies_ with it. Fast steps and impulses leave it where it was.
  const Workspace& here();
  // What the recursion has to tell about state_: null where the workspace is to be asked.
  const TreeReading* read_motions();
  const TreeReading* read_accelerations();
  const Kinematics<double>& moving();  // bodies; joints as TreeReading where that is read
  Loaded<double> loaded(const TreeReading& reading) const;
  void moved() {  // state_ is another one
    bodies_read_ = false;
    reading_ = nullptr;
  }
  StepReport attempt(double h);                     // next_ from state_
  bool step_by_tree(double h, StepReport& report);  // false: next_ is anything, and the step is still to be made
  StepReport step_by_equations(double h);           // an integrator and a method that solves for accelerations
  StepReport step_by_impulses(double h);
  StepReport advance_fixed(double until);
  StepReport advance_adaptively(double until);
  struct Reach {  // of a step: where it ends, and where the next one begins, which differs at a jump
    double end = 0.0, after = 0.0;
    bool is_jump() const { return after > end; }
  };
  Reach furthest(double until, double near) const;
  double fastest_turn();
  struct PoseAhead {  // a singular pose on the way (advance.cpp)
    double in = 0.0;  // seconds; negative: it lies behind
    bool is_near = false;
    double falls = 0.0, speed = 0.0;  // σ in a second, and how far the machine moves in one
  };
  PoseAhead singular_pose_ahead(const State& from, State& probe);
  PoseAhead pose_beside_end(const PoseAhead& from_start, const StepReport& report, double h);
  double speed() const;
  double placed(const PoseAhead& pose, double h, bool must_end) const;
  double round_off_beside(const PoseAhead& pose, double h) const;
  int project(State& state);  // the number of iterations
  Projection& projection();   // prepared
  bool left_out_unmet() const;
  void accept(StepReport& report, const Reach& reach);
  void follow_rows(StepReport& report);  // at next_
  void pass_jump(StepReport& report, double after);
  void require_no_jump_of_drives(double before, double after) const;
  void require_no_jump_of_positions() const;
  bool interpolate(double t, State& out);          // whether the recursion did it; else the workspace was moved
  bool interpolate_by_tree(double t, State& out);  // false: the plain equations are to do it
  double first_step_size(double longest);
  void require_met() const;
  double fastest() const;
  void require_sane_step(double h, StepReport& report) const;
  CoordinateRef find_coordinate(std::string_view joint, std::string_view coordinate) const;

  const Model& model_;
  const Setup setup_;
  State state_, next_, before_;
  State bodies_;
  bool bodies_read_ = false;              // of state_; else only the signs of quaternions count
  const TreeReading* reading_ = nullptr;  // of state_, once somebody asked
  StepMemory memory_;                     // what others choose for themselves is written there by memory()
  std::unique_ptr<Method> method_;
  Workspace workspace_;    // anywhere: here() brings it to state_
  bool was_fast_ = false;  // the last step
  Solution solution_, reduced_;
  bool solved_ = false, by_impulses_ = false, adaptive_ = false, projects_ = false;
  bool drifts_ = false;     // nothing brings it back to its constraints
  bool has_loops_ = false;  // rows beyond those of a tree of joints: they may depend on each other in some pose
  std::unique_ptr<Integrator> integrator_;
  int order_ = 0;
  double reached_ = 0.0;  // where the last step ended; a jump may have put state_ a little further
  std::shared_ptr<const TimePlan> time_;
  Eigen::VectorXd q_dot_;  // of singular_pose_ahead()
  Flow flow_;
  std::unique_ptr<TreeFlow> fast_;  // where the model allows it
  Projection projection_;
  State first_;  // the start: projection() is prepared there once it is needed, as its mass has the square of the size
  ImpulseStep impulse_step_;
  StartReport start_;
  std::vector<int> all_blocks_;
};

}  // namespace tandem
