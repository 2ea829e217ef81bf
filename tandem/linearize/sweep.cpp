#include "tandem/linearize/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "tandem/linearize/growth_edge.hpp"
#include "tandem/linearize/mode_match.hpp"
#include "tandem/linearize/mode_names.hpp"

namespace tandem {

namespace {

constexpr int deepest = 7;  // of halving

// Where x(f), the parabola through x = 0, 1 and c, meets f = 0; the line through 0 and 1 when there is no third point.
double parabola(double f_0, double f_1, double f_c, double c) {
  if (f_c == f_0 || f_c == f_1) return f_0 / (f_0 - f_1);
  return f_0 / (f_1 - f_0) * (f_c / (f_1 - f_c)) + c * (f_0 / (f_c - f_0)) * (f_1 / (f_c - f_1));
}

class Sweeper {
 public:
  Sweeper(const LinearAt& at, Sweep& out) : at_(at), out_(out) {}

  Linearization point(double x) const {
    try {
      Linearization found = at_(x);
      if (!out_.points.empty() && found.modes.size() != out_.points.front().modes.size())
        throw NumericalError(fmt::format("there are {} modes, and {} at {} = {:.6g}: the symmetry changes",
                                         found.modes.size(), out_.points.front().modes.size(), out_.parameter,
                                         out_.values.front()));
      return found;
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("at {} = {:.9g}: {}", out_.parameter, x, error.what()));
    } catch (const ModelError& error) {
      Faults faults;
      for (const Fault& fault : error.faults().list()) {
        if (fault.warning) continue;
        faults.about(fault.object, fault.where);
        faults.error(fmt::format("{} (at {} = {:.9g})", fault.message, out_.parameter, x));
      }
      throw ModelError(std::move(faults));
    }
  }

  // From the modes at x_a to those at x_b, halving the way where shapes change too much to be sure.
  std::vector<int> follow(double x_a, const Linearization& a, double x_b, const Linearization& b, int depth) const {
    ModeMatch direct = match_modes(a, b);
    if (direct.sure || depth == deepest) return direct.to;
    const double middle = 0.5 * (x_a + x_b);
    const Linearization between = point(middle);
    const std::vector<int> first = follow(x_a, a, middle, between, depth + 1);
    const std::vector<int> second = follow(middle, between, x_b, b, depth + 1);
    std::vector<int> both;
    for (const int i : first) both.push_back(second[static_cast<std::size_t>(i)]);
    return both;
  }

  void track() {
    const std::size_t n = out_.points.front().modes.size();
    std::vector<int> index(n);
    std::iota(index.begin(), index.end(), 0);
    out_.modes.resize(n);
    for (std::size_t k = 0; k < out_.points.size(); ++k) {
      if (k > 0) {
        const std::vector<int> to = follow(out_.values[k - 1], out_.points[k - 1], out_.values[k], out_.points[k], 0);
        for (int& i : index) i = to[static_cast<std::size_t>(i)];
      }
      for (std::size_t i = 0; i < n; ++i) {
        out_.modes[i].index.push_back(index[i]);
        out_.modes[i].eigenvalues.push_back(out_.points[k].modes[static_cast<std::size_t>(index[i])].eigenvalue);
      }
    }
    for (SweepMode& mode : out_.modes) {
      mode.neutral = true;
      for (std::size_t k = 0; k < out_.points.size(); ++k)
        if (!out_.points[k].neutral(mode.eigenvalues[k])) mode.neutral = false;
    }
  }

  double range() const { return std::abs(out_.values.back() - out_.values.front()); }

