// Random mechanisms: trees of every joint, with loops, springs, a drive, a coupler, wheels and knife edges in one.
//
// Joints are placed in the assembled pose, so that every loop closes at the start whatever was drawn.
#pragma once

#include <random>

#include "support/units.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {

struct MechanismOptions {
  int bodies = 3;
  unsigned number = 0;    // of the random sequence
  Pose<double> world{};   // moves the whole machine, gravity included
  Units units{};          // the machine's
  bool reversed = false;  // lists bodies, joints and constraints in the opposite order
};

class RandomMechanism {
 public:
  explicit RandomMechanism(const MechanismOptions& options) : options_(options), random_(options.number) { draw(); }
  Model model() const;

 private:
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Vector3 vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  Vector3 direction() {
    const Vector3 v = vector(1.0);
    return v.norm() > 0.1 ? Vector3(v.normalized()) : Vector3(Vector3::UnitX());
  }
  Vector3 turned(const Vector3& v) const { return options_.world.R * v; }
  Vector3 moved(const Vector3& p) const { return options_.units.length * (options_.world * p); }
  double unit_of(const CoordinateName& name) const;  // of a coordinate: a length, or 1 for an angle
  bool take(int rows);
  static const JointTraits& traits_of(const JointDescription& joint) { return std::get<Joint>(joint.type).traits(); }
  static std::string body_name(int i) { return i < 0 ? "world" : "body" + std::to_string(i); }

  void draw();
  void draw_body(int i);
  void draw_joint(int first, int second, bool loop);
  void draw_rolling(int body);
  void find_coordinates();
  void draw_coupler();
  void draw_drive();
  void draw_force(int i);

  MechanismOptions options_;
  std::mt19937 random_;
  int free_ = 0;  // motions that the rows drawn so far leave to the tree, if they are independent
  std::vector<BodyDescription> bodies_;
  std::vector<Vector3> centers_;  // before the world was moved
  std::vector<JointDescription> joints_;
  std::vector<ConstraintDescription> constraints_;
  std::vector<CoordinateName> coordinates_;
  std::vector<ForceDescription> forces_;
  std::vector<DriveDescription> drives_;
};

}  // namespace tandem::test
