#include "support/random_mechanism.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "support/dense.hpp"
#include "support/how_long.hpp"
#include "support/mechanism.hpp"

namespace tandem::test {

// The same mechanisms in every `make test`, so that what fails was made by a change; others each time in `make weekly`.
// RC_PARAMS of the caller goes before.
static const bool seeded = weekly() || setenv("RC_PARAMS", "seed=20261118", 0) == 0;

void RandomMechanism::draw() {
  if (!seeded) throw std::runtime_error("RC_PARAMS cannot be set");
  for (int i = 0; i < options_.bodies; ++i) draw_body(i);
  for (int i = 0; i < options_.bodies; ++i) draw_joint(below(i + 1) - 1, i, false);
  free_ = 0;
  for (const JointDescription& joint : joints_) free_ += traits_of(joint).nv;
  for (int loops = below(3); loops > 0 && options_.bodies > 1; --loops) {
    const int a = below(options_.bodies), b = below(options_.bodies);
    if (a != b) draw_joint(a, b, true);
  }
  for (int wheels = below(3); wheels > 0; --wheels) draw_rolling(below(options_.bodies));
  find_coordinates();
  if (below(3) > 0) draw_coupler();
  for (int i = 0; i < 2; ++i) draw_force(i);
  if (below(3) > 0) draw_drive();
}

// What can be driven or coupled, in an arbitrary order. Of a translational joint x is an arbitrary direction across the
// axis, which turns otherwise than the world does.
void RandomMechanism::find_coordinates() {
  for (const JointDescription& joint : joints_) {
    const JointTraits& traits = traits_of(joint);
    if (traits.nv == 0 || !traits.coordinates[0].scalar) continue;
    if (traits.coordinates[0].angular || traits.nv == 1)
      coordinates_.push_back({joint.name, std::string(traits.coordinates[0].name)});
  }
  for (int i = static_cast<int>(coordinates_.size()); i > 1; --i)
    std::swap(coordinates_[static_cast<std::size_t>(i - 1)], coordinates_[static_cast<std::size_t>(below(i))]);
}

double RandomMechanism::unit_of(const CoordinateName& name) const {
  const auto joint = std::find_if(joints_.begin(), joints_.end(),
                                  [&](const JointDescription& each) { return each.name == name.joint; });
  return traits_of(*joint).coordinates[0].angular ? 1.0 : options_.units.length;
}

// Rows may hold all that the tree leaves free but for one motion.
bool RandomMechanism::take(int rows) {
  if (free_ <= rows) return false;
  free_ -= rows;
  return true;
}

void RandomMechanism::draw_coupler() {
  const double ratio = uniform(0.5, 2.0);
  if (coordinates_.size() < 2 || !take(1)) return;
  constraints_.push_back(
      {.name = "gear",
       .type = Coupler{.coordinates = {coordinates_[0], coordinates_[1]},
                       .coefficients = {1.0, -ratio * unit_of(coordinates_[0]) / unit_of(coordinates_[1])}}});
}

// Only what the other rows leave free can be driven.
void RandomMechanism::draw_drive() {
  std::vector<double> coefficients{0.0, uniform(-1, 1), uniform(-1, 1)};
  if (coordinates_.empty() || !take(1)) return;
  for (std::size_t k = 0; k < 3; ++k)
    coefficients[k] *= unit_of(coordinates_.back()) * options_.units.of(0, 0, -static_cast<int>(k));
  drives_.push_back(
      {.name = "drive", .type = Polynomial{.coefficients = coefficients}, .coordinate = coordinates_.back()});
  const Model driven = model();
  const Equations<double> e = equations(driven, start_state(driven));
  const auto& drive = std::find_if(driven.blocks.begin(), driven.blocks.end(),
                                   [](const RowBlockInfo& block) { return block.kind == RowBlockInfo::Kind::drive; });
  Eigen::MatrixXd others = e.J * motion_sizes(driven).asDiagonal();  // in parts of the machine
  for (int k = 0; k < driven.rows; ++k) others.row(k) /= driven.row_size(k);
  const Eigen::VectorXd row = others.row(drive->first_row);
  others.row(drive->first_row).setZero();
  const Eigen::VectorXd by_others = shortest_solution(others.transpose(), row, 1e-8);
  if (!((row - others.transpose() * by_others).norm() > 1e-3 * row.norm())) drives_.clear();
}

void RandomMechanism::draw_body(int i) {
  const Vector3 center = vector(1.0);
  const Matrix3 R = rotation_exp<double>(vector(2.0));
  centers_.push_back(center);
  Vector3 size;
  for (const Eigen::Index axis : {2, 1, 0}) size[axis] = uniform(0.2, 1.0);  // arguments have no order of their own
  bodies_.push_back({.name = body_name(i),
                     .mass = options_.units.mass * uniform(0.5, 2.0),
                     .shapes = {Shape::box(options_.units.length * size)},
                     .position = moved(center),
                     .rotation = options_.world.R * R,
                     .velocity = options_.units.speed() * turned(vector(1.0)),
                     .angular_velocity = vector(2.0) / options_.units.time});
}

void RandomMechanism::draw_joint(int first, int second, bool loop) {
  const double pitch = 0.3 * options_.units.length;
  const std::vector<Joint> kinds{Revolute{}, Prismatic{}, Helical{{}, pitch}, Cylindrical{}, Universal{},
                                 Planar{},   Spherical{}, Translational{},    Free{},        Fixed{}};
  static const std::vector<Joint> closing{Spherical{}, Universal{}, Cylindrical{}, Planar{}, Revolute{}};
  const auto& list = loop ? closing : kinds;
  const Joint type = list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
  if (loop && !take(type.traits().rows())) return;
  const Vector3 point = centers_[static_cast<std::size_t>(second)] + vector(0.5);
  const Vector3 axis = direction();
  const Vector3 across = rotation_with_z(axis).col(0);
  JointDescription joint{.name = "joint" + std::to_string(joints_.size()),
                         .type = type,
                         .bodies = {body_name(first), body_name(second)},
                         .point = moved(point),
                         .axis = turned(axis)};
  if (type.traits().needs_second_axis) joint.second_axis = turned(across);
  joints_.push_back(std::move(joint));
}

void RandomMechanism::draw_rolling(int body) {
  const Vector3 normal = direction(), center = centers_[static_cast<std::size_t>(body)];
  const std::string number = std::to_string(constraints_.size());
  if (below(2) == 0) {
    if (!take(1)) return;
    constraints_.push_back({.name = "edge" + number,
                            .type = KnifeEdge{},
                            .bodies = {"world", body_name(body)},
                            .points = {moved(center + vector(0.3))},
                            .normal = turned(normal),
                            .blade = turned(rotation_with_z(normal) * Vector3(1.0, 0.3, 0.2).normalized())});
    return;
  }
  // The plane is put where the wheel touches it: a distance r σ below the centre.
  const Vector3 axis = direction();
  const Matrix3 R = options_.world.R.transpose() * bodies_[static_cast<std::size_t>(body)].rotation;
  const double radius = 0.4, sigma = Vector3(R * axis).cross(normal).norm();
  if (sigma < 0.2 || !take(3)) return;
  constraints_.push_back({.name = "wheel" + number,
                          .type = Wheel{.radius = options_.units.length * radius},
                          .bodies = {"world", body_name(body)},
                          .axis = axis,
                          .plane_point = moved(center - radius * sigma * normal),
                          .normal = turned(normal)});
}

void RandomMechanism::draw_force(int i) {
  const int a = below(options_.bodies + 1) - 1, b = below(options_.bodies);
  if (a == b) return;
  forces_.push_back({.name = "spring" + std::to_string(i),
                     .type = SpringDamper{.stiffness = options_.units.of(0, 1, -2) * uniform(1, 10),
                                          .damping = options_.units.of(0, 1, -1) * uniform(0, 1),
                                          .length = options_.units.length * uniform(0.1, 1)},
                     .bodies = {body_name(a), body_name(b)},
                     .points = {moved(vector(1.0)), moved(centers_[static_cast<std::size_t>(b)] + vector(0.3))}});
}

Model RandomMechanism::model() const {
  Builder build("random");
  build.gravity(options_.units.acceleration() * turned({0, 0, -9.81}));
  SimulationDescription simulation;
  simulation.step *= options_.units.time;
  simulation.duration *= options_.units.time;
  build.simulation(simulation);
  const auto each = [this](const auto& list, auto&& add) {
    for (std::size_t i = 0; i < list.size(); ++i) add(list[options_.reversed ? list.size() - 1 - i : i]);
  };
  each(bodies_, [&](const BodyDescription& body) { build.body(body); });
  each(joints_, [&](const JointDescription& joint) { build.joint(joint); });
  each(constraints_, [&](const ConstraintDescription& constraint) { build.constraint(constraint); });
  each(forces_, [&](const ForceDescription& force) { build.force(force); });
  each(drives_, [&](const DriveDescription& drive) { build.drive(drive); });
  return build.finish();
}

}  // namespace tandem::test
