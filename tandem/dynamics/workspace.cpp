#include "tandem/dynamics/workspace.hpp"

#include <algorithm>

#include "tandem/base/flush_denormals.hpp"
#include "tandem/base/same_bytes.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

Workspace::Workspace(const Model& model, Choice<Cut> of_cut, Choice<CoordinatesName> of_coordinates)
    : cut(of_cut),
      coordinates_name(of_coordinates),
      kinematics(model),
      applied(model),
      rows(model),
      coordinates(make_coordinates(model, cut, coordinates_name)),
      layout(coordinates->layout(model)),
      problem(coordinates->structure(model)) {
  for (std::vector<int>* chosen : {&problem.rows, &problem.position_rows})
    chosen->reserve(static_cast<std::size_t>(problem.row_count()));
  system_.analyse(problem);
  part(layout.error_scale, layout.v) /= model.scale.time;
}

void Workspace::update(const Model& model, const State& state) {
  refresh(model, state);
  choose_rows();
  if (problem.row_count() > 0) find_pivot();
}

bool Workspace::find_pivot() {
  const FlushDenormals flush;
  system_.form(problem, RowSystem::Weight::unit);
  const bool independent = system_.factor(problem.rows, problem.tree ? &problem.tree->row_square : nullptr);
  smallest_pivot_ = system_.smallest_pivot();
  return independent;
}

double Workspace::pivot_at(const Model& model, const State& state) {
  bring(model, state);
  const double kept = smallest_pivot_, here = find_pivot() ? smallest_pivot_ : 0.0;
  smallest_pivot_ = kept;
  return here;
}

void Workspace::follow(const Model& model, const State& state) {
  bring(model, state);
  if (problem.row_count() == 0) return;
  const bool sure = find_pivot() && smallest_pivot_ > tolerances::sure_pivot;
  if (!sure || problem.rows.size() < most_rows) choose_rows();
}

// How far the bodies are from where the rows want them, in parts of the machine's length and radians.
static double distance_off(const GaussProblem& problem) {
  double most = 0.0;
  for (const GaussProblem::Block& block : problem.blocks) {
    if (block.one_sided || block.soft) continue;  // a slack rope and a spring are where they should be
    for (int k = 0; k < block.holonomic; ++k) {
      // On the reduced cut a row may vanish in the coordinates; on the bodies it does not.
      double arm = problem.tree ? std::sqrt(problem.tree->row_square[block.first_row + k]) : 0.0;
      for (const GaussProblem::Part& part : block.parts) {
        const GaussProblem::Group& group = problem.groups[static_cast<std::size_t>(part.group)];
        for (int i = 0; i < group.size; ++i)
          arm = std::max(arm, std::abs(part.J(k, i)) * problem.unit[group.first + i]);
      }
      if (arm > 0.0) most = std::max(most, std::abs(problem.phi[block.first_row + k]) / arm);
    }
  }
  return most;
}

double rank_tolerance(const GaussProblem& problem) {
  return std::max(tolerances::rank, std::min(100.0 * distance_off(problem), 1e-3));
}

void Workspace::choose_rows() {
  const FlushDenormals flush;
  if (problem.row_count() == 0) return;
  const double tolerance = rank_tolerance(problem);
  const auto moves_only = [](const GaussProblem::Block& block) { return block.holonomic < block.rows; };
  if (std::any_of(problem.blocks.begin(), problem.blocks.end(), moves_only))
    system_.choose_rows(problem, tolerance, RowSystem::Among::holonomic, problem.position_rows);
  system_.choose_rows(problem, tolerance, RowSystem::Among::all, problem.rows);
  if (std::none_of(problem.blocks.begin(), problem.blocks.end(), moves_only)) problem.position_rows = problem.rows;
  near_rows = system_.near_rows();
  most_rows = std::max(most_rows, problem.rows.size());
}

void Workspace::refresh(const Model& model, const State& state) {
  const FlushDenormals flush;
  coordinates->place_bodies(model, state, kinematics);
  kinematics.update_joints(model, state.t, state.angles());
  applied.update(model, kinematics);
  rows.update(model, kinematics);
  coordinates->fill({model, state, kinematics, applied, rows}, with_mass, problem);
  holds_ = true;
  holds_mass_ = with_mass;
  held_t_ = state.t;
  held_q_ = state.q();
  held_v_ = state.v();
}

bool Workspace::holds(const State& state) const {
  return holds_ && (holds_mass_ || !with_mass) && state.t == held_t_ && same_bytes(state.q(), held_q_) &&
         same_bytes(state.v(), held_v_);
}

void Workspace::bring(const Model& model, const State& state) {
  if (!holds(state)) refresh(model, state);
}

void Workspace::place_bodies(const Model& model, const State& state) {
  forget();
  coordinates->place_bodies(model, state, kinematics);
}

void Workspace::expand(const Model& model, const State& state, const Solution& in, Solution& out) {
  const FlushDenormals flush;
  coordinates->expand({model, state, kinematics, applied, rows}, problem, in, out);
}

Eigen::VectorXd motion_sizes(const Model& model) {
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(model.nv);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    sizes.segment<3>(body.v_first + body.nv() - 3).setConstant(model.scale.of_body[i]);
  }
  return sizes;
}

double kinetic_energy(const Model& model, std::span<const BodyMotion<double>> bodies) {
  double energy = 0.0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = bodies[i];
    if (!body.point_mass) energy += 0.5 * motion.w_B.dot(body.inertia * motion.w_B);
    energy += 0.5 * body.mass * motion.v.squaredNorm();
  }
  return energy;
}

Eigen::MatrixXd dense_rows(const Model& model, const Rows<double>& rows, bool in_units) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(model.rows, model.nv);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const RowBlockInfo& info = model.blocks[i];
    for (std::size_t k = 0; k < info.bodies.size(); ++k) {
      const Body& body = model.bodies[static_cast<std::size_t>(info.bodies[k])];
      J.block(info.first_row, body.v_first, info.rows, body.nv()) =
          body_columns(body, rows.block(i).J.middleCols(6 * static_cast<Eigen::Index>(k), 6));
    }
  }
  for (std::size_t i = 0; in_units && i < model.bodies.size(); ++i)
    J.middleCols(model.bodies[i].v_first + model.bodies[i].nv() - 3, 3) *= model.scale.of_body[i];
  return J;
}

}  // namespace tandem
