// The checks between a description and a model, one file a kind of thing: compile_*.cpp.
#pragma once

#include <fmt/format.h>

#include <unordered_map>

#include "tandem/base/suggest.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {

class Compiler {
 public:
  Compiler(const ModelDescription& description, Faults& faults)
      : in_(description),
        faults_(faults),
        body_names_(index_of(in_.bodies)),
        joint_names_(index_of(in_.joints)),
        constraint_names_(index_of(in_.constraints)) {}
  Model run();

 private:
  using Names = std::unordered_map<std::string, int>;

  void compile_bodies();       // compile_bodies.cpp
  void compile_joints();       // compile_joints.cpp
  void compile_constraints();  // compile_constraints.cpp
  void compile_forces();       // compile_forces.cpp
  void compile_drives();       // compile_forces.cpp
  void compile_outputs();      // compile_outputs.cpp
  void compile_stops();        // compile_stops.cpp
  void compile_starts();       // compile_starts.cpp
  void compile_steady();       // compile_steady.cpp
  void compile_simulation();   // compile_simulation.cpp
  void list_row_blocks();      // compile.cpp

  Body compile_body(const BodyDescription& in);
  bool check_mass_and_shapes(const BodyDescription& in);
  void set_mass_and_inertia(const BodyDescription& in, Body& out);
  void check_inertia(const BodyDescription& in, const Body& out);
  void place_joint(const JointDescription& in, ModelJoint& out);
  void place_on_plane(const ConstraintDescription& in, Placement placement, const std::array<int, 2>& bodies,
                      PairConstraint& out);
  void place_by_points(const ConstraintDescription& in, const Constraint& type, const std::array<int, 2>& bodies,
                       PairConstraint& out);
  PairConstraint compile_pair(const ConstraintDescription& in, const Constraint& type);
  CoordinateConstraint compile_coupler(const ConstraintDescription& in, const Coupler& type);
  void require_finite_value(const ConstraintDescription& in, std::string_view key,
                            const CoordinateConstraint& relation);
  CoordinateConstraint compile_constant_speed(const ConstraintDescription& in, const ConstantSpeed& type);
  CustomConstraint compile_custom(const ConstraintDescription& in, const CustomRows& type);
  void compile_output(const OutputDescription& in);
  bool point_output(const OutputDescription& in, ModelOutput& out);
  bool joint_output(const OutputDescription& in, ModelOutput& out);
  bool reaction_output(const OutputDescription& in, ModelOutput& out);
  void compile_stop(const StopDescription& in);
  std::optional<Expression> stop_side(const StopDescription& in, std::string_view side, std::size_t first,
                                      const std::vector<std::string>& names);
  std::optional<ModelOutput> stop_quantity(const StopDescription& in, const std::string& name);
  std::string unusable_output(const std::string& when, std::size_t at) const;

  std::optional<ModelStart> joint_start(const StartDescription& in);
  std::optional<ModelStart> body_start(const StartDescription& in);

  // Says of what the next faults are, and refuses an empty or repeated name.
  template <class Description> void begin(const char* kind, const Description& in, Names& taken);
  std::string taken_by(const char* kind, const std::string& name) const;  // compile.cpp
  void error(const Source& source, std::string_view key, std::string message) {
    if (!source.is_refused(key)) faults_.error_at(source.at(key), std::move(message));
  }
  bool finite(const Source& source, std::string_view key, const Vector3& value);
  bool is_rotation(const Source& source, std::string_view key, const Matrix3& R);
  // The unit vector along `value`; a warning when it had to be normalised, an error when it cannot be.
  Vector3 unit(const Source& source, std::string_view key, const Vector3& value);
  std::optional<int> find_body(const Source& source, std::string_view key, const std::string& name);
  std::optional<int> find_joint(const Source& source, std::string_view key, const std::string& name);
  std::optional<std::array<int, 2>> find_pair(const Source& source, const std::vector<std::string>& names);
  std::optional<BodyFrame> find_frame(const Source& source, std::string_view key, int body,
                                      const FramePlacement& placement);
  // `entry` is put behind the keys joint and coordinate: s[1] for the second of the lists joints and coordinates.
  std::optional<CoordinateRef> find_coordinate(const Source& source, const CoordinateName& name, bool scalar,
                                               const std::string& entry = "");

  // How far bodies lie from the origin: what numbers of the file are compared with before the machine's scale is known.
  double reach() const;
  bool is_point_mass(int body) const { return body != world && out_.bodies[index(body)].point_mass; }
  // A lever arm on a point mass would be lost, so it is refused.
  void require_at_point_mass(const Source& source, std::string_view key, const BodyFrame& frame);

  Pose<Real> start_pose(int body) const { return body == world ? Pose<Real>{} : out_.bodies[index(body)].X_WC; }
  BodyFrame at(int body, const Pose<Real>& X_WF) const { return {body, start_pose(body).inverse() * X_WF}; }
  Pose<Real> start_relative(const BodyFrame& first, const BodyFrame& second) const {
    return (start_pose(first.body) * first.X_CF).inverse() * (start_pose(second.body) * second.X_CF);
  }
  Real start_coordinate(const CoordinateRef& ref) const;
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  template <class Things> static Names index_of(const Things& things) {
    Names names;
    for (std::size_t i = 0; i < things.size(); ++i) names.emplace(things[i].name, static_cast<int>(i));
    return names;
  }

  const ModelDescription& in_;
  Faults& faults_;
  Names body_names_, joint_names_, constraint_names_;  // where each name stands first
  std::unordered_map<int, Names> frame_names_;         // by body, when first asked for
  Model out_;
};

template <class Description> void Compiler::begin(const char* kind, const Description& in, Names& taken) {
  faults_.about_table(in.name.empty() ? kind : fmt::format("{} \"{}\"", kind, in.name), in.source);
  if (in.name.empty())
    error(in.source, "name", fmt::format("a {} needs a name", kind));
  else if (taken.contains(in.name))
    error(in.source, "name", fmt::format("the name \"{}\" is taken by {}", in.name, taken_by(kind, in.name)));
  taken.emplace(in.name, static_cast<int>(taken.size()));
}

// Whether a name was refused where it was given: then "there is no such thing" would only repeat it.
template <class Things> bool any_name_refused(const Things& things) {
  return std::any_of(things.begin(), things.end(), [](const auto& thing) { return thing.source.is_refused("name"); });
}

template <class Things> std::vector<std::string> names_of(const Things& things) {
  std::vector<std::string> names;
  for (const auto& thing : things) names.push_back(thing.name);
  return names;
}

}  // namespace tandem
