// What the tree does not carry.
#include <fmt/format.h>

#include <algorithm>

#include "tandem/tree/link_form.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

namespace {

bool is_of_axes(const Model& model, int joint) {
  return link_form(*model.joints[static_cast<std::size_t>(joint)].joint()) == LinkForm::axes;
}

// A body without mass in it or in what hangs from it, on a joint that no row holds along a single turn or slide
// (loop_rows.hpp (8)): no force decides how it moves.
std::optional<std::string> massless_branch(const Model& model, const Forest& forest) {
  std::vector<bool> has_mass(forest.nodes.size(), false);
  for (std::size_t i = forest.nodes.size(); i-- > 0;) {
    const Forest::Node& node = forest.nodes[i];
    const Body& body = model.bodies[static_cast<std::size_t>(node.body)];
    has_mass[i] = has_mass[i] || body.mass > 0.0 || !body.inertia.isZero(0.0);
    const bool moves = std::any_of(node.drives.begin(), node.drives.end(), [](int drive) { return drive < 0; });
    const bool single = node.joint >= 0 && is_of_axes(model, node.joint);
    if (!has_mass[i] && moves && !single)
      return fmt::format("body \"{}\" has no mass, nor has anything that hangs from it", body.name);
    if (has_mass[i] && node.parent >= 0) has_mass[static_cast<std::size_t>(node.parent)] = true;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> tree_obstacle(const Model& model, TreeActs acts) {
  if (acts == TreeActs::gravity && !model.drives.empty())
    return fmt::format("drive \"{}\" prescribes a motion", model.drives.front().name);
  for (const ModelConstraint& constraint : model.constraints) {
    const auto* pair = std::get_if<PairConstraint>(&constraint.what);
    const bool custom = std::holds_alternative<CustomConstraint>(constraint.what);
    if (acts == TreeActs::gravity && (custom || (pair && pair->constraint.time_dependent())))
      return fmt::format("constraint \"{}\" {} with time", constraint.name, custom ? "may change" : "changes");
    if (constraint.one_sided || constraint.soft)
      return fmt::format("constraint \"{}\" is of type {}", constraint.name,
                         constraint.soft ? "soft" : constraint.type);
  }
  if (acts == TreeActs::everything)
    if (auto reason = massless_branch(model, spanning_forest(model))) return reason;
  if (acts == TreeActs::gravity)
    for (const ModelJoint& joint : model.joints)
      if (!joint.joint()) return fmt::format("joint \"{}\" may change with time", joint.name);
  return std::nullopt;
}

}  // namespace tandem
