#include "tandem/model/compiler.hpp"

namespace tandem {

void Compiler::compile_joints() {
  Names taken;
  for (const JointDescription& in : in_.joints) {
    begin("joint", in, taken);
    ModelJoint out{.name = in.name, .type = in.type, .first = {}, .second = {}, .cut = in.cut};
    out.where = in.source.where;
    if (const Joint* joint = out.joint()) {
      joint->check(faults_);
      out.turns_first = out_.angles;
      out_.angles += joint->traits().nv;
    }
    if (!in.source.is_refused("type")) place_joint(in, out);
    out_.joints.push_back(std::move(out));  // also when faulty: others refer to it by index
  }
}

void Compiler::place_joint(const JointDescription& in, ModelJoint& out) {
  const auto pair = find_pair(in.source, {in.bodies.begin(), in.bodies.end()});
  if (!pair) return;
  const auto [first, second] = *pair;
  out.first.body = first;
  out.second.body = second;
  out.positions_only = is_point_mass(first) || is_point_mass(second);
  if (is_point_mass(first) && second != world && !is_point_mass(second))
    error(in.source, "bodies", "list the point mass second: it has no orientation to carry the joint's axes");
  const Joint* joint = out.joint();
  if (!joint) return;  // custom rows bring their own geometry
  const JointTraits& traits = joint->traits();

  if (in.frames) {
    if (in.point || in.axis) error(in.source, "frames", "place a joint by point and axis or by frames, not by both");
    const auto F = find_frame(in.source, "frames[0]", first, (*in.frames)[0]);
    const auto M = find_frame(in.source, "frames[1]", second, (*in.frames)[1]);
    if (F) out.first = *F;
    if (M) out.second = *M;
    for (const BodyFrame* frame : {&out.first, &out.second}) require_at_point_mass(in.source, "frames", *frame);
    return;
  }
  if (in.source.is_refused("frames")) return;
  if (!in.point && traits.needs_point)
    return error(in.source, "point",
                 fmt::format("a {} joint needs a point (in world axes of the assembled pose), or frames", traits.type));
  if (!in.axis && traits.needs_axis)
    return error(in.source, "axis",
                 fmt::format("a {} joint needs an axis (in world axes of the assembled pose), or frames", traits.type));
  if (in.point && !finite(in.source, "point", *in.point)) return;

  Pose<Real> X_WF;
  X_WF.p = in.point ? *in.point : start_pose(second == world ? first : second).p;
  const Vector3 axis = in.axis ? unit(in.source, "axis", *in.axis) : Vector3(Vector3::UnitZ());
  X_WF.R = in.axis ? rotation_with_z(axis) : Matrix3(Matrix3::Identity());
  if (traits.needs_second_axis) {
    if (!in.second_axis)
      return error(in.source, "second_axis", fmt::format("a {} joint needs a second_axis", traits.type));
    const Vector3 across = unit(in.source, "second_axis", *in.second_axis);
    if (std::abs(value_of(across.dot(axis))) > 1e-6)
      return error(in.source, "second_axis", "second_axis must be perpendicular to axis in the assembled pose");
    X_WF.R = rotation_with_z_and_x(axis, across);
  } else if (in.second_axis) {
    error(in.source, "second_axis", fmt::format("a {} joint has no second axis", traits.type));
  }
  out.first = at(first, X_WF);
  out.second = at(second, X_WF);
  // Where the joint leaves the point mass free to move, its starting point may lie off the joint's own.
  if (is_point_mass(second)) out.second.X_CF.p.setZero();
  require_at_point_mass(in.source, "point", out.first);
}

}  // namespace tandem
