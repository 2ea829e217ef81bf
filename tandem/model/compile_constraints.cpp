#include <limits>

#include "tandem/model/compiler.hpp"

namespace tandem {

void Compiler::compile_constraints() {
  Names taken = joint_names_;  // reactions are asked for by name: joints and constraints share names
  for (const ConstraintDescription& in : in_.constraints) {
    begin("constraint", in, taken);
    ModelConstraint out{
        .name = in.name, .type = "custom", .one_sided = false, .soft = {}, .what = CoordinateConstraint{}};
    out.where = in.source.where;
    if (in.source.is_refused("type")) {
      // Told already; the name still counts.
    } else if (const auto* pair = std::get_if<Constraint>(&in.type)) {
      out.type = pair->traits().type;
      out.one_sided = pair->traits().one_sided;
      out.what = compile_pair(in, *pair);
    } else if (const auto* coupler = std::get_if<Coupler>(&in.type)) {
      out.type = Coupler::type;
      out.what = compile_coupler(in, *coupler);
    } else if (const auto* speed = std::get_if<ConstantSpeed>(&in.type)) {
      out.type = ConstantSpeed::type;
      out.what = compile_constant_speed(in, *speed);
    } else {
      out.what = compile_custom(in, std::get<CustomRows>(in.type));
    }
    if (in.soft) {
      if (!(in.soft->frequency >= std::numeric_limits<double>::min()) || !std::isfinite(in.soft->frequency))
        error(in.source, "soft",
              "the frequency of a soft constraint must be positive (hertz)" + not_this(in.soft->frequency));
      if (!(in.soft->damping_ratio >= 0.0) || !std::isfinite(in.soft->damping_ratio))
        error(in.source, "soft",
              "the damping_ratio of a soft constraint must not be negative" + but_is(in.soft->damping_ratio) +
                  "; 1 is critical");
      out.soft = in.soft;
    }
    out_.constraints.push_back(std::move(out));
  }
}

PairConstraint Compiler::compile_pair(const ConstraintDescription& in, const Constraint& type) {
  PairConstraint out{type, {}, {}};
  const std::size_t errors_before = faults_.error_count();
  type.check(faults_);
  const auto pair = find_pair(in.source, in.bodies);
  if (!pair) return out;
  const auto [first, second] = *pair;
  for (const Vector3& point : in.points) finite(in.source, "points", point);
  const auto refuse = [&](bool given, std::string_view key) {
    if (given) error(in.source, key, fmt::format("a {} constraint takes no {}", type.traits().type, key));
  };
  const Placement placement = type.placement();
  const bool on_plane = is_on_plane(placement);
  refuse(in.plane_point.has_value() && !on_plane, "plane_point");
  refuse(in.normal.has_value() && !on_plane, "normal");
  refuse(in.blade.has_value() && placement != Placement::blade, "blade");
  refuse(in.axis.has_value() &&
             (placement == Placement::points || placement == Placement::blade || placement == Placement::surface),
         "axis");
  const auto& contact = type.contact_geometry();
  refuse(in.axis.has_value() && contact && contact->shape == ContactGeometry::Shape::ball, "axis");
  const bool reads_rotation = on_plane || placement == Placement::directions;
  if (reads_rotation && (is_point_mass(second) || (!on_plane && is_point_mass(first))))
    error(
        in.source, "bodies",
        fmt::format("a {} constraint needs a body with an orientation, and a point mass has none", type.traits().type));

  if (in.frames) {
    if (const auto F = find_frame(in.source, "frames[0]", first, (*in.frames)[0])) out.first = *F;
    if (const auto M = find_frame(in.source, "frames[1]", second, (*in.frames)[1])) out.second = *M;
  } else if (in.source.is_refused("frames")) {
    return out;
  } else if (on_plane) {
    place_on_plane(in, placement, *pair, out);
  } else {
    place_by_points(in, type, *pair, out);
  }
  for (const BodyFrame* frame : {&out.first, &out.second}) require_at_point_mass(in.source, "points", *frame);
  if (faults_.error_count() > errors_before || !in.source.refused.empty()) return out;  // the start says nothing then
  const Pose<Real> X_FM = start_relative(out.first, out.second);
  out.constraint = type.at_start(X_FM);
  if (const std::string trouble = out.constraint.trouble({X_FM.R, X_FM.p}, reach()); !trouble.empty())
    error(in.source, "points", "at the start " + trouble);
  return out;
}

// F is the plane, in world axes; M sits on the second body with its z along the wheel's axis, its x along the
// blade, or the axes of the body for a surface.
void Compiler::place_on_plane(const ConstraintDescription& in, Placement placement, const std::array<int, 2>& bodies,
                              PairConstraint& out) {
  Pose<Real> X_WF, X_WM = start_pose(bodies[1]);
  const Vector3 normal = in.normal ? unit(in.source, "normal", *in.normal) : Vector3(Vector3::UnitZ());
  X_WF.R = in.normal ? rotation_with_z(normal) : Matrix3(Matrix3::Identity());
  X_WF.p = in.plane_point.value_or(Vector3(Vector3::Zero()));
  finite(in.source, "plane_point", X_WF.p);
  if (in.points.size() > 1) error(in.source, "points", "give one point: on the second body, default its mass centre");
  if (!in.points.empty()) X_WM.p = in.points[0];
  if (placement == Placement::rolling_body) {  // the axis is a vector of the body
    const Vector3 axis = in.axis ? unit(in.source, "axis", *in.axis) : Vector3(Vector3::UnitY());
    X_WM.R = X_WM.R * rotation_with_z(axis);
  } else if (placement == Placement::blade) {
    const Vector3 blade = in.blade ? unit(in.source, "blade", *in.blade) : Vector3(X_WM.R.col(0));
    if (!(blade.cross(normal).norm() > 1e-6))
      return error(in.source, "blade", "the blade must not point along the normal of the plane");
    X_WM.R = rotation_with_z_and_x(normal - blade * blade.dot(normal), blade);
  }
  out.first = at(bodies[0], X_WF);
  out.second = at(bodies[1], X_WM);
}

void Compiler::place_by_points(const ConstraintDescription& in, const Constraint& type,
                               const std::array<int, 2>& bodies, PairConstraint& out) {
  const bool needs_axis = type.placement() != Placement::points;
  const bool needs_point = type.placement() != Placement::directions;
  const auto missing = [&](const char* key, const char* what) {
    error(in.source, key,
          fmt::format("a {} constraint needs {} (in world axes of the assembled pose), or frames", type.traits().type,
                      what));
  };
  if (needs_axis && !in.axis) return missing("axis", "an axis");
  if (needs_point && in.points.empty()) return missing("points", "points");
  if (in.points.size() > 2) error(in.source, "points", "give one point for both bodies, or two: [on first, on second]");
  const Matrix3 R = in.axis ? rotation_with_z(unit(in.source, "axis", *in.axis)) : Matrix3(Matrix3::Identity());
  const Vector3 p = in.points.empty() ? start_pose(bodies[1]).p : in.points.front();
  out.first = at(bodies[0], {R, p});
  out.second = at(bodies[1], {R, in.points.size() > 1 ? in.points[1] : p});
}

void Compiler::require_finite_value(const ConstraintDescription& in, std::string_view key,
                                    const CoordinateConstraint& relation) {
  if (!std::isfinite(value_of(relation.value)))
    error(in.source, key, fmt::format("{} must be a finite number, not {}", key, value_of(relation.value)));
}

CoordinateConstraint Compiler::compile_coupler(const ConstraintDescription& in, const Coupler& type) {
  CoordinateConstraint out;
  if (type.coordinates.size() < 2) error(in.source, "joints", "a coupler relates at least two joint coordinates");
  if (type.coefficients.size() != type.coordinates.size())
    error(in.source, "coefficients",
          fmt::format("coefficients must hold one number per joint: {} here", type.coordinates.size()));
  for (std::size_t i = 0; i < type.coordinates.size(); ++i) {
    auto ref = find_coordinate(in.source, type.coordinates[i], true, fmt::format("s[{}]", i));
    if (!ref || i >= type.coefficients.size()) continue;
    ref->coefficient = type.coefficients[i];
    const auto same = [&](const CoordinateRef& term) {
      return term.joint == ref->joint && term.coordinate == ref->coordinate;
    };
    if (std::any_of(out.terms.begin(), out.terms.end(), same))
      error(in.source, fmt::format("joints[{}]", i),
            fmt::format("joint \"{}\" is named twice; add up its coefficients", type.coordinates[i].joint));
    if (!(std::abs(value_of(ref->coefficient)) > 0.0) || !std::isfinite(value_of(ref->coefficient)))
      error(in.source, "coefficients", "a coefficient must not be zero");
    out.terms.push_back(*ref);
    if (!faults_.any_error()) out.value += ref->coefficient * start_coordinate(*ref);
  }
  if (type.offset) out.value = *type.offset;
  require_finite_value(in, "offset", out);
  return out;
}

CoordinateConstraint Compiler::compile_constant_speed(const ConstraintDescription& in, const ConstantSpeed& type) {
  CoordinateConstraint out;
  out.velocity_only = true;
  out.value = type.speed;
  require_finite_value(in, "speed", out);
  if (const auto ref = find_coordinate(in.source, type.coordinate, true)) out.terms.push_back(*ref);
  return out;
}

CustomConstraint Compiler::compile_custom(const ConstraintDescription& in, const CustomRows& type) {
  CustomConstraint out{type, {}};
  if (in.bodies.empty()) error(in.source, "bodies", "custom rows need at least one body");
  for (std::size_t i = 0; i < in.bodies.size(); ++i)
    if (const auto body = find_body(in.source, fmt::format("bodies[{}]", i), in.bodies[i])) out.bodies.push_back(*body);
  return out;
}

}  // namespace tandem
