#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tandem/base/time_scan.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

namespace {

// The quartic through five values at 0, 1, 2, 3, 4, by Newton's forward differences.
class Quartic {
 public:
  explicit Quartic(std::array<double, 5> y) : d_(y) {
    for (std::size_t order = 1; order < 5; ++order)
      for (std::size_t i = 4; i >= order; --i) d_[i] -= d_[i - 1];
  }
  double operator()(double x) const {
    return d_[0] + x * (d_[1] + (x - 1.0) / 2.0 * (d_[2] + (x - 2.0) / 3.0 * (d_[3] + (x - 3.0) / 4.0 * d_[4])));
  }

 private:
  std::array<double, 5> d_;
};

class PeakFinder {
 public:
  PeakFinder(const std::function<double(double)>& of_time, double from, double to) : f_(of_time), whole_(to - from) {}

  TimePeaks find(double from, double to, std::span<const TimeBreak> breaks) {
    double begin = from;
    for (const TimeBreak& each : breaks) {
      if (!(each.before > begin) || !(each.after < to)) continue;
      sample(begin, each.before);
      begin = each.after;
    }
    sample(begin, to);
    allowed_ = tolerances::peak_fit * std::max(most_ - least_, 1e-9 * std::max(std::abs(most_), std::abs(least_)));
    for (const Piece& piece : pieces_) divide(piece, 0, piece.values.size() - 1);
    TimePeaks out;
    out.resolved = evaluations_ < tolerances::peak_evaluations;
    if (!out.resolved) return out;
    double longest = 0.0;
    for (const TimeLimit& part : parts_) longest = std::max(longest, part.step);
    const double short_part = std::max(tolerances::peak_part * longest, tolerances::wave_part * whole_);
    for (const TimeLimit& part : parts_) {
      if (part.step > short_part) continue;
      if (!out.limits.empty() && out.limits.back().to == part.from && out.limits.back().step == part.step)
        out.limits.back().to = part.to;
      else
        out.limits.push_back(part);
    }
    return out;
  }

 private:
  struct Piece {
    double from = 0.0, to = 0.0;
    std::vector<double> values;  // one more than a power of two
    double t(std::size_t i) const {
      return from + (to - from) * static_cast<double>(i) / static_cast<double>(values.size() - 1);
    }
  };

  double evaluate(double t) {
    ++evaluations_;
    const double value = f_(t);
    return std::isfinite(value) ? value : 0.0;  // a run that comes here fails and says so
  }

  // Between two kinks.
  void sample(double from, double to) {
    if (!(to > from)) return;
    std::size_t parts = 8;
    while (static_cast<double>(parts) < (to - from) / whole_ * static_cast<double>(tolerances::time_samples))
      parts *= 2;
    Piece piece{from, to, std::vector<double>(parts + 1)};
    for (std::size_t i = 0; i <= parts; ++i) {
      const double value = piece.values[i] = evaluate(piece.t(i));
      least_ = std::min(least_, value);
      most_ = std::max(most_, value);
    }
    pieces_.push_back(std::move(piece));
  }

  // From sample to sample, a power of two of them.
  void divide(const Piece& piece, std::size_t first, std::size_t last) {
    const std::size_t apart = (last - first) / 4;
    if (apart == 0) return refine(piece.t(first), piece.t(last));
    const auto& y = piece.values;
    const Quartic quartic({y[first], y[first + apart], y[first + 2 * apart], y[first + 3 * apart], y[last]});
    bool fits = true;
    for (std::size_t i = first; fits && i <= last; ++i)
      fits = std::abs(y[i] - quartic(static_cast<double>(i - first) / static_cast<double>(apart))) <= allowed_;
    if (fits && apart == 1) return refine(piece.t(first), piece.t(last));
    if (fits) return add(piece.t(first), piece.t(last));
    const std::size_t middle = first + (last - first) / 2;
    divide(piece, first, middle);
    divide(piece, middle, last);
  }

  // Where the samples are too few to tell, by more of them.
  void refine(double from, double to) {
    if (evaluations_ >= tolerances::peak_evaluations) return;
    const double h = (to - from) / 8.0;
    std::array<double, 9> y;
    for (std::size_t i = 0; i < 9; ++i) y[i] = evaluate(from + h * static_cast<double>(i));
    const Quartic quartic({y[0], y[2], y[4], y[6], y[8]});
    bool fits = true;
    for (const std::size_t i : {1, 3, 5, 7})
      fits = fits && std::abs(y[i] - quartic(0.5 * static_cast<double>(i))) <= allowed_;
    if (fits || to - from <= tolerances::same_moment * whole_) return add(from, to);
    refine(from, from + 4.0 * h);
    refine(from + 4.0 * h, to);
  }

  void add(double from, double to) { parts_.push_back({from, to, to - from}); }

  const std::function<double(double)>& f_;
  double whole_, allowed_ = 0.0;
  double least_ = std::numeric_limits<double>::infinity(), most_ = -std::numeric_limits<double>::infinity();
  long evaluations_ = 0;
  std::vector<Piece> pieces_;
  std::vector<TimeLimit> parts_;
};

}  // namespace

TimePeaks find_peaks(const std::function<double(double)>& of_time, double from, double to,
                     std::span<const TimeBreak> breaks) {
  if (!(from < to)) return {};
  return PeakFinder(of_time, from, to).find(from, to, breaks);
}

}  // namespace tandem
