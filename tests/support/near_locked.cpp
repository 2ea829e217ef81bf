#include "support/near_locked.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <random>

#include "support/truncated.hpp"
#include "tandem/io/model/model_file.hpp"

namespace tandem::test {

namespace {

class NearLocked {
 public:
  explicit NearLocked(unsigned seed) : random_(seed) {
    draw_bodies();
    switch (below(5)) {
      case 0:
        doors();
        break;
      case 1:
        parallelogram();
        break;
      case 2:
        repeated_chain();
        break;
      case 3:
        closed_chain();
        break;
      default:
        anything();
        break;
    }
    hang_pendulum();
    if (below(2) == 0) draw_velocities();
  }

  std::string text() const {
    std::string out = "format = 1\n";
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const Body& body = bodies_[i];
      out += fmt::format("\n[[body]]\nname = \"{}\"\nmass = {}\ninertia = {}\nposition = {}\n", body.name, body.mass,
                         listed(body.inertia), listed(body.position));
      if (velocities_.size() > 0)
        out += fmt::format("angular_velocity = {}\nvelocity = {}\n",
                           listed(velocities_.segment<3>(6 * static_cast<Eigen::Index>(i))),
                           listed(velocities_.segment<3>(6 * static_cast<Eigen::Index>(i) + 3)));
    }
    return out + joints_;
  }

 private:
  struct Body {
    std::string name;
    double mass;
    Eigen::Vector3d inertia, position;
  };
  static constexpr std::array kinds{"fixed",     "revolute", "prismatic", "spherical",    "cylindrical",
                                    "universal", "helical",  "planar",    "translational"};

  int below(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(random_); }
  static std::string listed(const Eigen::Vector3d& v) { return fmt::format("[{}, {}, {}]", v.x(), v.y(), v.z()); }
  static std::string body_name(int i) { return i < 0 ? "world" : fmt::format("b{}", i); }

  // None, or a power of ten along some of the axes.
  Eigen::Vector3d offset() {
    if (below(4) == 0) return Eigen::Vector3d::Zero();
    const double size = std::pow(10.0, -2 - below(11));
    const std::array factors{0.0, 0.0, 1.0, -1.0};
    return size * Eigen::Vector3d(factors[static_cast<std::size_t>(below(4))],
                                  factors[static_cast<std::size_t>(below(4))],
                                  factors[static_cast<std::size_t>(below(4))]);
  }
  Eigen::Vector3d lattice_point() { return Eigen::Vector3d(below(3), below(2), below(3)); }
  Eigen::Vector3d lattice_axis() { return Eigen::Vector3d::Unit(below(3)); }
  std::string kind() { return kinds[static_cast<std::size_t>(below(static_cast<int>(kinds.size())))]; }

  void draw_bodies() {
    count_ = 1 + below(4);
    for (int i = 0; i < count_; ++i) add_body(body_name(i), {1.0 * i, 0, 0});
  }
  void add_body(const std::string& name, const Eigen::Vector3d& position) {
    bodies_.push_back(
        {name, 0.5 * (1 + below(4)), {1.0 + 0.1 * below(6), 1.0 + 0.1 * below(6), 1.0 + 0.1 * below(6)}, position});
  }
  void add_joint(const std::string& type, int first, int second, const Eigen::Vector3d& point,
                 const Eigen::Vector3d& axis, const std::string& name = "") {
    const bool has_point = type != "fixed" && type != "prismatic" && type != "planar" && type != "translational";
    const bool has_axis = type != "fixed" && type != "spherical";
    joints_ += fmt::format("\n[[joint]]\nname = \"{}\"\ntype = \"{}\"\nbodies = [\"{}\", \"{}\"]\n",
                           name.empty() ? fmt::format("j{}", joint_count_++) : name, type, body_name(first),
                           name.empty() ? body_name(second) : "p");
    if (has_point) joints_ += fmt::format("point = {}\n", listed(point));
    if (has_axis) joints_ += fmt::format("axis = {}\n", listed(axis));
    if (type == "universal") {
      Eigen::Index least = 0;
      axis.cwiseAbs().minCoeff(&least);
      joints_ += fmt::format("second_axis = {}\n", listed(axis.cross(Eigen::Vector3d::Unit(least)).normalized()));
    }
    if (type == "helical") joints_ += "pitch = 0.25\n";
  }

