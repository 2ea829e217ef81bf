// The force contract: a law from the motion of what it is attached to, to forces and torques there.
//
// A law is attached to `points` on bodies and to `coordinates` of joints; the model says which. In world axes:
//
//   (1)  point i:       position p, velocity v, rotation R and angular velocity w of its body → force, torque
//   (2)  coordinate j:  q, q̇ → effort along it
//   (3)  potential:     the energy stored; the force must be minus its gradient
//   (4)  power, if the law declares it (`declares_power`): what its dampers take, and what it brings in beyond its
//        potential. Laws that do not are evaluated thrice for it (dynamics/force_power.hpp)
//   (5)  a law on one coordinate that is a line in q and q̇ says so: line()
// A law that depends on time has of_time(): those functions, so that their kinks and peaks are known before a run.
// To add a law, copy spring_damper.hpp and add it to all.hpp.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tandem/base/faults.hpp"
#include "tandem/base/properties.hpp"
#include "tandem/math/spatial.hpp"

namespace tandem {

template <class S> struct PointMotion {
  Mat3<S> R = Mat3<S>::Identity();
  Vec3<S> p = Vec3<S>::Zero(), v = Vec3<S>::Zero(), w = Vec3<S>::Zero();
};

template <class S> struct CoordinateMotion { S q{}, v{}; };

template <class S> struct Attachments {
  std::vector<PointMotion<S>> points;
  std::vector<CoordinateMotion<S>> coordinates;
};

template <class S> struct Loads {
  std::vector<Vec3<S>> forces, torques;  // one a point
  std::vector<S> efforts;                // one a coordinate
  S potential{};
  S damped{}, brought{};  // (4), watts: negative where energy is lost

  void reset(std::size_t points, std::size_t coordinates) {
    forces.assign(points, Vec3<S>::Zero());
    torques.assign(points, Vec3<S>::Zero());
    efforts.assign(coordinates, S(0.0));
    potential = damped = brought = S(0.0);
  }
};

// effort = constant(t) − damping q̇ − stiffness (q − rest)
struct EffortLine {
  Real stiffness = 0.0, damping = 0.0, rest = 0.0;
  TimeFunction constant{};
};

template <class S> struct ForceKernel {
  virtual ~ForceKernel() = default;
  virtual void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const = 0;  // (1)–(3)
};

template <class F, class S> struct ForceKernelOf final : ForceKernel<S> {
  explicit ForceKernelOf(F law_) : law(std::move(law_)) {}
  F law;
  void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const override {
    law.template apply<S>(at, t, loads);
  }
};

// Any force law, as a value: Force f = SpringDamper{.stiffness = 100.0};
class Force {
 public:
  template <class F>
  requires requires {
    F::points;
    F::coordinates;
  }
  Force(F law)  // NOLINT: a law struct is a Force
      : type_(F::type),
        points_(F::points),
        coordinates_(F::coordinates),
        kernels_{make_kernels<ForceKernel, ForceKernelOf>(law)} {
    if constexpr (requires(Faults & faults) { law.check(faults); })
      check_ = [law](Faults& faults) { law.check(faults); };
    if constexpr (requires { law.needs_scalar_coordinate(); }) needs_scalar_coordinate_ = law.needs_scalar_coordinate();
    if constexpr (requires { law.conservative(); }) conservative_ = law.conservative();
    if constexpr (requires { law.of_time(); }) of_time_ = law.of_time();
    if constexpr (requires { F::declares_power; }) declares_power_ = F::declares_power;
    if constexpr (requires { law.line(); }) line_ = law.line();
    if constexpr (requires(Real length) { law.at_start(length); })
      at_start_ = [law](Real length) { return Force(law.at_start(length)); };
  }

  const std::string& type() const { return type_; }
  bool conservative() const { return conservative_; }  // its work is all in its potential
  int points() const { return points_; }
  int coordinates() const { return coordinates_; }
  bool needs_scalar_coordinate() const { return needs_scalar_coordinate_; }
  const std::vector<TimeFunction>& of_time() const { return of_time_; }
  bool declares_power() const { return declares_power_; }          // (4)
  const std::optional<EffortLine>& line() const { return line_; }  // (5)
  void check(Faults& faults) const {
    if (check_) check_(faults);
  }
  // Fills what the model left open from the distance of its two points in the assembled pose.
  Force at_start(Real distance) const { return at_start_ ? at_start_(distance) : *this; }
  template <class S> void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const {
    std::get<std::shared_ptr<const ForceKernel<S>>>(kernels_)->apply(at, t, loads);
  }

 private:
  std::string type_;
  int points_ = 0, coordinates_ = 0;
  bool needs_scalar_coordinate_ = true, conservative_ = false, declares_power_ = false;
  std::optional<EffortLine> line_;
  Kernels<ForceKernel> kernels_;
  std::vector<TimeFunction> of_time_;
  std::function<void(Faults&)> check_;
  std::function<Force(Real)> at_start_;
};

enum class Axes { world, body };

inline Axes read_axes(Properties& properties) {
  const std::string name = properties.text("axes", "world");
  if (name != "world" && name != "body") properties.fault("axes", "axes must be \"world\" or \"body\"");
  return name == "body" ? Axes::body : Axes::world;
}

}  // namespace tandem
