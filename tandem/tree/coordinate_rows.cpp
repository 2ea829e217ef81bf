// Rows on coordinates of joints: couplers, constant speeds, drives of joints that close a loop.
//
// A term κ q of a tree joint acts at that joint alone, K = 0 on its links: y ← y + κ in (3) of loop_rows.hpp. So
//   (1)  φ = Σ κ q − o,   φ̇ = Σ κ q̇ − u,   Σ κ v̇ = 0        the row meets above all its joints
// A drive of a joint that closes a loop is a row of the pair, with W and its bias from the joint (joints/joint.hpp
// (5)):
//   (2)  φ = q − d(t),   T = W,   φ_t = −ḋ,   bias − d̈
#include <algorithm>

#include "tandem/tree/tree_dynamics.hpp"

namespace tandem {

void LoopRows::update_terms(LoopBlock& block, const double* q, const double* v) {  // (1)
  double phi = -block.value, rate = 0.0;
  for (const LoopBlock::Term& term : block.terms) {
    phi += term.coefficient * q[term.q];
    rate += term.coefficient * v[term.v];
  }
  block.phi[0] = block.holonomic > 0 ? phi : 0.0;
  block.phi_t[0] = block.holonomic > 0 ? 0.0 : -block.value;
  block.rate[0] = rate + block.phi_t[0];
  block.right[0] = 0.0;
  block.phi_of_all[0] = block.phi[0];
  block.rate_of_all[0] = block.rate[0];
}

void LoopRows::fill(const LoopBlock& block, const Relative<double>& x, double t, PairRows<double>& rows) const {
  if (block.drive) {  // (2)
    const Jet<double> motion = block.drive->motion<double>(t);
    Mat6UpTo6<double> W;
    VecUpTo6<double> bias;
    block.joint->rates(x, W, bias);
    const double gap = block.joint->measure(x)[block.coordinate] - motion.value;
    rows.resize(1);
    rows.phi[0] = block.wraps ? wrap_angle<double>(gap) : gap;
    rows.T.col(0) = W.col(block.speed);
    rows.phi_t[0] = -motion.rate;
    rows.bias[0] = bias[block.speed] - motion.acceleration;
  } else if (block.joint) {
    block.joint->forbid(x, rows);
  } else {
    block.constraint->rows(x, t, rows);
  }
}

void LoopRows::place_terms(LoopBlock& block, const std::vector<TreeLink<double>>& links) const {
  const auto parent = [&](int link) { return links[static_cast<std::size_t>(link)].parent; };
  const auto is_above = [&](int link, int below) {
    while (below > link) below = parent(below);
    return below == link;
  };
  block.meet = -1;
  std::vector<int> ends;  // links below which there is no other term
  for (const LoopBlock::Term& term : block.terms) {
    block.meet = block.meet < 0 ? parent(term.link) : meeting_link(links, block.meet, parent(term.link));
    const bool last = std::none_of(block.terms.begin(), block.terms.end(), [&](const LoopBlock::Term& other) {
      return other.link != term.link && is_above(term.link, other.link);
    });
    if (last && std::find(ends.begin(), ends.end(), term.link) == ends.end()) ends.push_back(term.link);
  }
  for (std::size_t side = 0; side < 2; ++side) block.link[side] = side < ends.size() ? ends[side] : block.meet;
}

std::optional<std::string> LoopRows::obstacle(const Model& model, const Forest& forest) {
  for (const RowBlockInfo& info : model.blocks) {
    const auto which = static_cast<std::size_t>(info.index);
    const bool custom = info.kind == RowBlockInfo::Kind::joint
                            ? !model.joints[which].joint()
                            : info.kind == RowBlockInfo::Kind::constraint &&
                                  std::holds_alternative<CustomConstraint>(model.constraints[which].what);
    if (custom && (info.rows > 6 || info.bodies.size() > 2))
      return model.block_name(info) + " has custom rows, " +
             (info.rows > 6 ? "more than six" : "on more than two bodies");
  }
  for (const ModelConstraint& constraint : model.constraints) {
    const auto* relation = std::get_if<CoordinateConstraint>(&constraint.what);
    if (!relation) continue;
    if (relation->terms.size() > 2) return "constraint \"" + constraint.name + "\" couples more than two coordinates";
    for (const CoordinateRef& term : relation->terms)
      if (std::find(forest.loops.begin(), forest.loops.end(), term.joint) != forest.loops.end())
        return "constraint \"" + constraint.name + "\" is about joint \"" +
               model.joints[static_cast<std::size_t>(term.joint)].name + "\", which closes a loop";
  }
  return std::nullopt;
}

}  // namespace tandem