  // ---- families ----

  void doors() {  // every body on two or three hinges, the first on the world, the others on any before them
    const Eigen::Vector3d axis = lattice_axis();
    for (int i = 0; i < count_; ++i) {
      const int on = below(i + 1) - 1, hinges = 2 + below(2);
      const Eigen::Vector3d foot = lattice_point();
      for (int k = 0; k < hinges; ++k)
        add_joint(below(4) == 0 ? "cylindrical" : "revolute", on, i, foot + k * axis + offset(), axis + offset());
    }
  }
  void parallelogram() {  // a coupler (b0) on cranks of the world side by side, or on rods that hold it
    const Eigen::Vector3d along(0, 0, -1);
    for (int i = 1; i < count_; ++i) {
      const Eigen::Vector3d foot(i, 0, 1);
      add_joint("revolute", -1, i, foot + offset(), Eigen::Vector3d(0, 1, 0) + offset());
      add_joint(below(3) == 0 ? "spherical" : "revolute", i, 0, foot + along + offset(),
                Eigen::Vector3d(0, 1, 0) + offset());
    }
    if (count_ == 1) add_joint("translational", -1, 0, lattice_point(), Eigen::Vector3d(0, 1, 0) + offset());
    if (below(2) == 0) add_joint(kind(), -1, 0, lattice_point() + offset(), Eigen::Vector3d(0, 1, 0) + offset());
  }
  void repeated_chain() {  // a chain each of whose joints is there two or three times
    for (int i = 0; i < count_; ++i) {
      const std::string type = kind();
      const Eigen::Vector3d point = lattice_point(), axis = lattice_axis();
      const int times = 2 + below(2);
      for (int k = 0; k < times; ++k) {
        const bool turned = below(2) == 0;  // the same joint from the other side
        add_joint(below(5) == 0 ? kind() : type, turned ? i : i - 1, turned ? i - 1 : i, point + offset(),
                  axis + offset());
      }
    }
  }
  void closed_chain() {  // hinges about almost the same direction, back to the world
    const Eigen::Vector3d axis = lattice_axis();
    for (int i = 0; i <= count_; ++i)
      add_joint(below(4) == 0 ? "prismatic" : "revolute", i - 1, i < count_ ? i : -1,
                Eigen::Vector3d(i, i % 2, 0) + offset(), axis + offset());
    if (count_ > 1 && below(2) == 0)  // and across
      add_joint("revolute", 0, count_ - 1, lattice_point() + offset(), axis + offset());
  }
  void anything() {
    const int joints = 2 + below(2 + 2 * count_);
    for (int k = 0; k < joints; ++k) {
      const int second = below(count_);
      int first = below(count_ + 1) - 1;
      if (first == second) first = -1;
      add_joint(kind(), first, second, lattice_point() + offset(), lattice_axis());
    }
  }

  void hang_pendulum() {
    const int on = below(count_);
    add_body("p", Eigen::Vector3d(1.0 * on, 1, -0.5));
    add_joint("revolute", on, 0, Eigen::Vector3d(1.0 * on, 0, 0), Eigen::Vector3d(1, 0, 0), "pj");
  }

  // Along what the rows allow, as far as the tolerance of the rank tells.
  void draw_velocities() {
    const Model model = read_model(text(), "near-locked.toml");
    const TruncatedSystem system(model, start_state(model));
    const Eigen::MatrixXd N = system.free_motions(system.rank());
    Eigen::VectorXd z(N.cols());
    for (Eigen::Index i = 0; i < z.size(); ++i) z[i] = uniform(-1, 1);
    velocities_ = N * z;
    velocities_ = (velocities_.array().abs() > 1e-17).select(velocities_, 0.0);  // round-off of what does not move
  }

  std::mt19937 random_;
  int count_ = 0, joint_count_ = 0;
  std::vector<Body> bodies_;
  std::string joints_;
  Eigen::VectorXd velocities_;
};

}  // namespace

std::string near_locked(unsigned seed) { return NearLocked(seed).text(); }

}  // namespace tandem::test
