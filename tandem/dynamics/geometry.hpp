// Where the geometry of a constraint gives out: a wheel that lies flat, a bead that has run off the end of its wire.
#pragma once

#include "tandem/dynamics/kinematics.hpp"

namespace tandem {

// What is wrong with a constraint as the bodies stand; empty when all is well, and for other blocks.
inline std::string geometry_trouble(const Model& model, const RowBlockInfo& block,
                                    const Kinematics<double>& kinematics) {
  if (block.kind != RowBlockInfo::Kind::constraint) return "";
  const ModelConstraint& constraint = model.constraints[static_cast<std::size_t>(block.index)];
  const auto* pair = std::get_if<PairConstraint>(&constraint.what);
  if (!pair) return "";
  PairMotion<double> motion;
  update_pair(kinematics.body(pair->first.body), pair->first.X_CF, kinematics.body(pair->second.body),
              pair->second.X_CF, motion);
  const std::string trouble = pair->constraint.trouble(motion.x, block.length);
  return trouble.empty() ? "" : "constraint \"" + constraint.name + "\": " + trouble;
}

}  // namespace tandem