  // (2) between points k and end, for one mode: inverse quadratic interpolation in a bracket.
  SweepCrossing find_crossing(int mode, std::size_t k, std::size_t end) const {
    const SweepMode& tracked = out_.modes[static_cast<std::size_t>(mode)];
    double a = out_.values[k], b = out_.values[end];
    double f_a = tracked.eigenvalues[k].real(), f_b = tracked.eigenvalues[end].real();
    const int index = tracked.index[k];
    std::complex<double> found = tracked.eigenvalues[k];
    const bool loses = (f_b > 0.0) == (b > a);
    double c = a, f_c = f_a;  // a third point: the last end that was given up
    for (int pass = 0; pass < 200; ++pass) {
      const double width = b - a, least = 1e-13 * std::max(range(), std::abs(b));
      if (!(std::abs(width) > least)) break;
      // Where along the bracket the next point lies: on the parabola x(f) through the three points, held within the
      // bracket and never nearer to an end than half of what is wanted. What takes long gets the middle in turn.
      double s = parabola(f_a, f_b, f_c, (c - a) / width);
      if ((pass > 8 && pass % 2 == 1) || !(s > 0.0 && s < 1.0)) s = 0.5;
      const double nearest = 0.5 * least / std::abs(width);
      const double x = a + std::clamp(s, nearest, 1.0 - nearest) * width;
      if (x == a || x == b) break;
      const Linearization here = point(x);
      const int there = follow(out_.values[k], out_.points[k], x, here, deepest - 2)[static_cast<std::size_t>(index)];
      found = here.modes[static_cast<std::size_t>(there)].eigenvalue;
      const double f = found.real();
      const bool replaces_a = (f < 0.0) == (f_a < 0.0);
      c = replaces_a ? a : b;
      f_c = replaces_a ? f_a : f_b;
      if (replaces_a || f == 0.0) a = x, f_a = f;
      if (!replaces_a || f == 0.0) b = x, f_b = f;
    }
    const double x = std::abs(f_a) < std::abs(f_b) ? a : b;
    const double size = std::max(out_.points[k].size(), out_.points[end].size());
    const bool jumps = std::min(std::abs(f_a), std::abs(f_b)) > 1e-4 * size;
    return {x, {0.0, std::abs(found.imag())}, mode, loses, false, jumps};
  }

  // The mode at a point that decays as this one grows.
  int mirrored(int mode, std::size_t k) const {
    const std::complex<double> wanted = -std::conj(out_.modes[static_cast<std::size_t>(mode)].eigenvalues[k]);
    int nearest = 0;
    for (std::size_t i = 0; i < out_.modes.size(); ++i)
      if (std::abs(out_.modes[i].eigenvalues[k] - wanted) <
          std::abs(out_.modes[static_cast<std::size_t>(nearest)].eigenvalues[k] - wanted))
        nearest = static_cast<int>(i);
    return nearest;
  }

  // Where growth ends without decay, or begins.
  SweepCrossing find_edge(int mode, std::size_t k) const {
    const SweepMode& tracked = out_.modes[static_cast<std::size_t>(mode)];
    const bool first_grows = tracked.eigenvalues[k].real() > tracked.eigenvalues[k + 1].real();
    const std::size_t grown = first_grows ? k : k + 1, quiet = first_grows ? k + 1 : k;
    const double least = 3e-6 * (1.0 / out_.points[grown].time + std::abs(tracked.eigenvalues[grown]));
    const auto count = [&](const Linearization& at) {
      return std::count_if(at.modes.begin(), at.modes.end(),
                           [&](const LinearMode& each) { return each.eigenvalue.real() > least; });
    };
    const auto others = count(out_.points[quiet]);
    const GrowingMode growing = [&](double x, double frequency) -> std::optional<std::complex<double>> {
      const Linearization here = point(x);
      if (count(here) <= others) return std::nullopt;
      std::optional<std::complex<double>> nearest;
      for (const LinearMode& each : here.modes) {
        if (!(each.eigenvalue.real() > least) || each.eigenvalue.imag() < 0.0) continue;
        if (!nearest || std::abs(each.eigenvalue.imag() - frequency) < std::abs(nearest->imag() - frequency))
          nearest = each.eigenvalue;
      }
      return nearest;
    };
    const std::size_t beyond =
        first_grows ? (grown > 0 ? grown - 1 : grown) : std::min(grown + 1, out_.values.size() - 1);
    const bool goes_on = tracked.eigenvalues[beyond].real() > tracked.eigenvalues[grown].real();
    const GrowthEdge edge = find_growth_edge(out_.values[goes_on ? beyond : grown], out_.values[grown],
                                             tracked.eigenvalues[grown], out_.values[quiet], growing);
    const bool loses = first_grows == (out_.values[k] > out_.values[k + 1]);
    return {edge.value, {0.0, edge.frequency}, mode, loses, !edge.jumps, edge.jumps, mirrored(mode, grown)};
  }

  // Points where a mode neither grows nor decays are passed over; a stretch of them has edges.
  void find_crossings(std::size_t i) {
    const SweepMode& mode = out_.modes[i];
    const std::size_t none = mode.eigenvalues.size();
    std::size_t last = none;  // the last point where it moved
    for (std::size_t k = 0; k <= none; ++k) {
      const bool end = k == none;
      if (!end && out_.points[k].neutral(mode.eigenvalues[k].real())) continue;
      const std::size_t first_resting = last == none ? 0 : last + 1;
      if (last != none && !end && k - last <= 2) {
        if ((mode.eigenvalues[last].real() < 0.0) != (mode.eigenvalues[k].real() < 0.0)) add_crossing(i, last, k);
      } else if (first_resting < k) {
        if (last != none && grows_alone(mode, last)) out_.crossings.push_back(find_edge(static_cast<int>(i), last));
        if (!end && grows_alone(mode, k)) out_.crossings.push_back(find_edge(static_cast<int>(i), k - 1));
      }
      last = k;
    }
  }

