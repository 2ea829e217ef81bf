// What a model says, before it is checked: one plain struct a thing, filled by a model file or by C++.
//
// Geometry is given in world axes of the assembled pose (the pose in which the bodies are listed) unless a field says
// otherwise. Locations are empty for things built in C++.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/constraints/constant_speed.hpp"
#include "tandem/constraints/constraint.hpp"
#include "tandem/constraints/coupler.hpp"
#include "tandem/constraints/custom_rows.hpp"
#include "tandem/drives/drive.hpp"
#include "tandem/forces/force.hpp"
#include "tandem/joints/joint.hpp"
#include "tandem/model/setup.hpp"
#include "tandem/model/shape.hpp"

namespace tandem {

inline constexpr std::string_view world_name = "world";

struct FrameDescription {
  std::string name{};
  Vector3 position = Vector3::Zero();  // in the body's frame
  Matrix3 rotation = Matrix3::Identity();
  Source source{};
};

struct BodyDescription {
  std::string name{};
  std::optional<Real> mass{};
  std::optional<double> own_mass{};              // by the file's own numbers, where parameters were set
  std::optional<Vector3> center{};               // mass centre in the body's frame
  std::optional<std::array<Real, 6>> inertia{};  // Ixx Iyy Izz Ixy Ixz Iyz: matrix entries, about the mass centre
  std::vector<Shape> shapes{};
  bool point_mass = false;
  Vector3 position = Vector3::Zero();  // of the body's frame
  Matrix3 rotation = Matrix3::Identity();
  Vector3 velocity = Vector3::Zero();          // of the mass centre, world axes
  Vector3 angular_velocity = Vector3::Zero();  // body axes
  std::vector<FrameDescription> frames{};
  Source source{};
};

// Nothing where it says none.
std::optional<double> mass_of(const BodyDescription& body);

// A frame on a body, by name or spelled out in the body's frame.
struct FramePlacement {
  std::string name{};  // empty: position and rotation below
  Vector3 position = Vector3::Zero();
  Matrix3 rotation = Matrix3::Identity();
};

// The custom joint: rows of the user's own between two bodies. It has no motion face, so it always closes a loop.
using JointType = std::variant<Joint, CustomRows>;

struct JointDescription {
  std::string name{};
  JointType type;
  std::array<std::string, 2> bodies{};
  std::optional<Vector3> point{};
  std::optional<Vector3> axis{};
  std::optional<Vector3> second_axis{};  // universal: the axis on the second body
  std::optional<std::array<FramePlacement, 2>> frames{};
  bool cut = false;  // on the reduced cut: close a loop here
  Source source{};
};

// A constraint that gives way like a spring with a damper; for the method impulses.
struct Softness {
  double frequency = 1.0;      // hertz
  double damping_ratio = 1.0;  // 1: critical
};

using ConstraintType = std::variant<Constraint, Coupler, ConstantSpeed, CustomRows>;

struct ConstraintDescription {
  std::string name{};
  ConstraintType type;
  std::vector<std::string> bodies{};
  std::vector<Vector3> points{};  // one for both bodies, or one each
  std::optional<Vector3> axis{};  // of lines, planes and parallel axes; of a wheel: in body axes
  std::optional<std::array<FramePlacement, 2>> frames{};
  std::optional<Vector3> plane_point{};  // of wheels, balls and knife edges
  std::optional<Vector3> normal{};
  std::optional<Vector3> blade{};
  std::optional<Softness> soft{};
  Source source{};
};

struct ForceDescription {
  std::string name{};
  Force type;
  std::vector<std::string> bodies{};
  std::vector<Vector3> points{};  // default: mass centres
  std::vector<CoordinateName> coordinates{};
  Source source{};
};

struct DriveDescription {
  std::string name{};
  Drive type;
  CoordinateName coordinate{};
  Source source{};
};

// A named quantity to watch.
struct OutputDescription {
  std::string name{};
  std::string quantity{};  // position, velocity, acceleration, …: docs/model-format.md
  std::string body{};
  std::string joint{};
  std::string constraint{};
  std::string coordinate{};
  std::string component{};  // x, y, z or norm
  std::optional<Vector3> point{};
  Source source{};
};

// A coordinate that the start must have: assembly brings it there and moves the rest as little as it can.
struct StartDescription {
  std::string joint{}, coordinate{};    // of a joint,
  std::string body{}, quantity{};       // or of a body: x, y, z, yaw, lean or pitch
  std::optional<Vector3> point{};       // of the body, for x, y and z; default: its mass centre
  std::optional<Real> value{}, rate{};  // neither: it stays where the bodies put it
  Source source{};
};

// What a steady motion must keep, and which symmetries it may move along.
struct HoldDescription {
  std::string name{};           // a coordinate, one with .rate behind it, or an output
  std::optional<Real> value{};  // not given: as the start has it
};
struct SteadyDescription {
  std::vector<HoldDescription> hold{};
  std::optional<std::vector<std::string>> symmetry{};  // not given: all that are found
  Source source{};
};

// What a linearisation is written in. Empty: chosen by Tandem.
struct LinearizeDescription {
  std::vector<std::string> states{}, inputs{}, outputs{};
  std::vector<std::string> modes{};  // names, at the last point of a sweep, of the largest real part first
  std::vector<std::pair<std::string, std::string>> units{};  // of parameters, for pictures
  Source source{};
};

// A condition that ends a run: "abs(lean) > 1", of outputs, t and parameters.
struct StopDescription {
  std::string name{};
  std::string when{};
  Source source{};
};

// Setup as it is written, with words; see setup.hpp.
struct SimulationDescription {
  std::string method = "auto";
  std::string integrator{};  // empty: the method's own, rk4 or semi_implicit_euler
  std::string stabilisation = "projection";
  std::string coordinates = "quasi";
  std::string cut{};              // empty: the one the method prefers
  std::optional<double> alpha{};  // of Baumgarte; without them they are chosen
  std::optional<double> beta{};
  double tolerance = 1e-9;  // of adaptive integrators: error of a step, relative and in parts of the machine
  ImpulseOptions impulses{};
  double step = 0.01;
  double max_step = std::numeric_limits<double>::infinity();  // no integrator steps further
  double duration = 10.0;
  Source source{};
};

struct ModelDescription {
  std::string name{};
  std::string title{};
  std::string file{};
  Vector3 gravity{0.0, 0.0, -9.81};
  std::vector<std::pair<std::string, Real>> parameters{};
  std::vector<FrameDescription> world_frames{};
  std::vector<BodyDescription> bodies{};
  std::vector<JointDescription> joints{};
  std::vector<ConstraintDescription> constraints{};
  std::vector<ForceDescription> forces{};
  std::vector<DriveDescription> drives{};
  std::vector<OutputDescription> outputs{};
  std::vector<StartDescription> starts{};
  std::vector<StopDescription> stops{};
  SteadyDescription steady{};
  LinearizeDescription linearize{};
  SimulationDescription simulation{};
  ExpressionLimits expression_limits{};  // of the texts of stops
  Source source{};
};

}  // namespace tandem
