#include <algorithm>

#include "tandem/model/compiler.hpp"

namespace tandem {

static const std::vector<std::string> body_quantities{"x", "y", "z", "yaw", "lean", "pitch"};  // in the order of Of

std::string start_label(const StartDescription& in) {
  const std::string& owner = in.joint.empty() ? in.body : in.joint;
  const std::string& what = in.joint.empty() ? in.quantity : in.coordinate;
  if (owner.empty()) return "start";
  return what.empty() ? fmt::format("start \"{}\"", owner) : fmt::format("start \"{}.{}\"", owner, what);
}

void Compiler::compile_starts() {
  for (const StartDescription& in : in_.starts) {
    faults_.about_table(start_label(in), in.source);
    for (const auto& [key, given] : {std::pair("value", in.value), std::pair("rate", in.rate)})
      if (given && !std::isfinite(value_of(*given)))
        error(in.source, key, fmt::format("{} must be a finite number", key));
    if (in.joint.empty() == in.body.empty()) {
      if (!in.source.is_refused("joint") && !in.source.is_refused("body"))
        error(in.source, in.joint.empty() ? "quantity" : "body",
              in.joint.empty() ? "a start needs a joint, or a body with a quantity"
                               : "give a joint, or a body with a quantity, not both");
      continue;
    }
    std::optional<ModelStart> out = in.joint.empty() ? body_start(in) : joint_start(in);
    if (!out) continue;
    out->value = in.value;
    out->rate = in.rate;
    out->where = in.source.where;
    const auto same = [&](const ModelStart& other) {
      return other.name == out->name && other.point.X_CF.p == out->point.X_CF.p;
    };
    if (std::any_of(out_.starts.begin(), out_.starts.end(), same))
      error(in.source, in.joint.empty() ? "quantity" : "joint",
            fmt::format("another start holds {} already; give value and rate in one table", out->name));
    out_.starts.push_back(std::move(*out));
  }
}

std::optional<ModelStart> Compiler::joint_start(const StartDescription& in) {
  if (!in.quantity.empty())
    error(in.source, "quantity", "quantity belongs to a body; a joint has coordinates: write coordinate");
  if (in.point) error(in.source, "point", "point belongs to x, y and z of a body");
  const auto ref = find_coordinate(in.source, {in.joint, in.coordinate}, true);
  if (!ref) return std::nullopt;
  ModelStart out;
  const auto& coordinates = out_.joints[index(ref->joint)].joint()->traits().coordinates;
  out.name =
      coordinates.size() == 1 ? in.joint : fmt::format("{}.{}", in.joint, coordinates[index(ref->coordinate)].name);
  out.coordinate = *ref;
  return out;
}

std::optional<ModelStart> Compiler::body_start(const StartDescription& in) {
  if (!in.coordinate.empty())
    error(in.source, "coordinate", "coordinate belongs to a joint; a body has quantities: write quantity");
  const auto which = std::find(body_quantities.begin(), body_quantities.end(), in.quantity);
  if (which == body_quantities.end()) {
    error(in.source, "quantity",
          in.quantity.empty() ? fmt::format("quantity is missing; it is {}", list_of(body_quantities))
                              : fmt::format("a body has no \"{}\" to hold{}; it has {}", in.quantity,
                                            did_you_mean(in.quantity, body_quantities), list_of(body_quantities)));
    return std::nullopt;
  }
  const auto body = find_body(in.source, "body", in.body);
  if (!body) return std::nullopt;
  ModelStart out;
  out.of = static_cast<ModelStart::Of>(1 + (which - body_quantities.begin()));
  const bool angle = out.of >= ModelStart::Of::yaw;
  if (*body == world) {
    error(in.source, "body", "the world does not move; name a body");
    return std::nullopt;
  }
  if (angle && is_point_mass(*body)) {
    error(in.source, "body", fmt::format("\"{}\" is a point mass and has no orientation to hold", in.body));
    return std::nullopt;
  }
  out.name = fmt::format("{}.{}", in.body, in.quantity);
  Pose<Real> X_WF = start_pose(*body);
  if (in.point) {
    if (angle) error(in.source, "point", fmt::format("point belongs to x, y and z; {} has none", in.quantity));
    if (!finite(in.source, "point", *in.point)) return std::nullopt;
    X_WF.p = *in.point;
  }
  out.point = at(*body, X_WF);
  require_at_point_mass(in.source, "point", out.point);
  return out;
}

}  // namespace tandem
