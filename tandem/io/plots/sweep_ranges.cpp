// The ranges of the axes in the picture of a sweep.
#include <algorithm>
#include <cmath>
#include <optional>

#include "tandem/io/plots/sweep_curves.hpp"
#include "tandem/io/plots/sweep_pairs.hpp"

namespace tandem::sweep_picture {

svg::Range parameter_range(const SweepPlot& plot) {
  if (plot.x.empty()) return {0.0, 1.0};
  const auto ends = std::minmax_element(plot.x.begin(), plot.x.end());
  return svg::usable({*ends.first, *ends.second});
}

// How far from zero one mode goes. A short peak far over the rest of the curve does not count.
static std::optional<double> reach_of(std::vector<double> sizes) {
  if (sizes.empty()) return std::nullopt;
  std::sort(sizes.begin(), sizes.end());
  const double most = sizes[(sizes.size() - 1) * 4 / 5];
  return most > 0.0 ? std::min(sizes.back(), 4.0 * most) : sizes.back();
}

static bool swings_or_grows(std::complex<double> value) {
  return value.real() > 0.0 || std::abs(value.imag()) > std::abs(value.real());
}

// How far from zero the axis must go: as far as the middle mode, and further for each next one that is not far away.
// A mode that would be wholly out of sight may stretch the axis up to thirty times; one that swings or grows, which is
// what a sweep is looked at for, is shown as a whole if that takes no more than ten times.
template <class Size> static double reach(const SweepPlot& plot, Size size) {
  std::vector<std::pair<double, double>> modes;  // its reach, and where it is nearest to zero
  std::vector<double> whole;                     // reaches of what swings or grows
  for (const auto& mode : plot.modes) {
    std::vector<double> sizes, swinging;
    for (const auto& value : mode.values) {
      if (exists(value)) sizes.push_back(size(value));
      if (exists(value) && swings_or_grows(value)) swinging.push_back(size(value));
    }
    if (const auto far = reach_of(swinging)) whole.push_back(*far);
    if (const auto far = reach_of(sizes)) modes.emplace_back(*far, *std::min_element(sizes.begin(), sizes.end()));
  }
  if (modes.empty()) return 1.0;
  std::sort(modes.begin(), modes.end());
  double result = modes[(modes.size() - 1) / 2].first;
  for (const auto& [far, near] : modes) {
    if (far <= 1.5 * result || result == 0.0) result = std::max(result, far);
    if (near > 0.8 * result && near <= 30.0 * result) result = std::min(far, near / 0.8);
  }
  std::sort(whole.begin(), whole.end());
  for (const double far : whole) {
    if (far <= 10.0 * result) result = std::max(result, far);
  }
  return result > 0.0 ? result : 1.0;
}

template <class Take> static void each_value(const SweepPlot& plot, Take take) {
  for (const auto& mode : plot.modes) {
    for (const auto& value : mode.values) {
      if (exists(value)) take(value);
    }
  }
}

// Zero and the numbers that are not over the limit, with a margin, and neither side very short.
class AroundZero {
 public:
  explicit AroundZero(double limit) : limit_(limit) {}
  void add(double value) {
    if (std::abs(value) > limit_) return;
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  svg::Range range() const {
    const double width = high_ - low_;
    if (!(width > 0.0)) return {-1.0, 1.0};
    return svg::usable({std::min(low_ - 0.06 * width, -0.15 * width), std::max(high_ + 0.06 * width, 0.15 * width)});
  }

 private:
  double limit_, low_ = 0.0, high_ = 0.0;
};

svg::Range eigenvalue_range(const SweepPlot& plot) {
  const auto size = [](std::complex<double> value) { return std::max(std::abs(value.real()), std::abs(value.imag())); };
  AroundZero around(reach(plot, size));
  each_value(plot, [&](std::complex<double> value) {
    around.add(value.real());
    around.add(std::max(value.imag(), 0.0));
  });
  return around.range();
}

svg::Range locus_real_range(const SweepPlot& plot) {
  const auto size = [](std::complex<double> value) { return std::abs(value.real()); };
  AroundZero around(2.0 * reach(plot, size));  // there is more room to the sides
  each_value(plot, [&](std::complex<double> value) { around.add(value.real()); });
  return around.range();
}

svg::Range locus_imaginary_range(const SweepPlot& plot) {
  const auto size = [](std::complex<double> value) { return std::abs(value.imag()); };
  AroundZero around(reach(plot, size));
  each_value(plot, [&](std::complex<double> value) {
    around.add(value.imag());
    around.add(-value.imag());
  });
  return around.range();
}

}  // namespace tandem::sweep_picture
