#include "tandem/steady/response.hpp"

namespace tandem {

// Derivatives ask for many right sides at one state: where the method is left open it is the one that keeps its
// factors.
static Setup require_accelerations(const Model& model, Setup setup) {
  if (setup.method == MethodName::automatic) setup.method = MethodName::lagrange;
  if (!setup.by_impulses()) return resolve(model, setup);
  Faults faults;
  faults.about_table("simulation", model.setup_source);
  faults.error("the method impulses has no accelerations to differentiate; choose another, lagrange say");
  throw ModelError(std::move(faults));
}

Response::Response(const Model& model, const Setup& asked)
    : model_(model),
      setup_(require_accelerations(model, asked)),
      method_(find_method(setup_.method).make(memory_)),
      workspace_(model, setup_.cut, setup_.coordinates),
      tangent_(model) {
  workspace_.with_mass = method_->needs_mass();
}

void Response::place(const State& bodies) {
  bodies_ = bodies;
  Kinematics<double>& kinematics = workspace_.kinematics;
  kinematics.update(model_, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  state_ = workspace_.coordinates->from_bodies(model_, bodies, kinematics);
  workspace_.update(model_, state_);
  method_->solve(model_, workspace_.problem, reduced_);  // (1)
  require_rows_met(model_, workspace_.problem, reduced_);
  workspace_.expand(model_, state_, reduced_, solution_);
}

const Solution& Response::to(const Direction& along) {
  tangent_.update(bodies_, along);
  tangent_.force(solution_.lambda, force_);
  tangent_.rows(solution_.y, rows_);
  return to(force_, rows_);
}

const Solution& Response::to(const Direction& along, const Eigen::VectorXd& more_force,
                             const Eigen::VectorXd& more_rows) {
  tangent_.update(bodies_, along);
  tangent_.force(solution_.lambda, force_);
  tangent_.rows(solution_.y, rows_);
  force_ += more_force;
  rows_ += more_rows;
  return to(force_, rows_);
}

const Solution& Response::to(const Eigen::VectorXd& force, const Eigen::VectorXd& rows) {  // (2)
  workspace_.coordinates->fill_right_sides({model_, state_, workspace_.kinematics, workspace_.applied, workspace_.rows},
                                           force, rows, workspace_.problem);
  method_->solve_again(model_, workspace_.problem, reduced_change_);
  workspace_.expand(model_, state_, reduced_change_, change_);
  return change_;
}

}  // namespace tandem
