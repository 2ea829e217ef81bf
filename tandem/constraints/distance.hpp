// Distance: two points keep the distance L, constant or a function of time.
//
//   (1)  φ = |p| − L(t),   n = p/|p|
//   (2)  φ̇ = n·v − L̇
//   (3)  φ̈ = n·v̇ + (|v|² − (n·v)²)/|p| − L̈
// Undefined at |p| = 0: the model must not start there, and a run that reaches it fails by name.
// Source: Robson, Distance Constraint (2016), in relative axes.
#pragma once

#include <optional>

#include "tandem/base/tolerances.hpp"
#include "tandem/constraints/constraint.hpp"

namespace tandem {

inline std::string distance_trouble(const Relative<Real>& x, double length) {
  return value_of(x.p.norm()) > tolerances::coincide * length
             ? ""
             : "its two points coincide, so the direction between them is undefined; a spherical joint holds points "
               "together";
}

template <class S> void distance_row(const Relative<S>& x, const Jet<S>& length, PairRows<S>& rows) {
  const S distance = norm<S>(x.p);
  const Vec3<S> n = x.p / distance;
  const S along = n.dot(x.v);
  rows.phi[0] = distance - length.value;                                           // (1)
  rows.T.col(0).template tail<3>() = n;                                            // (2)
  rows.phi_t[0] = -length.rate;                                                    // (2)
  rows.bias[0] = (x.v.dot(x.v) - along * along) / distance - length.acceleration;  // (3)
}

struct Distance {
  static constexpr std::string_view type = "distance";
  static constexpr int holonomic = 1, nonholonomic = 0;
  static constexpr Placement placement = Placement::points;
  static constexpr std::array<std::string_view, 1> row_names{"length"};

  std::optional<TimeFunction> length{};  // default: the distance of the assembled pose

  static Distance read(Properties& properties) { return {.length = properties.function_if_given("length")}; }
  void check(Faults& faults) const {
    if (length && length->is_constant() && !(length->constant() > 0.0))
      faults.error_in("length", "length must be positive" + not_this(value_of(length->constant())) +
                                    "; to join two points use a spherical joint");
  }
  std::string trouble(const Relative<Real>& x, double machine) const { return distance_trouble(x, machine); }
  bool time_dependent() const { return length && !length->is_constant(); }
  std::vector<TimeFunction> of_time() const {
    return time_dependent() ? std::vector<TimeFunction>{*length} : std::vector<TimeFunction>{};
  }
  Distance at_start(const Pose<Real>& X_FM) const {
    return {.length = length ? length : std::optional<TimeFunction>(X_FM.p.norm())};
  }

  template <class S> void rows(const Relative<S>& x, const S& t, PairRows<S>& rows) const {
    distance_row(x, length->jet<S>(t), rows);
  }
};

}  // namespace tandem
