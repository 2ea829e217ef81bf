#include <Eigen/Eigenvalues>
#include <unordered_set>

#include "tandem/model/compiler.hpp"

namespace tandem {

void Compiler::compile_bodies() {
  if (in_.bodies.empty())
    faults_.error_at(Location::top_of(in_.file), "the model has no body; a body is written in [[body]]");
  if (!in_.gravity.allFinite()) error(in_.source, "gravity", "gravity must be finite numbers");
  Names taken;
  for (const FrameDescription& frame : in_.world_frames) {
    begin("world frame", frame, taken);
    if (finite(frame.source, "position", frame.position) && is_rotation(frame.source, "quaternion", frame.rotation))
      out_.world_frames.push_back({frame.name, {frame.rotation, frame.position}});
  }
  taken.clear();
  for (const BodyDescription& in : in_.bodies) {
    begin("body", in, taken);
    if (in.name == world_name) error(in.source, "name", "\"world\" is the fixed world; give the body another name");
    Body body = compile_body(in);
    body.q_first = out_.nq;
    body.v_first = out_.nv;
    out_.nq += body.nq();
    out_.nv += body.nv();
    out_.bodies.push_back(std::move(body));
  }
}

Body Compiler::compile_body(const BodyDescription& in) {
  Body out;
  out.name = in.name;
  out.point_mass = in.point_mass;
  out.shapes = in.shapes;
  out.where = in.source.where;
  if (check_mass_and_shapes(in)) {
    set_mass_and_inertia(in, out);
    out.own_mass = in.own_mass.value_or(value_of(out.mass));
    check_inertia(in, out);
  }

  finite(in.source, "position", in.position);
  finite(in.source, "velocity", in.velocity);
  finite(in.source, "angular_velocity", in.angular_velocity);
  is_rotation(in.source, "quaternion", in.rotation);
  if (in.point_mass && (in.angular_velocity.norm() != 0.0 || !in.rotation.isIdentity(0.0)))
    error(in.source, "angular_velocity", "a point mass has no orientation and no angular velocity");
  out.X_WC = {in.rotation, in.position + in.rotation * out.center};
  out.velocity = in.velocity;
  out.angular_velocity = in.angular_velocity;
  std::unordered_set<std::string> taken;
  for (const FrameDescription& frame : in.frames) {
    if (!taken.insert(frame.name).second)
      error(frame.source, "name", fmt::format("the name \"{}\" is taken by another frame of this body", frame.name));
    finite(frame.source, "position", frame.position);
    is_rotation(frame.source, "quaternion", frame.rotation);
    out.frames.push_back({frame.name, {frame.rotation, frame.position - out.center}});
  }
  return out;
}

// Whether they are fit to give mass and inertia.
bool Compiler::check_mass_and_shapes(const BodyDescription& in) {
  bool sound = !in.source.is_refused("shape");
  if (in.mass && (!std::isfinite(value_of(*in.mass)) || *in.mass < 0.0)) {
    error(in.source, "mass",
          std::isfinite(value_of(*in.mass)) ? "mass must not be negative" + but_is(value_of(*in.mass))
                                            : "mass must be a finite number" + not_this(value_of(*in.mass)));
    sound = false;
  }
  const std::string object = faults_.object();
  for (const Shape& shape : in.shapes) {
    const std::size_t errors_before = faults_.error_count();
    faults_.about_table(object, shape.source);
    if (!shape.source.is_refused("type")) shape.check(faults_);
    sound = sound && faults_.error_count() == errors_before && shape.source.refused.empty();
  }
  faults_.about_table(object, in.source);
  return sound;
}

static bool has_mass(const Shape& shape) { return shape.mass || shape.density; }

std::optional<double> mass_of(const BodyDescription& body) {
  const bool weighed = !body.shapes.empty() && std::all_of(body.shapes.begin(), body.shapes.end(), has_mass);
  if (!body.mass && !weighed) return std::nullopt;
  const double mass = value_of(body.mass ? *body.mass : inertia_of(body.shapes, std::nullopt).mass);
  return std::isfinite(mass) ? std::optional(mass) : std::nullopt;
}

void Compiler::set_mass_and_inertia(const BodyDescription& in, Body& out) {
  const bool weighed = std::any_of(in.shapes.begin(), in.shapes.end(), has_mass);
  if (!in.mass && !weighed)
    return error(in.source, "mass", "mass is missing; give mass, or a shape with mass or density");

  const bool all_weighed = std::all_of(in.shapes.begin(), in.shapes.end(), has_mass);
  if (!in.mass && !all_weighed)
    return error(in.source, "shape", "every shape needs mass or density when the body has no mass of its own");
  SpatialInertia<Real> of_shapes;
  if (!in.shapes.empty()) of_shapes = inertia_of(in.shapes, in.mass);
  out.mass = in.mass ? *in.mass : of_shapes.mass;
  out.center = in.center.value_or(of_shapes.center);
  finite(in.source, "center", out.center);
  if (in.point_mass) {
    if (in.inertia) error(in.source, "inertia", "a point mass has no inertia; drop inertia or point_mass");
    return;
  }
  if (in.inertia) {
    const auto& i = *in.inertia;
    out.inertia << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  } else if (!in.shapes.empty()) {
    out.inertia = of_shapes.about_center;
  } else {
    error(in.source, "inertia", "inertia is missing; give inertia, a shape, or point_mass = true");
  }
}

void Compiler::check_inertia(const BodyDescription& in, const Body& out) {
  if (!out.inertia.allFinite()) return error(in.source, "inertia", "inertia must be finite numbers");
  const Vec3<double> moments = Eigen::SelfAdjointEigenSolver<Mat3<double>>(values_of(out.inertia)).eigenvalues();
  const double tolerance = 1e-9 * moments.cwiseAbs().maxCoeff();
  if (moments[0] < -tolerance)
    return error(in.source, "inertia",
                 fmt::format("no principal moment of inertia may be negative; the smallest is {:.6g}", moments[0]));
  if (moments[2] > moments[0] + moments[1] + tolerance)
    error(
        in.source, "inertia",
        fmt::format("inertia breaks the triangle inequality: principal moments {:.6g}, {:.6g}, {:.6g}; no body has one "
                    "larger than the sum of the other two",
                    moments[0], moments[1], moments[2]));
}

}  // namespace tandem
