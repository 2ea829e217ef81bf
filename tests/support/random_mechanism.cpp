#include "support/random_mechanism.hpp"

namespace tandem::test {

void RandomMechanism::draw() {
  for (int i = 0; i < options_.bodies; ++i) draw_body(i);
  for (int i = 0; i < options_.bodies; ++i) draw_joint(below(i + 1) - 1, i, false);
  const bool loops = options_.bodies > 1 && below(3) == 0;
  if (loops) {
    const int a = below(options_.bodies), b = below(options_.bodies);
    if (a != b) draw_joint(a, b, true);
  } else if (below(2) == 0) {
    const int driven = below(options_.bodies);
    const auto& traits = std::get<Joint>(joints_[static_cast<std::size_t>(driven)].type).traits();
    // Of a translational joint x is an arbitrary direction across the axis, which turns otherwise than the world does.
    if (traits.nv > 0 && traits.coordinates[0].scalar && (traits.coordinates[0].angular || traits.nv == 1))
      drives_.push_back(
          {.name = "drive",
           .type = drawn_motion(traits.coordinates[0].angular ? 1.0 : options_.units.length),
           .coordinate = {joints_[static_cast<std::size_t>(driven)].name, std::string(traits.coordinates[0].name)}});
  }
  if (!loops && drives_.empty() && below(3) == 0) draw_rolling(below(options_.bodies));
  for (int i = 0; i < 2; ++i) draw_force(i);
}

Polynomial RandomMechanism::drawn_motion(double unit) {
  const double time = options_.units.time, speed = uniform(-1, 1), acceleration = uniform(-1, 1);
  return {.coefficients = {0.0, speed * unit / time, acceleration * unit / (time * time)}};
}

void RandomMechanism::draw_body(int i) {
  const Vector3 center = vector(1.0);
  const Matrix3 R = rotation_exp<double>(vector(2.0));
  centers_.push_back(center);
  const Vector3 size(uniform(0.2, 1.0), uniform(0.2, 1.0), uniform(0.2, 1.0));
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
  if (below(2) == 0) {
    constraints_.push_back({.name = "edge",
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
  if (sigma < 0.2) return;
  constraints_.push_back({.name = "wheel",
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