  // It grows there, and it is not the second of a pair: of these the first tells.
  static bool grows_alone(const SweepMode& mode, std::size_t k) {
    return mode.eigenvalues[k].real() > 0.0 && mode.eigenvalues[k].imag() >= 0.0;
  }

  void add_crossing(std::size_t i, std::size_t k, std::size_t end) {
    const SweepMode& mode = out_.modes[i];
    const bool pair = is_pair(mode, k, end);
    if (pair && mode.eigenvalues[k].imag() < 0.0) return;  // its partner tells
    const SweepCrossing found = find_crossing(static_cast<int>(i), k, end);
    if (!pair && found.eigenvalue.imag() > 0.0) {  // both members of what is a pair in between meet the crossing
      const auto other = std::find_if(halves_.begin(), halves_.end(), [&](const SweepCrossing& half) {
        return std::abs(half.value - found.value) <= 1e-9 * std::max(range(), std::abs(found.value)) &&
               std::abs(half.eigenvalue - found.eigenvalue) <= 1e-6 * std::abs(found.eigenvalue);
      });
      if (other != halves_.end()) {
        halves_.erase(other);
        return;
      }
      halves_.push_back(found);
    }
    out_.crossings.push_back(found);
  }

  void find_crossings() {
    for (std::size_t i = 0; i < out_.modes.size(); ++i)
      if (!out_.modes[i].neutral) find_crossings(i);
    std::stable_sort(out_.crossings.begin(), out_.crossings.end(),
                     [](const SweepCrossing& a, const SweepCrossing& b) { return a.value < b.value; });
  }

  // Whether it is one of a pair at a point, and of the same pair at another.
  bool is_pair(const SweepMode& mode, std::size_t k, std::size_t end) const {
    if (mode.eigenvalues[k].imag() == 0.0 || mode.eigenvalues[end].imag() == 0.0) return false;
    return std::any_of(out_.modes.begin(), out_.modes.end(), [&](const SweepMode& other) {
      return other.eigenvalues[k] == std::conj(mode.eigenvalues[k]) &&
             other.eigenvalues[end] == std::conj(mode.eigenvalues[end]);
    });
  }

  // Nothing grows, and something is not neutral.
  bool is_stable(const Linearization& at) const {
    const auto grows = [&](const LinearMode& mode) {
      return !(mode.eigenvalue.real() <= 0.0 || at.neutral(mode.eigenvalue.real()));
    };
    const bool all_neutral =
        std::all_of(out_.modes.begin(), out_.modes.end(), [](const SweepMode& mode) { return mode.neutral; });
    return !all_neutral && std::none_of(at.modes.begin(), at.modes.end(), grows);
  }

  // From crossing to crossing; what lies between is told by the points there, or by the middle where there are none.
  void find_stable() {
    std::vector<double> ends{out_.values.front(), out_.values.back()};
    for (const SweepCrossing& crossing : out_.crossings) ends.push_back(crossing.value);
    std::sort(ends.begin(), ends.end());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      bool stable = true, any = false;
      for (std::size_t k = 0; k < out_.values.size(); ++k) {
        if (!(out_.values[k] > ends[i] && out_.values[k] < ends[i + 1])) continue;
        stable = stable && is_stable(out_.points[k]);
        any = true;
      }
      if (!any) stable = ends[i] < ends[i + 1] && is_stable(point(0.5 * (ends[i] + ends[i + 1])));
      if (!stable) continue;
      if (!out_.stable.empty() && out_.stable.back().second == ends[i])
        out_.stable.back().second = ends[i + 1];
      else
        out_.stable.emplace_back(ends[i], ends[i + 1]);
    }
  }

 private:
  const LinearAt& at_;
  Sweep& out_;
  std::vector<SweepCrossing> halves_;  // of pairs that are none at one of the points
};

}  // namespace

Sweep sweep(const std::string& parameter, const std::vector<double>& values, const LinearAt& at,
            const std::vector<std::string>& names, const SweepProgress& progress) {
  Sweep out;
  out.parameter = parameter;
  out.values = values;
  Sweeper sweeper(at, out);
  for (const double x : values) {
    out.points.push_back(sweeper.point(x));
    if (progress) progress(out.points.size(), values.size());
  }
  if (out.points.empty() || out.points.front().modes.empty()) return out;
  sweeper.track();
  sweeper.find_crossings();
  settle_edges(out);
  sweeper.find_stable();
  name_modes(out, names);
  return out;
}

}  // namespace tandem
