#include "tandem/linearize/mode_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tandem {

static SweepMode* conjugate_of(Sweep& sweep, const SweepMode& mode, std::size_t k) {
  for (SweepMode& other : sweep.modes)
    if (&other != &mode && other.eigenvalues[k] == std::conj(mode.eigenvalues[k]) &&
        other.eigenvalues[k + 1] == std::conj(mode.eigenvalues[k + 1]))
      return &other;
  return nullptr;
}

static void swap_from(std::size_t k, SweepMode& a, SweepMode& b) {
  const auto from = static_cast<std::ptrdiff_t>(k);
  std::swap_ranges(a.eigenvalues.begin() + from, a.eigenvalues.end(), b.eigenvalues.begin() + from);
  std::swap_ranges(a.index.begin() + from, a.index.end(), b.index.begin() + from);
}

void settle_edges(Sweep& sweep) {
  for (const SweepCrossing& crossing : sweep.crossings) {
    if (!crossing.edge) continue;
    std::size_t k = 0;  // the edge lies between k and k + 1
    while ((sweep.values[k + 1] < crossing.value) == (sweep.values.back() > sweep.values.front())) ++k;
    SweepMode &mode = sweep.modes[static_cast<std::size_t>(crossing.mode)],
              &other = sweep.modes[static_cast<std::size_t>(crossing.meets)];
    const std::size_t quiet = mode.eigenvalues[k].real() > mode.eigenvalues[k + 1].real() ? k + 1 : k;
    if (std::abs(mode.eigenvalues[quiet].imag()) <= std::abs(other.eigenvalues[quiet].imag())) continue;
    SweepMode *mode_below = conjugate_of(sweep, mode, k), *other_below = conjugate_of(sweep, other, k);
    swap_from(k + 1, mode, other);
    if (mode_below && other_below) swap_from(k + 1, *mode_below, *other_below);
  }
}

void name_modes(Sweep& sweep, const std::vector<std::string>& names) {
  std::vector<std::size_t> order(sweep.modes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto last = [&](std::size_t i) { return sweep.modes[i].eigenvalues.back(); };
  const auto growth = [&](std::size_t i) {  // what swings for ever has none but for round-off
    return sweep.points.back().neutral(last(i).real()) ? 0.0 : last(i).real();
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    if (growth(i) != growth(j)) return growth(i) > growth(j);
    return std::abs(last(i).imag()) < std::abs(last(j).imag());
  });
  std::size_t used = 0;
  std::vector<bool> named(sweep.modes.size(), false);
  for (const std::size_t i : order) {
    SweepMode& mode = sweep.modes[i];
    if (mode.neutral) mode.name = "neutral";
    if (mode.neutral || named[i]) continue;
    named[i] = true;
    mode.name = used < names.size() ? names[used] : fmt::format("mode {}", used + 1);
    ++used;
    if (last(i).imag() == 0.0) continue;
    const auto partner = std::find_if(order.begin(), order.end(),
                                      [&](std::size_t j) { return !named[j] && last(j) == std::conj(last(i)); });
    if (partner == order.end()) continue;
    sweep.modes[*partner].name = mode.name;
    named[*partner] = true;
  }
}

}  // namespace tandem
