// Polynomial of time, lowest power first:   q = c₀ + c₁ t + c₂ t² + …
#pragma once

#include "tandem/drives/drive.hpp"

namespace tandem {

struct Polynomial {
  static constexpr std::string_view type = "polynomial";
  std::vector<Real> coefficients{};

  static Polynomial read(Properties& properties) { return {.coefficients = properties.numbers("coefficients")}; }
  std::vector<Real> knots() const { return {}; }
  void check(Faults& faults) const {
    if (coefficients.empty())
      faults.error_in("coefficients", "coefficients must hold at least one number, lowest power first");
  }

  template <class S> Jet<S> motion(const S& t) const {  // Horner, for the value and both derivatives
    Jet<S> jet{S(0.0), S(0.0), S(0.0)};
    for (std::size_t i = coefficients.size(); i-- > 0;) {
      jet.acceleration = jet.acceleration * t + 2.0 * jet.rate;
      jet.rate = jet.rate * t + jet.value;
      jet.value = jet.value * t + coefficients[i];
    }
    return jet;
  }
};

}  // namespace tandem
