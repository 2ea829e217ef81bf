// Model: what the machine is. Made by compile() from a checked description; never changes after, so that one const
// Model may be shared between threads.
//
// On the maximal cut every body floats: q = (quaternion, position of the mass centre), v = (ω in body axes, v of the
// mass centre in world axes); a point mass has its position and velocity alone.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tandem/base/expression.hpp"
#include "tandem/model/description.hpp"
#include "tandem/model/scale.hpp"

namespace tandem {

inline constexpr int world = -1;  // the index of the world where a body is meant

struct NamedFrame {
  std::string name;
  Pose<Real> X_CF;  // from the mass centre, body axes
};

struct Body {
  std::string name;
  bool point_mass = false;
  Real mass = 0.0;
  double own_mass = 0.0;  // by the file's own numbers, whatever was set: what trees hang from (model/forest.hpp)
  Matrix3 inertia = Matrix3::Zero();   // about the mass centre, body axes
  Vector3 center = Vector3::Zero();    // mass centre in the body's frame
  Pose<Real> X_WC;                     // start
  Vector3 velocity = Vector3::Zero();  // start, of the mass centre
  Vector3 angular_velocity = Vector3::Zero();
  std::vector<NamedFrame> frames;
  std::vector<Shape> shapes;
  int q_first = 0, v_first = 0;
  Location where{};  // in the file, as for all that follows
  int nq() const { return point_mass ? 3 : 7; }
  int nv() const { return point_mass ? 3 : 6; }
};

struct BodyFrame {
  int body = world;
  Pose<Real> X_CF;
};

struct ModelJoint {
  std::string name;
  JointType type;
  BodyFrame first, second;      // F and M
  bool cut = false;             // never carries coordinates: always rows
  bool positions_only = false;  // one body is a point mass: it has no orientation to forbid
  int turns_first = 0;          // where its coordinates start in State::angles
  Location where{};
  const Joint* joint() const { return std::get_if<Joint>(&type); }
  std::string_view type_name() const { return joint() ? joint()->traits().type : "custom"; }
};

struct CoordinateRef {
  int joint = 0;
  int coordinate = 0;  // which speed of the joint
  Real coefficient = 1.0;
};

// Where the coordinate of a scalar speed stands in q: after a quaternion there is one more q than v; −1 without one.
inline int model_coordinate(const ModelJoint& joint, int speed) {
  const JointTraits& traits = joint.joint()->traits();
  return traits.coordinates[static_cast<std::size_t>(speed)].scalar ? speed + traits.nq - traits.nv : -1;
}

struct PairConstraint {
  Constraint constraint;
  BodyFrame first, second;
};

// Σ c_i q_i = offset (position level), or Σ c_i q̇_i = speed (velocity level).
struct CoordinateConstraint {
  std::vector<CoordinateRef> terms;
  bool velocity_only = false;
  Real value = 0.0;
};

struct CustomConstraint {
  CustomRows rows;
  std::vector<int> bodies;
};

struct ModelConstraint {
  std::string name;
  std::string type;
  bool one_sided = false;
  std::optional<Softness> soft{};
  std::variant<PairConstraint, CoordinateConstraint, CustomConstraint> what;
  Location where{};
  bool carries_load() const;  // a wheel, a ball or a surface: its first multiplier is the normal force
};

struct ModelDrive {
  std::string name;
  Drive drive;
  CoordinateRef coordinate;
  Location where{};
};

struct ModelForce {
  std::string name;
  Force force;
  std::vector<BodyFrame> points;
  std::vector<CoordinateRef> coordinates;
};

enum class Quantity {
  position,
  velocity,
  acceleration,
  angular_velocity,
  angular_acceleration,
  yaw,
  lean,
  pitch,
  coordinate,
  rate,
  coordinate_acceleration,
  force,
  torque,
  effort,
  kinetic_energy,
  potential_energy,
  energy,
  time,
  largest_speed,  // of any body: m/s of its mass centre, rad/s
  lowest_load,    // smallest normal force of a wheel, ball or surface
};
enum class Component { x, y, z, norm };

struct ModelOutput {
  std::string name;
  std::string unit;
  Quantity quantity = Quantity::time;
  Component component = Component::norm;
  BodyFrame point;  // body quantities
  int joint = -1, coordinate = 0, constraint = -1, drive = -1;
};

// A coordinate that assembly holds (`value` and `rate` empty: where the bodies put it).
struct ModelStart {
  enum class Of { joint, x, y, z, yaw, lean, pitch } of = Of::joint;
  std::string name;          // steer.angle, frame.lean
  CoordinateRef coordinate;  // of a joint
  BodyFrame point;           // of a body
  std::optional<Real> value{}, rate{};
  Location where{};
  bool is_angle_of_body() const { return of >= Of::yaw; }
  int axis() const { return static_cast<int>(of) - static_cast<int>(is_angle_of_body() ? Of::yaw : Of::x); }
};

// A coordinate, its rate, or the speed of a point, by name.
struct ModelReading {
  enum class What { value, rate, speed } what = What::value;
  std::string name;
  ModelStart coordinate;  // of a speed: its point
};

struct ModelHold {
  ModelReading of;
  std::optional<Real> value{};  // not given: as the start has it
};

// A condition that ends a run: `left` rises above `right`.
struct ModelStop {
  static constexpr std::size_t most_quantities = 32;  // so that their values need no heap
  std::string name;
  std::string when;                     // as written
  Expression left, right;               // of `quantities`, in this order
  std::vector<ModelOutput> quantities;  // time, outputs of the model, …
};

struct Model;

// One block of rows: a joint, a constraint or a drive, in this order.
struct RowBlockInfo {
  enum class Kind { joint, constraint, drive } kind = Kind::joint;
  int index = 0;  // into joints, constraints or drives
  int first_row = 0;
  int rows = 0, holonomic = 0;
  std::vector<int> bodies;  // that its Jacobian touches, without the world
  std::vector<std::string> row_names;
  double length = 1.0;                          // of the island, in metres
  std::vector<double> sizes;                    // per row, in the unit of φ: scale.hpp
  bool is_one_sided(const Model& model) const;  // a rope
  bool is_soft(const Model& model) const;
};

struct Model {
  std::string name, title, file;
  std::string text;                               // of the file; empty when built in C++
  std::vector<std::pair<std::string, Real>> set;  // what took the place of [parameters] when it was read
  std::vector<std::string> own_types;             // of a program's registry, not of the library: joint "slider"
  Vector3 gravity{0.0, 0.0, -9.81};
  std::vector<std::pair<std::string, Real>> parameters;
  std::vector<NamedFrame> world_frames;
  std::vector<Body> bodies;
  std::vector<ModelJoint> joints;
  std::vector<ModelConstraint> constraints;
  std::vector<ModelDrive> drives;
  std::vector<ModelForce> forces;
  std::vector<ModelOutput> outputs;
  std::vector<ModelStart> starts;
  std::vector<ModelStop> stops;
  std::vector<ModelHold> held_steady;                  // what a steady motion keeps
  std::optional<std::vector<std::string>> symmetries;  // declared ones; without, all that are found
  Source steady_source;                                // where the two above are written
  LinearizeDescription linearize;
  std::vector<RowBlockInfo> blocks;
  Setup setup;            // what its file asks for
  Source setup_source;    // where that is written
  bool is_sound = false;  // compiled without an error
  std::vector<Fault> warnings;
  Scale scale;
  int nq = 0, nv = 0, rows = 0, angles = 0;

  int body(std::string_view wanted) const;  // −1 is the world; throws std::out_of_range with a suggestion
  int joint(std::string_view wanted) const;
  int constraint(std::string_view wanted) const;
  int drive(std::string_view wanted) const;
  BodyFrame frame(std::string_view owner, std::string_view wanted) const;
  // A point given in the body's frame (not from the mass centre).
  BodyFrame point(std::string_view owner, const Vector3& in_body_frame) const;

  // Whether nothing in the model does work but what has a potential: no drives, dampers or forces of time.
  bool conserves_energy() const;

  std::string block_name(const RowBlockInfo& block) const;  // joint "steer"
  std::string row_name(int row) const;                      // joint "steer", axis x
  Location where(const RowBlockInfo& block) const;          // its joint, constraint or drive in the file
  const RowBlockInfo& block_of_row(int row) const;
  bool is_holonomic(int row) const;
  double row_size(int row) const;  // in the unit of its φ: scale.hpp
};

}  // namespace tandem
