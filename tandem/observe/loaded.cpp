#include "tandem/observe/loaded.hpp"

#include <algorithm>

namespace tandem {

const RowBlockInfo* find_block(const Model& model, RowBlockInfo::Kind kind, int index, std::size_t& at) {
  const auto is_it = [&](const RowBlockInfo& block) { return block.kind == kind && block.index == index; };
  // A model lists them by kind and index; what is held for a while comes last.
  const auto before = [&](const RowBlockInfo& block) {
    return block.kind != kind ? block.kind < kind : block.index < index;
  };
  auto found = std::partition_point(model.blocks.begin(), model.blocks.end(), before);
  if (found == model.blocks.end() || !is_it(*found))
    found = std::find_if(model.blocks.begin(), model.blocks.end(), is_it);
  at = static_cast<std::size_t>(found - model.blocks.begin());
  return found == model.blocks.end() ? nullptr : &*found;
}

namespace {

// (1), (2): what a block does to `body`, about `point`. The world takes the opposite of what `other` takes.
template <class S> Wrench<S> block_wrench(const Loaded<S>& at, std::size_t block, int body, const Vec3<S>& point) {
  const RowBlockInfo& info = at.model.blocks[block];
  const auto lambda = at.lambda.segment(info.first_row, info.rows);
  Wrench<S> sum;
  const auto add = [&](int on, double sign) {
    const auto found = std::find(info.bodies.begin(), info.bodies.end(), on);
    if (found == info.bodies.end()) return;
    const Vec6<S> w = at.rows.block(block).J.middleCols(6 * (found - info.bodies.begin()), 6).transpose() * lambda;
    const Pose<S>& X_WC = at.kinematics.body(on).X_WC;
    sum.force += sign * w.template tail<3>();
    sum.torque += sign * (X_WC.R * w.template head<3>() + Vec3<S>(X_WC.p - point).cross(Vec3<S>(w.template tail<3>())));
  };
  if (body != world) {
    add(body, 1.0);
  } else {  // action and reaction: the world takes the opposite of what all other bodies of the block take
    for (const int other : info.bodies) add(other, -1.0);
  }
  return sum;
}

}  // namespace

template <class S> ReactionOf<S> reaction_of_rows(const Loaded<S>& at, int joint) {
  const ModelJoint& owner = at.model.joints[static_cast<std::size_t>(joint)];
  const JointMotion<S>& motion = at.kinematics.joint(joint);
  ReactionOf<S> out;
  out.point = owner.joint()
                  ? motion.pair.X_WF.p
                  : at.kinematics.body(owner.second.body == world ? owner.first.body : owner.second.body).X_WC.p;
  const auto add_block = [&](std::size_t block) {
    const Wrench<S> w = block_wrench<S>(at, block, owner.second.body, out.point);
    out.force += w.force;
    out.torque += w.torque;
  };
  std::size_t block = 0;
  if (find_block(at.model, RowBlockInfo::Kind::joint, joint, block)) add_block(block);
  for (std::size_t i = 0; i < at.model.drives.size(); ++i)
    if (at.model.drives[i].coordinate.joint == joint &&
        find_block(at.model, RowBlockInfo::Kind::drive, static_cast<int>(i), block))
      add_block(block);
  return out;
}

template <class S> ReactionOf<S> joint_reaction(const Loaded<S>& at, int joint) {
  const ModelJoint& owner = at.model.joints[static_cast<std::size_t>(joint)];
  const JointMotion<S>& motion = at.kinematics.joint(joint);
  ReactionOf<S> out = reaction_of_rows(at, joint);
  if (!owner.joint()) return out;
  // Efforts of force laws: W τ is a wrench at M in F axes.
  const Vec6<S> w = motion.W * at.applied.efforts().segment(owner.turns_first, motion.v.size());
  const Vec3<S> force = motion.pair.X_WF.R * w.template tail<3>();
  out.force += force;
  out.torque += motion.pair.X_WF.R * w.template head<3>() + Vec3<S>(motion.pair.p_WM - out.point).cross(force);
  return out;
}

template <class S> ReactionOf<S> constraint_reaction(const Loaded<S>& at, int constraint) {
  const ModelConstraint& owner = at.model.constraints[static_cast<std::size_t>(constraint)];
  ReactionOf<S> out;
  std::size_t block = 0;
  if (!find_block(at.model, RowBlockInfo::Kind::constraint, constraint, block)) return out;
  int on = world;
  if (const auto* pair = std::get_if<PairConstraint>(&owner.what)) {
    PairMotion<S> motion;
    update_pair(at.kinematics.body(pair->first.body), pair->first.X_CF, at.kinematics.body(pair->second.body),
                pair->second.X_CF, motion);
    out.point = motion.X_WF * pair->constraint.template on<S>().reaction_point(motion.x);
    on = pair->second.body;
  } else if (const auto* custom = std::get_if<CustomConstraint>(&owner.what)) {
    on = custom->bodies.back();
    out.point = at.kinematics.body(on).X_WC.p;
  } else {
    const auto& relation = std::get<CoordinateConstraint>(owner.what);
    const ModelJoint& joint = at.model.joints[static_cast<std::size_t>(relation.terms.back().joint)];
    on = joint.second.body;
    out.point = at.kinematics.joint(relation.terms.back().joint).pair.X_WF.p;
  }
  const Wrench<S> w = block_wrench<S>(at, block, on, out.point);
  out.force = w.force;
  out.torque = w.torque;
  return out;
}

#define TANDEM_DEFINE(S)                                             \
  template ReactionOf<S> reaction_of_rows<S>(const Loaded<S>&, int); \
  template ReactionOf<S> joint_reaction<S>(const Loaded<S>&, int);   \
  template ReactionOf<S> constraint_reaction<S>(const Loaded<S>&, int);
TANDEM_INSTANTIATE_FOR_SCALARS(TANDEM_DEFINE)
#undef TANDEM_DEFINE

}  // namespace tandem
