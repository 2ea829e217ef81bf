// Rope: two points stay within the distance L. One-sided: φ = |p| − L ≤ 0, it pulls and never pushes.
// The row is that of distance.hpp; methods that know equations only refuse it by name.
#pragma once

#include "tandem/constraints/distance.hpp"

namespace tandem {

struct Rope {
  static constexpr std::string_view type = "rope";
  static constexpr int holonomic = 1, nonholonomic = 0;
  static constexpr bool one_sided = true;
  static constexpr Placement placement = Placement::points;
  static constexpr std::array<std::string_view, 1> row_names{"length"};

  std::optional<Real> length{};  // default: the distance of the assembled pose

  static Rope read(Properties& properties) { return {.length = properties.number_if_given("length")}; }
  void check(Faults& faults) const {
    if (length && !(*length > 0.0)) faults.error_in("length", "length must be positive" + not_this(value_of(*length)));
  }
  std::string trouble(const Relative<Real>& x, double machine) const { return distance_trouble(x, machine); }
  Rope at_start(const Pose<Real>& X_FM) const { return {.length = length.value_or(X_FM.p.norm())}; }

  template <class S> void rows(const Relative<S>& x, const S&, PairRows<S>& rows) const {
    distance_row(x, {S(*length), S(0.0), S(0.0)}, rows);
  }
};

}  // namespace tandem
