// A force on a body at a point, or a torque on a body: in world or body axes, constant or a function of time.
#pragma once

#include "tandem/forces/force.hpp"

namespace tandem {

template <class S>
Vec3<S> load_vector(const std::array<TimeFunction, 3>& value, Axes axes, const Mat3<S>& R, const S& t) {
  const Vec3<S> vector(value[0](t), value[1](t), value[2](t));
  return axes == Axes::body ? Vec3<S>(R * vector) : vector;
}

struct BodyForce {
  static constexpr std::string_view type = "force";
  static constexpr int points = 1, coordinates = 0;
  static constexpr bool declares_power = true;
  std::array<TimeFunction, 3> value{};
  Axes axes = Axes::world;

  static BodyForce read(Properties& properties) {
    return {.value = properties.vector_function("value"), .axes = read_axes(properties)};
  }
  std::vector<TimeFunction> of_time() const { return {value.begin(), value.end()}; }

  template <class S> void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const {
    loads.forces[0] = load_vector<S>(value, axes, at.points[0].R, t);
    loads.brought = loads.forces[0].dot(at.points[0].v);
  }
};

struct BodyTorque {
  static constexpr std::string_view type = "torque";
  static constexpr int points = 1, coordinates = 0;
  static constexpr bool declares_power = true;
  std::array<TimeFunction, 3> value{};
  Axes axes = Axes::world;

  static BodyTorque read(Properties& properties) {
    return {.value = properties.vector_function("value"), .axes = read_axes(properties)};
  }
  std::vector<TimeFunction> of_time() const { return {value.begin(), value.end()}; }

  template <class S> void apply(const Attachments<S>& at, const S& t, Loads<S>& loads) const {
    loads.torques[0] = load_vector<S>(value, axes, at.points[0].R, t);
    loads.brought = loads.torques[0].dot(at.points[0].w);
  }
};

}  // namespace tandem
