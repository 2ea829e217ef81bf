#include "tandem/linearize/growth_edge.hpp"

#include <array>
#include <cmath>

namespace tandem {

namespace {

constexpr std::size_t samples = 6;

struct Sample {
  double x = 0.0, square = 0.0, frequency = 0.0;  // x from the bracket; a²; b
};
using Samples = std::array<Sample, samples>;

GrowthEdge carried_on(const Samples& at) {  // (2)
  GrowthEdge out;
  for (std::size_t i = 0; i < samples; ++i) {
    double share = 1.0;
    for (std::size_t j = 0; j < samples; ++j)
      if (j != i) share *= at[j].square / (at[j].square - at[i].square);
    out.value += share * at[i].x;
    out.frequency += share * at[i].frequency;
  }
  return out;
}

// Points at equal distances from the bracket up to `reach`; none where the mode is not there, or does not grow
// outwards.
std::optional<Samples> sampled(double edge, double reach, double frequency, const GrowingMode& growing) {
  Samples out;
  for (std::size_t i = 0; i < samples; ++i) {
    const double x = reach * static_cast<double>(i + 1) / static_cast<double>(samples);
    const std::optional<std::complex<double>> found = growing(edge + x, frequency);
    if (!found) return std::nullopt;
    frequency = std::abs(found->imag());
    out[i] = {(edge + x) - edge, found->real() * found->real(), frequency};
    if (i > 0 && !(out[i].square > out[i - 1].square)) return std::nullopt;
  }
  return out;
}

}  // namespace

GrowthEdge find_growth_edge(double far, double grown, std::complex<double> eigenvalue, double calm,
                            const GrowingMode& growing) {
  double x = grown, frequency = std::abs(eigenvalue.imag());
  while (std::abs(calm - x) > 1e-13 * std::max(std::abs(far - grown), std::abs(x))) {
    const double middle = 0.5 * (x + calm);
    if (middle == x || middle == calm) break;
    if (const std::optional<std::complex<double>> found = growing(middle, frequency)) {
      x = middle;
      frequency = std::abs(found->imag());
    } else {
      calm = middle;
    }
  }
  GrowthEdge best, before;
  double settled = HUGE_VAL, from = 0.0;
  bool any = false;
  for (double reach = far - x; std::abs(reach) > 1e-3 * std::abs(far - x); reach *= 0.5) {
    const std::optional<Samples> at = sampled(x, reach, frequency, growing);
    if (!at) continue;
    const GrowthEdge here = carried_on(*at);
    if (any && std::abs(here.value - before.value) < settled) {
      settled = std::abs(here.value - before.value);
      best = here;
      from = std::abs(reach);
    }
    before = here;
    any = true;
  }
  // Next to x the mode is last noticed. If growth does not end there as (1) says, x is what there is.
  if (!(std::abs(best.value) <= 0.01 * from) || from == 0.0) return {x, frequency, true};
  return {x + best.value, best.frequency, false};
}

}  // namespace tandem
