#include "tandem/linearize/mode_match.hpp"

#include <algorithm>

#include "tandem/linalg/assignment.hpp"

namespace tandem {

namespace {

constexpr double clear = 0.7;  // an overlap that leaves no doubt

std::vector<std::string> names_of(const Linearization& point) {
  std::vector<std::string> names;
  for (const LinearState& state : point.states) names.push_back(state.name);
  return names;
}

// A shape of unit length, in parts of the machine; rates are divided by a typical frequency so that they count as much
// as values.
Eigen::VectorXcd unit_shape(const Linearization& point, const LinearMode& mode) {
  const double frequency = std::max(1.0, point.time * std::abs(mode.eigenvalue));
  Eigen::VectorXcd u = mode.shape.cwiseQuotient(point.sizes.cast<std::complex<double>>());
  for (Eigen::Index i = 0; i < u.size(); ++i)
    if (point.states[static_cast<std::size_t>(i)].is_rate) u[i] /= frequency;
  return u.normalized();
}

Eigen::MatrixXd overlaps(const Linearization& a, const Linearization& b) {
  const auto n = static_cast<Eigen::Index>(a.modes.size());
  Eigen::MatrixXd out(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::VectorXcd u = unit_shape(a, a.modes[static_cast<std::size_t>(i)]);
    for (Eigen::Index j = 0; j < n; ++j)
      out(i, j) = std::abs(u.dot(unit_shape(b, b.modes[static_cast<std::size_t>(j)])));
  }
  return out;
}

}  // namespace

ModeMatch match_modes(const Linearization& a, const Linearization& b) {  // (1) of sweep.hpp
  const std::size_t n = a.modes.size();
  const bool same = names_of(a) == names_of(b);
  const Eigen::MatrixXd overlap = same ? overlaps(a, b) : Eigen::MatrixXd();
  double spread = 0.0;
  for (const LinearMode& mode : a.modes) spread += std::abs(mode.eigenvalue) / static_cast<double>(n);
  Eigen::MatrixXd cost(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      const double apart = std::abs(a.modes[i].eigenvalue - b.modes[j].eigenvalue);
      cost(row, column) = apart / (apart + 0.2 * spread + 1e-12 / a.time) + (same ? 1.0 - overlap(row, column) : 0.0);
    }
  ModeMatch out{least_assignment(cost), true};
  for (std::size_t i = 0; i < n && same; ++i)
    if (overlap(static_cast<Eigen::Index>(i), out.to[i]) < clear) out.sure = false;
  return out;
}

}  // namespace tandem
