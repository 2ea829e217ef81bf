#include "tandem/analysis/reactions.hpp"

#include <algorithm>

#include "tandem/dynamics/islands.hpp"
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
  const Islands islands(model);
  for (const int number : islands.with_dependent_rows(workspace.problem)) {
    const Island& island = islands.list()[static_cast<std::size_t>(number)];
    const Eigen::MatrixXd J = islands.dense_rows(model, workspace.rows, island);
    std::vector<int> equations;
    for (const int i : island.blocks) {
      const RowBlockInfo& info = model.blocks[static_cast<std::size_t>(i)];
      for (int k = 0; k < info.rows && !info.is_one_sided(model) && !info.is_soft(model); ++k)
        equations.push_back(islands.local_row(info.first_row + k));
    }
    for (const DependentRow& dependent : explain_rows(J, equations).dependent) {
      Eigen::VectorXd n = Eigen::VectorXd::Zero(J.rows());
      n[dependent.row] = -1.0;
      for (std::size_t k = 0; k < dependent.on.size(); ++k) n[dependent.on[k]] = dependent.coefficients[k];
      for (const int i : island.blocks) {
        const RowBlockInfo& info = model.blocks[static_cast<std::size_t>(i)];
        if (info.rows == 0) continue;
        const int first = islands.local_row(info.first_row);
        const double change = (J.middleRows(first, info.rows).transpose() * n.segment(first, info.rows)).norm();
        if (change > 1e-8 * n.norm()) unique[static_cast<std::size_t>(i)] = false;
      }
    }
  }
  return unique;
}

Uniqueness uniqueness(const Model& model, const Workspace& workspace) {
  Uniqueness result{std::vector<bool>(model.joints.size(), true), std::vector<bool>(model.constraints.size(), true)};
  const std::vector<bool> blocks = unique_blocks(model, workspace);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i]) continue;
    const RowBlockInfo& info = model.blocks[i];
    const auto at = static_cast<std::size_t>(info.index);
    if (info.kind == RowBlockInfo::Kind::joint)
      result.joints[at] = false;
    else if (info.kind == RowBlockInfo::Kind::constraint)
      result.constraints[at] = false;
    else
      result.joints[static_cast<std::size_t>(model.drives[at].coordinate.joint)] = false;
  }
  return result;
}

bool is_reaction(const ModelOutput& output) {
  return output.quantity == Quantity::force || output.quantity == Quantity::torque ||
         output.quantity == Quantity::effort || output.quantity == Quantity::lowest_load;
}

bool Uniqueness::of(const Model& model, const ModelOutput& output) const {
  if (!is_reaction(output)) return true;
  if (output.quantity == Quantity::lowest_load) {
    const std::vector<Contact> all = contacts(model);
    return std::all_of(all.begin(), all.end(),
                       [&](const Contact& each) { return constraints[static_cast<std::size_t>(each.constraint)]; });
  }
  if (output.constraint >= 0) return constraints[static_cast<std::size_t>(output.constraint)];
  const int joint =
      output.drive >= 0 ? model.drives[static_cast<std::size_t>(output.drive)].coordinate.joint : output.joint;
  return joint < 0 || joints[static_cast<std::size_t>(joint)];
}

}  // namespace tandem
