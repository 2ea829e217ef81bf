#include "tandem/analysis/reactions.hpp"

#include "tandem/linalg/independent_rows.hpp"

namespace tandem {

static Reaction plain(const ReactionOf<double>& in) { return {in.force, in.torque, in.point}; }

static Loaded<double> loaded(const Model& model, const Workspace& workspace, const Solution& solution) {
  return {model, workspace.kinematics, workspace.applied, workspace.rows, solution.lambda};
}

Reaction joint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int joint) {
  return plain(joint_reaction(loaded(model, workspace, solution), joint));
}

Reaction constraint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int constraint) {
  return plain(constraint_reaction(loaded(model, workspace, solution), constraint));
}

double drive_effort(const Model& model, const Solution& solution, int drive) {
  std::size_t at = 0;
  const RowBlockInfo* block = find_block(model, RowBlockInfo::Kind::drive, drive, at);
  return block ? solution.lambda[block->first_row] : 0.0;
}

std::vector<double> relation_efforts(const Model& model, const Solution& solution, int constraint) {
  std::vector<double> efforts;
  std::size_t at = 0;
  const auto* relation =
      std::get_if<CoordinateConstraint>(&model.constraints[static_cast<std::size_t>(constraint)].what);
  const RowBlockInfo* block = find_block(model, RowBlockInfo::Kind::constraint, constraint, at);
  if (!relation || !block) return efforts;
  for (const CoordinateRef& term : relation->terms)
    efforts.push_back(term.coefficient * solution.lambda[block->first_row]);
  return efforts;
}

std::vector<Contact> contacts(const Model& model) {
  std::vector<Contact> all;
  for (const RowBlockInfo& info : model.blocks) {
    if (info.kind != RowBlockInfo::Kind::constraint) continue;
    if (model.constraints[static_cast<std::size_t>(info.index)].carries_load())
      all.push_back({info.index, info.first_row});
  }
  return all;
}

std::vector<bool> unique_blocks(const Model& model, const Workspace& workspace) {
  // λ is free along n with Jᵀ n = 0. A block's reaction moves when its part of Jᵀ n does not vanish by itself.
  std::vector<bool> unique(model.blocks.size(), true);
  const Eigen::MatrixXd J = dense_rows(model, workspace.rows);
  std::vector<int> equations;
  for (const RowBlockInfo& info : model.blocks)
    for (int k = 0; k < info.rows && !info.is_one_sided(model) && !info.is_soft(model); ++k)
      equations.push_back(info.first_row + k);
  const RowSelection selection = explain_rows(J, equations);
  for (const DependentRow& dependent : selection.dependent) {
    Eigen::VectorXd n = Eigen::VectorXd::Zero(J.rows());
    n[dependent.row] = -1.0;
    for (std::size_t k = 0; k < dependent.on.size(); ++k) n[dependent.on[k]] = dependent.coefficients[k];
    for (std::size_t i = 0; i < model.blocks.size(); ++i) {
      const RowBlockInfo& info = model.blocks[i];
      const double change =
          (J.middleRows(info.first_row, info.rows).transpose() * n.segment(info.first_row, info.rows)).norm();
      if (change > 1e-8 * n.norm()) unique[i] = false;
    }
  }
  return unique;
}

}  // namespace tandem
