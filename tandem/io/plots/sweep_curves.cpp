#include "tandem/io/plots/sweep_curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tandem/io/plots/sweep_pairs.hpp"

namespace tandem::sweep_picture {

// ---- clean ----

static SweepPlot drawable_points(const SweepPlot& plot) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  SweepPlot result = plot;
  result.x.clear();
  for (auto& mode : result.modes) mode.values.clear();
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    if (!svg::drawable(plot.x[i])) continue;
    result.x.push_back(plot.x[i]);
    for (std::size_t m = 0; m < plot.modes.size(); ++m) {
      const auto& values = plot.modes[m].values;
      const bool good = i < values.size() && svg::drawable(values[i].real()) && svg::drawable(values[i].imag());
      result.modes[m].values.push_back(good ? values[i] : std::complex<double>(nan, nan));
    }
  }
  return result;
}

// An imaginary part that is rounding becomes 0.
static void flatten(SweepPlot& plot) {
  for (std::size_t i = 0; i < plot.x.size(); ++i) {
    const double tolerance = sweep_rounding * largest_at(plot, i);
    for (auto& mode : plot.modes) {
      if (std::abs(mode.values[i].imag()) <= tolerance) mode.values[i].imag(0.0);
    }
  }
}

SweepPlot clean_sweep(const SweepPlot& plot) {
  SweepPlot result = drawable_points(plot);
  flatten(result);
  order_pairs(result);
  result = with_meetings(result);
  flatten(result);
  const svg::Range x = parameter_range(result);
  const auto outside = [&](const SweepPlot::Crossing& crossing) {
    return !(crossing.x >= x.low && crossing.x <= x.high);
  };
  result.crossings.erase(std::remove_if(result.crossings.begin(), result.crossings.end(), outside),
                         result.crossings.end());
  result.stable.clear();
  for (const auto& range : plot.stable) {
    const double low = std::max(range.first, x.low), high = std::min(range.second, x.high);
    if (!std::isnan(range.first) && !std::isnan(range.second) && low < high) result.stable.emplace_back(low, high);
  }
  return result;
}

// ---- curves ----

// Whether another mode draws the same real part here: of all that share it, the one with the largest imaginary part.
static bool drawn_by_another(const SweepPlot& plot, std::size_t m, std::size_t i, double tolerance) {
  const auto value = plot.modes[m].values[i];
  for (std::size_t j = 0; j < plot.modes.size(); ++j) {
    const auto other = plot.modes[j].values[i];
    if (j == m || !exists(other) || std::abs(other.real() - value.real()) > tolerance) continue;
    if (other.imag() > value.imag() || (other.imag() == value.imag() && j < m)) return true;
  }
  return false;
}

// Collects points to lines; end() begins a new one.
class Lines {
 public:
  explicit Lines(std::vector<svg::Line>& lines) : lines_(lines) {}
  ~Lines() { end(); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  void add(double x, double y) { line_.push_back({x, y}); }
  void end() {
    if (!line_.empty()) lines_.push_back(std::move(line_));
    line_.clear();
  }

 private:
  std::vector<svg::Line>& lines_;
  svg::Line line_;
};

static void add_real(const SweepPlot& plot, std::size_t m, const std::vector<double>& tolerance,
                     std::vector<svg::Line>& lines) {
  const auto& values = plot.modes[m].values;
  Lines real(lines);
  bool before = false;  // the point before exists and another mode draws it
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool here = exists(values[i]);
    const bool shared = here && drawn_by_another(plot, m, i, tolerance[i]);
    if (here && !shared) {
      if (before) real.add(plot.x[i - 1], values[i - 1].real());  // from where the curves meet
      real.add(plot.x[i], values[i].real());
    } else if (shared && i > 0 && exists(values[i - 1]) && !before) {
      real.add(plot.x[i], values[i].real());  // up to where they meet
    }
    if (!here || shared) real.end();
    before = shared;
  }
}

static void add_imaginary(const SweepPlot& plot, std::size_t m, std::vector<svg::Line>& lines) {
  const auto& values = plot.modes[m].values;
  Lines imaginary(lines);
  const auto is_real = [&](std::size_t i) { return exists(values[i]) && values[i].imag() == 0.0; };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool positive = exists(values[i]) && values[i].imag() > 0.0;
    const bool after = i > 0 && exists(values[i - 1]) && values[i - 1].imag() > 0.0;
    if (positive && i > 0 && is_real(i - 1)) imaginary.add(plot.x[i - 1], 0.0);
    if (positive || (after && is_real(i))) imaginary.add(plot.x[i], values[i].imag());
    if (!positive) imaginary.end();
  }
}

static void add_locus(const SweepPlot& plot, std::size_t m, std::vector<svg::Line>& lines) {
  Lines locus(lines);
  for (const auto& value : plot.modes[m].values) {
    if (exists(value)) {
      locus.add(value.real(), value.imag());
    } else {
      locus.end();
    }
  }
}

// A pair of two names is called by both.
static void name_group(const SweepPlot& plot, SweepGroup& group) {
  std::vector<std::string> names;
  for (const std::size_t m : group.modes) {
    const std::string& name = plot.modes[m].name;
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  group.name =
      names.empty() ? fmt::format("mode {}", group.modes.front() + 1) : fmt::format("{}", fmt::join(names, ", "));
}

std::vector<SweepGroup> group_sweep(const SweepPlot& plot) {
  std::vector<double> tolerance(plot.x.size());
  for (std::size_t i = 0; i < plot.x.size(); ++i) tolerance[i] = sweep_rounding * largest_at(plot, i);
  const auto partner = sweep_partners(plot);
  std::vector<SweepGroup> groups;
  for (std::size_t m = 0; m < plot.modes.size(); ++m) {
    const auto kin = [&](std::size_t other) {
      return other == partner[m] || (!plot.modes[m].name.empty() && plot.modes[m].name == plot.modes[other].name);
    };
    auto group = std::find_if(groups.begin(), groups.end(), [&](const SweepGroup& candidate) {
      return std::any_of(candidate.modes.begin(), candidate.modes.end(), kin);
    });
    if (group == groups.end()) group = groups.insert(groups.end(), SweepGroup{});
    group->modes.push_back(m);
    add_real(plot, m, tolerance, group->real);
    add_imaginary(plot, m, group->imaginary);
    add_locus(plot, m, group->locus);
  }
  for (SweepGroup& group : groups) name_group(plot, group);
  return groups;
}

}  // namespace tandem::sweep_picture
