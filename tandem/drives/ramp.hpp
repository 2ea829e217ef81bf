// Smooth ramp from one value to another: the quintic with zero speed and acceleration at both ends.
//
//   (1)  u = (t − t₀)/T within [0, 1],   q = a + (b − a)(10 u³ − 15 u⁴ + 6 u⁵)
#pragma once

#include "tandem/drives/drive.hpp"

namespace tandem {

struct Ramp {
  static constexpr std::string_view type = "ramp";
  std::optional<Real> from{};  // default: the coordinate of the assembled pose
  Real to = 0.0;
  Real begin = 0.0;
  Real duration = 1.0;

  static Ramp read(Properties& properties) {
    return {.from = properties.number_if_given("from"),
            .to = properties.number("to"),
            .begin = properties.number("begin", 0.0),
            .duration = properties.number("duration")};
  }
  void check(Faults& faults) const {
    if (!(duration > 0.0) || !std::isfinite(value_of(duration)))
      faults.error_in("duration", "duration of the ramp must be positive" + not_this(value_of(duration)));
    if (!std::isfinite(value_of(begin))) faults.error_in("begin", "begin of the ramp must be a finite time");
  }
  std::vector<Real> knots() const { return {begin, begin + duration}; }
  Ramp at_start(Real coordinate) const {
    Ramp ramp = *this;
    ramp.from = from.value_or(coordinate);
    return ramp;
  }

  template <class S> Jet<S> motion(const S& t) const {  // (1)
    const Real a = from.value_or(0.0), height = to - a;
    const S raw = (t - begin) / duration;
    const S u = select(value_of(raw) < 0.0, S(0.0), select(value_of(raw) > 1.0, S(1.0), raw));
    return {a + height * u * u * u * (10.0 - u * (15.0 - 6.0 * u)),
            height / duration * 30.0 * u * u * (1.0 - u) * (1.0 - u),
            height / (duration * duration) * 60.0 * u * (1.0 - u) * (1.0 - 2.0 * u)};
  }
};

}  // namespace tandem
