// Steady motions of a machine by every method, and their eigenvalues against what they should be.
#pragma once

#include <gtest/gtest.h>

#include "support/example_model.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/tandem.hpp"

namespace tandem {

// On both cuts, by four methods.
class LinearByMethod : public ::testing::TestWithParam<const char*> {
 protected:
  static Model by(Model model) {
    model.setup.method = GetParam();
    return model;
  }
  static Steady steady(const Model& model, const std::vector<std::pair<std::string, std::optional<double>>>& hold) {
    Model held = model;
    held.held_steady.clear();
    for (const auto& [name, value] : hold) held.held_steady.push_back({find_reading(held, name), value});
    return find_steady(held);
  }
  static Linearization about(const Model& model,
                             const std::vector<std::pair<std::string, std::optional<double>>>& hold = {}) {
    return linearize(model, steady(model, hold));
  }
};

// All eigenvalues, in any order.
inline void expect_eigenvalues(const Linearization& found, std::vector<std::complex<double>> wanted,
                               double tolerance = 1e-10) {
  ASSERT_EQ(found.modes.size(), wanted.size());
  for (const LinearMode& mode : found.modes) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < wanted.size(); ++i)
      if (std::abs(wanted[i] - mode.eigenvalue) < std::abs(wanted[best] - mode.eigenvalue)) best = i;
    EXPECT_LE(std::abs(wanted[best] - mode.eigenvalue), tolerance * (1.0 + std::abs(wanted[best])))
        << mode.eigenvalue << " is not " << wanted[best];
    wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

inline std::vector<std::complex<double>> pair_of_square(double square) {
  const std::complex<double> root = std::sqrt(std::complex<double>(square, 0.0));
  return {root, -root};
}

inline auto linear_methods() { return ::testing::Values("lagrange", "articulated", "null_space", "udwadia_kalaba"); }

inline std::string linear_method_name(const ::testing::TestParamInfo<const char*>& each) { return each.param; }

}  // namespace tandem
