#include "tandem/observe/reactions.hpp"

namespace tandem {

static Loaded<double> loaded(const Model& model, const Workspace& workspace, const Solution& solution) {
  return {model, workspace.kinematics, workspace.applied, workspace.rows, solution.lambda};
}

Reaction joint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int joint) {
  return reaction_of(joint_reaction(loaded(model, workspace, solution), joint));
}

Reaction constraint_reaction(const Model& model, const Workspace& workspace, const Solution& solution, int constraint) {
  return reaction_of(constraint_reaction(loaded(model, workspace, solution), constraint));
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

}  // namespace tandem
