#include "reaction_table.hpp"

#include "commands.hpp"

namespace tandem::cli {

std::string starred(const std::string& value, bool unique, bool any) {
  if (!unique) return value + "*";
  return any ? value + " " : value;
}

void add_reactions(const Model& model, const Workspace& workspace, const Solution& solution, const Uniqueness& unique,
                   Table& table) {
  const bool any = !unique.all();
  const auto add = [&](const std::string& name, const Reaction& reaction, const UniqueReaction& of) {
    std::vector<std::string> cells{name};
    for (std::size_t k = 0; k < 3; ++k)
      cells.push_back(
          starred(number(reaction.force[static_cast<Eigen::Index>(k)], model.scale.force()), of.force[k], any));
    for (std::size_t k = 0; k < 3; ++k)
      cells.push_back(
          starred(number(reaction.torque[static_cast<Eigen::Index>(k)], model.scale.energy()), of.torque[k], any));
    table.row(std::move(cells));
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    add(model.joints[i].name, joint_reaction(model, workspace, solution, static_cast<int>(i)), unique.joints[i]);
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    add(model.constraints[i].name, constraint_reaction(model, workspace, solution, static_cast<int>(i)),
        unique.constraints[i]);
}

nlohmann::ordered_json reaction_json(const Reaction& reaction, const UniqueReaction& unique) {
  return {{"force", json_of(reaction.force)},
          {"torque", json_of(reaction.torque)},
          {"unique", unique.all()},
          {"unique_force", unique.force},
          {"unique_torque", unique.torque}};
}

}  // namespace tandem::cli
