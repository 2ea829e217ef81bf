#include <map>

#include "tandem/model/compiler.hpp"

namespace tandem {

void Compiler::compile_forces() {
  Names taken;
  for (const ForceDescription& in : in_.forces) {
    begin("force", in, taken);
    in.type.check(faults_);
    ModelForce out{.name = in.name, .force = in.type, .points = {}, .coordinates = {}};
    const auto points = static_cast<std::size_t>(in.type.points());
    if (in.bodies.empty() && points == 1)
      error(in.source, "bodies",
            fmt::format("a \"{}\" force acts on a body; name it: body = \"NAME\"", in.type.type()));
    else if (in.bodies.size() != points)
      error(in.source, "bodies",
            fmt::format("a \"{}\" force acts on {} bod{}, but {} {} given", in.type.type(), points,
                        points == 1 ? "y" : "ies", in.bodies.size(), in.bodies.size() == 1 ? "is" : "are"));
    if (!in.points.empty() && in.points.size() != in.bodies.size())
      error(in.source, "points",
            fmt::format("{} point{} for {} bod{}; give one per body", in.points.size(),
                        in.points.size() == 1 ? "" : "s", in.bodies.size(), in.bodies.size() == 1 ? "y" : "ies"));
    for (std::size_t i = 0; i < in.bodies.size(); ++i) {
      const auto body = find_body(in.source, fmt::format("bodies[{}]", i), in.bodies[i]);
      if (!body) continue;
      const bool given = i < in.points.size();
      if (given && !finite(in.source, "points", in.points[i])) continue;
      Pose<Real> X_WF = start_pose(*body);
      if (given) X_WF.p = in.points[i];
      out.points.push_back(at(*body, X_WF));
      require_at_point_mass(in.source, "points", out.points.back());
    }
    if (in.type.coordinates() == 0 && !in.coordinates.empty())
      error(in.source, "joint",
            fmt::format("a \"{}\" force acts on bodies; the type \"joint\" acts on joints", in.type.type()));
    else if (in.coordinates.size() != static_cast<std::size_t>(in.type.coordinates()))
      error(in.source, "joint",
            fmt::format("a \"{}\" force acts on {} joint coordinate{}, but {} {} given", in.type.type(),
                        in.type.coordinates(), in.type.coordinates() == 1 ? "" : "s", in.coordinates.size(),
                        in.coordinates.size() == 1 ? "is" : "are"));
    for (const CoordinateName& name : in.coordinates)
      if (const auto ref = find_coordinate(in.source, name, in.type.needs_scalar_coordinate()))
        out.coordinates.push_back(*ref);
    if (out.points.size() == 2) out.force = in.type.at_start(start_relative(out.points[0], out.points[1]).p.norm());
    out_.forces.push_back(std::move(out));
  }
}

void Compiler::compile_drives() {
  Names taken;
  std::map<std::pair<int, int>, std::string> driven;
  for (const DriveDescription& in : in_.drives) {
    begin("drive", in, taken);
    in.type.check(faults_);
    const auto ref = find_coordinate(in.source, in.coordinate, true);
    if (!ref) continue;
    const auto [other, is_new] = driven.emplace(std::pair(ref->joint, ref->coordinate), in.name);
    if (!is_new)
      error(in.source, "joint",
            fmt::format("drive \"{}\" already drives this coordinate of joint \"{}\"", other->second,
                        in.coordinate.joint));
    if (faults_.any_error()) continue;  // the start below needs a sound joint
    const Drive drive = in.type.at_start(start_coordinate(*ref));
    const Jet<Real> start = drive.motion<Real>(Real(0.0));
    for (const auto& [what, value] :
         {std::pair("value", start.value), {"speed", start.rate}, {"acceleration", start.acceleration}})
      if (!std::isfinite(value_of(value)))
        error(in.source, "value",
              fmt::format("the {} of its motion is {} at t = 0, not a finite number", what, value_of(value)));
    out_.drives.push_back({in.name, drive, *ref, in.source.where});
  }
}

}  // namespace tandem
