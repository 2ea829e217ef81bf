// What a function of time does that an integrator could step over: kinks, jumps and short peaks.
//
//   (1)  Kinks and jumps of an expression lie where what one of its functions takes passes through zero: of abs(u) and
//        u/abs(u) that is u, of min(u, v) and max(u, v) it is u − v, of 1/u it is u; sqrt(u) and u^1.5 have a kink
//        where u touches zero. u is looked at from the inside out, at 1e5 moments and at every kink found so far, then
//        bisected down to neighbouring numbers. Between kinks u is often a straight line, and then no moment is needed
//        but those. atan2(y, x) jumps where y passes through or touches zero and where x passes through zero, if it
//        does: with y = 0 all along, by π where x changes its sign; off its cut it is smooth there.
//   (2)  A peak has no kink. Between the kinks the function is divided until in every part the quartic through five of
//        its points meets all samples, 1e5 in all, to 1e-4 of its range; where a part has fewer than four samples, more
//        are taken. What is divided 16 times finer than elsewhere is a peak, and its parts are as long as steps may be
//        there. Parts shorter than a two-hundredth of the run are limits too, so that no wave is taken for another.
//   (3)  At a moment t₀ a function f may cease to be a number, sqrt(t₀ − t), or grow without bound, 1/(t₀ − t). With
//        f ~ δᵖ at the distance δ, c(δ) = |f(t₀ ± δ) − f(t₀ ± 2δ)| ~ δᵖ too, while a smooth part has c ~ δ: at three
//        distances, each a thousandth of the one before, c grows if p < 0, and stays if f ~ log δ. Where f is bounded
//        its rate has p > −1, and so has its acceleration where the rate is: steeper growth of these is round-off.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tandem/base/time_function.hpp"

namespace tandem {

// Where a step ends, `before`, and the next one begins, `after`. At a kink they are the same moment; at a jump they are
// some ulps apart, one on each side of it.
struct TimeBreak {
  double before = 0.0, after = 0.0;
  bool is_jump() const { return before < after; }
};

// Between two moments a step must not be longer than this; nor may a longer one reach into them from before.
struct TimeLimit {
  double from = 0.0, to = 0.0, step = 0.0;
};

// What of a function must be continuous for a step to be as good as any: of a force its value, of a motion its rate and
// acceleration too.
using Levels = std::function<Jet<double>(double)>;

// What becomes of a function at a moment that no step can go through.
struct TimeEnd {
  enum class Level { value, rate, acceleration } level = Level::value;
  enum class What { grows, no_number, no_number_after } what = What::grows;
  double t = 0.0;
  std::size_t at = 0;  // of the breaks
};

// Whether something jumps at a moment, against the range of it between two others.
class JumpTest {
 public:
  JumpTest(Levels levels, double from, double to);
  bool jumps(double before, double after) const;
  // (3), as far as `room` from the moment, before and after it.
  std::optional<TimeEnd> end_at(double t, double room_before, double room_after) const;
  // A kink, or a jump with room for the round-off of a sum of times.
  TimeBreak around(double before, double after) const;

 private:
  Levels levels_;
  Jet<double> range_;
  double whole_;
};

// (1) between two moments, in order.
std::vector<TimeBreak> find_breaks(const Expression& of_time, const Levels& levels, double from, double to);

// (3) at the first of these breaks where it is so.
std::optional<TimeEnd> find_end(const Levels& levels, double from, double to, std::span<const TimeBreak> breaks);

// Not of an expression of t that is made of straight lines alone.
bool may_have_peaks(const Expression& of_time);

struct TimePeaks {
  std::vector<TimeLimit> limits;
  bool resolved = true;  // false: it changes so fast everywhere that the search was given up
};

// (2) between two moments, of a function with these kinks.
TimePeaks find_peaks(const std::function<double(double)>& of_time, double from, double to,
                     std::span<const TimeBreak> breaks);

// Sorted; those that touch become one.
void merge_breaks(std::vector<TimeBreak>& breaks);

}  // namespace tandem
