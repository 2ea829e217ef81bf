#include "tandem/integrate/flow.hpp"

#include <fmt/format.h>

#include <utility>

#include "tandem/integrate/projection.hpp"

namespace tandem {

Flow::Flow(const Model& model, const Setup& setup, Workspace& workspace, Method& method)
    : model_(model),
      setup_(setup),
      workspace_(workspace),
      method_(method),
      forces_(model, ForcePower::Laws::undeclared) {}

void Flow::rate(const State& stage, Eigen::VectorXd& x_dot) {
  if (projects_stages()) {  // (6)
    on_constraints_ = stage;
    bring_onto_constraints(on_constraints_);
    method_.solve(model_, workspace_.problem, solution_);
    return finish(on_constraints_, x_dot);
  }
  workspace_.bring(model_, stage);
  stabilise();
  method_.solve(model_, workspace_.problem, solution_);
  finish(stage, x_dot);
}

void Flow::bring_onto_constraints(State& state) {
  stages_by_->project_positions(model_, state, workspace_);
  stages_by_->project_velocities(model_, state, workspace_);
}

// Speeds with and without the error are projected by the same J: the round-off of positions would change it.
void Flow::keep_along_constraints(const State& at, Eigen::VectorXd& error) {
  auto of_q = part(error, at.parts.q), of_v = part(error, at.parts.v);
  beside_ = at;
  beside_.q() += of_q;
  workspace_.coordinates->settle(model_, beside_);
  stages_by_->project_positions(model_, beside_, workspace_);
  of_q = beside_.q() - at.q();
  beside_ = at;
  beside_.v() += of_v;
  bring_onto_constraints(beside_);
  of_v = beside_.v();
  beside_.v() = at.v();
  workspace_.refresh(model_, beside_);
  stages_by_->project_velocities(model_, beside_, workspace_);
  of_v -= beside_.v();
}

void Flow::finish(const State& stage, Eigen::VectorXd& x_dot) {
  x_dot.resize(stage.x.size());
  workspace_.coordinates->rate(model_, stage, part(x_dot, stage.parts.q));  // (1)
  workspace_.coordinates->speed_rate(model_, stage.t, solution_.y, part(x_dot, stage.parts.v));
  if (rows_move()) workspace_.expand(model_, stage, solution_, expanded_);
  stage.parts.write_work(power(expanded_), x_dot);  // (3)
}

// The tree's equations have the accelerations without u̇ still in them: the same change is made to both.
void Flow::set_right_side(const Eigen::VectorXd& b) {
  GaussProblem& problem = workspace_.problem;
  workspace_.forget();
  if (problem.tree) problem.tree->b += b - problem.b;
  problem.b = b;
}

void Flow::stabilise() {  // (2)
  if (!setup_.has_baumgarte() || workspace_.problem.row_count() == 0) return;
  const GaussProblem& problem = workspace_.problem;
  right_ = problem.b - *setup_.alpha * problem.rate - *setup_.beta * problem.phi;
  set_right_side(right_);
}

bool Flow::rows_move() const {
  for (std::size_t i = 0; i < workspace_.rows.size(); ++i)
    for (const double phi_t : workspace_.rows.block(i).phi_t)
      if (phi_t != 0.0) return true;
  return false;
}

Work Flow::power(const Solution& expanded) {
  Work power;
  if (rows_move())
    for (std::size_t i = 0; i < workspace_.rows.size(); ++i) {
      const RowBlockInfo& info = model_.blocks[i];
      power.drives -= expanded.lambda.segment(info.first_row, info.rows).dot(workspace_.rows.block(i).phi_t);
    }
  if (forces_.any()) forces_.update(model_, workspace_.kinematics);
  power.dampers = workspace_.applied.damped() + forces_.dampers();
  power.forces = workspace_.applied.brought() + forces_.forces();
  return power;
}

void Flow::linearise(const State& stage) {
  if (!linear_) linear_ = std::make_unique<Linear>(model_);
  workspace_.refresh(model_, stage);
  stabilise();
  method_.solve(model_, workspace_.problem, solution_);
  linear_->stage = stage;
  workspace_.expand(model_, stage, solution_, linear_->at);
}

void Flow::rate_along(const VecX<Dual<double>>& q, const VecX<Dual<double>>& v, VecX<Dual<double>>& v_dot) {  // (5)
  Linear& at = *linear_;
  const Coordinates& coordinates = *workspace_.coordinates;
  coordinates.place_along(model_, at.stage.t, q, v, at.tangent.writable_kinematics());
  at.tangent.update_placed(at.stage.t, at.stage.angles());
  at.tangent.force(at.at.lambda, at.force);
  at.tangent.rows(at.at.y, at.rows);
  if (setup_.has_baumgarte()) {
    at.tangent.rate(at.part);
    at.rows -= *setup_.alpha * at.part;
    at.tangent.phi(at.part);
    at.rows -= *setup_.beta * at.part;
  }
  const Surroundings here{model_, at.stage, workspace_.kinematics, workspace_.applied, workspace_.rows};
  workspace_.forget();
  workspace_.coordinates->fill_right_sides(here, at.force, at.rows, workspace_.problem);
  method_.solve_again(model_, workspace_.problem, at.reduced);
  workspace_.expand(model_, at.stage, at.reduced, at.change);
  at.y.resize(model_.nv);
  for (Eigen::Index i = 0; i < at.y.size(); ++i) at.y[i] = {at.at.y[i], at.change.y[i]};
  coordinates.speed_rate_along(model_, q, v, at.tangent.kinematics(), at.y, v_dot);
}

void Flow::half_explicit_rate(const State& stage, const State& next, double w, Eigen::VectorXd& x_dot) {
  if (!ahead_) {
    ahead_ = std::make_unique<Workspace>(model_, workspace_.cut, workspace_.coordinates_name);
    ahead_->with_mass = false;
  }
  workspace_.refresh(model_, stage);
  const GaussProblem& problem = workspace_.problem;
  if (problem.row_count() == 0 || problem.unknowns() == 0) {
    method_.solve(model_, problem, solution_);
    return finish(stage, x_dot);
  }
  ahead_->refresh(model_, next);
  target_ = -ahead_->problem.rate / w;
  right_ = target_;
  constexpr int most_passes = 60;
  // Where nothing accelerates y is round-off of the machine's accelerations and of v/w.
  const double usual =
      std::max(1.0 / (model_.scale.time * model_.scale.time),
               next.v().cwiseQuotient(workspace_.v_size()).cwiseAbs().maxCoeff() / (w * model_.scale.time));
  double change_before = std::numeric_limits<double>::infinity();
  bool chose_anew = false;
  for (int pass = 0;; ++pass) {  // (4)
    set_right_side(right_);
    method_.solve(model_, problem, solution_);
    const double size = solution_.y.cwiseQuotient(problem.unit).cwiseAbs().maxCoeff();
    const double change =
        pass == 0 ? std::max(size, usual) : (solution_.y - before_).cwiseQuotient(problem.unit).cwiseAbs().maxCoeff();
    const bool stays = change > 0.5 * change_before;
    if (change <= 1e-15 * std::max(size, usual) || (stays && change <= std::max(1e-12 * size, 1e-14 * usual))) break;
    if (pass == most_passes || !(change <= 4.0 * change_before)) {
      // Rows that were independent where the step began may not be so here, while others are.
      const std::vector<int> rows = problem.rows;
      if (!std::exchange(chose_anew, true)) workspace_.choose_rows();
      if (problem.rows == rows)
        throw NumericalError(
            "the half-explicit stage does not converge: the step is too long here, or leads into a singular pose; use "
            "another one");
      right_ = target_;
      change_before = std::numeric_limits<double>::infinity();
      pass = -1;
      continue;
    }
    change_before = change;
    before_ = solution_.y;
    problem.multiply_J(solution_.y, product_);
    right_ = target_ + product_;
    ahead_->problem.multiply_J(solution_.y, product_);
    right_ -= product_;
  }
  finish(stage, x_dot);
}

}  // namespace tandem
