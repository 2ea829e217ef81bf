#include "tandem/integrate/time_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "tandem/base/faults.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem {

namespace {

// One scalar function of time of a model.
struct OfTime {
  TimePlan::Unresolved what;  // should it turn out so
  Levels levels;              // of a force its value alone
  const Expression* expression = nullptr;
  std::vector<double> knots{};  // kinks that are known
  bool may_have_peaks = false;
  bool turns = false;  // an angle, with knots: steps along a line are exact however far it goes
};

Jet<double> value_alone(double value) { return {value, 0.0, 0.0}; }

void collect(const TimePlan::Unresolved& what, const std::vector<TimeFunction>& functions, bool is_motion,
             std::vector<OfTime>& out) {
  for (const TimeFunction& each : functions) {
    if (each.is_constant()) continue;
    const Levels levels = is_motion ? Levels([each](double t) { return each.jet<double>(t); })
                                    : Levels([each](double t) { return value_alone(each(t)); });
    out.push_back({what, levels, each.expression(), {}, may_have_peaks(*each.expression())});
  }
}

std::vector<OfTime> functions_of_time(const Model& model) {
  using Kind = TimePlan::Unresolved::Kind;
  std::vector<OfTime> out;
  for (std::size_t i = 0; i < model.forces.size(); ++i)
    collect({Kind::force, static_cast<int>(i)}, model.forces[i].force.of_time(), false, out);
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    if (const auto* pair = std::get_if<PairConstraint>(&model.constraints[i].what))
      collect({Kind::constraint, static_cast<int>(i)}, pair->constraint.of_time(), true, out);
  for (std::size_t i = 0; i < model.drives.size(); ++i) {
    const Drive& drive = model.drives[i].drive;
    const TimePlan::Unresolved what{Kind::drive, static_cast<int>(i)};
    collect(what, drive.of_time(), true, out);
    if (!drive.of_time().empty()) continue;
    OfTime function{what, [drive](double t) { return drive.motion<double>(t); }, nullptr, {}, true};
    if (drive.knots()) {
      function.may_have_peaks = false;
      for (const Real& knot : *drive.knots()) function.knots.push_back(value_of(knot));
      const CoordinateRef& ref = model.drives[i].coordinate;
      const JointTraits& joint = model.joints[static_cast<std::size_t>(ref.joint)].joint()->traits();
      function.turns = joint.coordinates[static_cast<std::size_t>(ref.coordinate)].angular;
    }
    out.push_back(std::move(function));
  }
  return out;
}

std::vector<TimeBreak> breaks_of(const OfTime& function, double from, double to) {
  if (function.expression) return find_breaks(*function.expression, function.levels, from, to);
  std::vector<TimeBreak> breaks;
  if (function.knots.empty()) return breaks;
  const JumpTest test(function.levels, from, to);
  for (const double knot : function.knots)
    if (knot > from && knot < to) breaks.push_back(test.around(knot, knot));
  merge_breaks(breaks);
  return breaks;
}

// Between two knots a drive is smooth, and may turn far in a moment: that much is not one step.
std::vector<TimeLimit> far_turns(const OfTime& function, const std::vector<TimeBreak>& breaks, double from, double to) {
  constexpr int samples = 16;
  std::vector<TimeLimit> limits;
  for (std::size_t i = 0; i <= breaks.size(); ++i) {
    const double begin = i == 0 ? from : breaks[i - 1].after, end = i < breaks.size() ? breaks[i].before : to;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int k = 0; k <= samples; ++k) {
      const double value = function.levels(begin + (end - begin) * k / samples).value;
      low = std::min(low, value);
      high = std::max(high, value);
    }
    if (const double parts = (high - low) / tolerances::drive_step; parts > 1.0)
      limits.push_back({begin, end, (end - begin) / std::ceil(parts)});
  }
  return limits;
}

}  // namespace

static std::string name_of(const Model& model, const TimePlan::Unresolved& what) {
  using Kind = TimePlan::Unresolved::Kind;
  const auto at = static_cast<std::size_t>(what.index);
  switch (what.kind) {
    case Kind::drive:
      return fmt::format("drive \"{}\"", model.drives[at].name);
    case Kind::constraint:
      return fmt::format("constraint \"{}\"", model.constraints[at].name);
    default:
      return fmt::format("force \"{}\"", model.forces[at].name);
  }
}

TimePlan::TimePlan(const Model& model, double from, double to, Depth depth) : start_(from) {
  scan(model, from, to, depth);
}

// From a little before, so that a kink at the very end of what was scanned is found.
void TimePlan::extend(const Model& model, double to) {
  scan(model, end_ - tolerances::scan_again * (to - end_), to, Depth::kinks);
}

void TimePlan::scan(const Model& model, double from, double to, Depth depth) {
  const std::vector<OfTime> functions = functions_of_time(model);
  if (!functions.empty()) end_ = to;
  for (const OfTime& function : functions) {
    std::vector<TimeBreak> breaks = breaks_of(function, from, to);
    std::optional<TimeEnd> end;  // tables have none
    if (function.expression) end = find_end(function.levels, from, to, breaks);
    if (end) {
      TimeBreak& last = breaks[end->at];
      end_numbers(name_of(model, function.what), *end, last.before, tolerances::end_margin * (to - from));
      last.after = last.before;
    }
    breaks_.insert(breaks_.end(), breaks.begin(), breaks.end());
    if (function.turns) add_limits(far_turns(function, breaks, from, to));
    if (depth == Depth::kinks || !function.may_have_peaks) continue;
    const auto value = [&](double t) { return function.levels(t).value; };
    TimePeaks peaks = find_peaks(value, from, to, breaks);
    if (!peaks.resolved) unresolved_.push_back(function.what);
    if (!peaks.limits.empty()) add_limits(std::move(peaks.limits));
  }
  merge_breaks(breaks_);
}

// What a run can follow up to a moment it follows up to there; what grows is left before.
void TimePlan::end_numbers(const std::string& of, const TimeEnd& end, double before, double margin) {
  constexpr std::array<std::string_view, 3> levels{"it", "its speed", "its acceleration"};
  const std::string_view what = levels[static_cast<std::size_t>(end.level)];
  const bool after = end.what == TimeEnd::What::no_number_after;
  const double last =
      after ? before + 2.0 * std::numeric_limits<double>::epsilon() * std::abs(before) : before - margin;
  if (!(last < numbers_end_)) return;
  numbers_end_ = last;
  why_numbers_end_ =
      end.what == TimeEnd::What::grows
          ? fmt::format("{}: {} grows without bound towards t = {:.9g} s", of, what, end.t)
          : fmt::format("{}: {} is not a finite number {} t = {:.9g} s", of, what, after ? "after" : "at", end.t);
}

void TimePlan::divide_limits(int parts) {
  for (std::vector<TimeLimit>& limits : limits_)
    for (TimeLimit& limit : limits) limit.step /= parts;
  if (parts == 1 || breaks_.size() > tolerances::most_divided) return;
  // A step that breakpoints cut to less than half is as long at half the step.
  std::vector<TimeLimit> between;
  double from = start_;
  for (const TimeBreak& next : breaks_) {
    if (next.before > from) between.push_back({from, next.before, (next.before - from) / parts});
    from = next.after;
  }
  if (!between.empty()) add_limits(std::move(between));
}

const TimeBreak* TimePlan::next_break(double t) const {
  const auto next = std::upper_bound(breaks_.begin(), breaks_.end(), t,
                                     [](double moment, const TimeBreak& each) { return moment < each.before; });
  return next == breaks_.end() ? nullptr : &*next;
}

double TimePlan::longest_step(double t, double h, double parts) const {
  for (const std::vector<TimeLimit>& limits : limits_) {
    auto next = std::upper_bound(limits.begin(), limits.end(), t,
                                 [](double moment, const TimeLimit& each) { return moment < each.to; });
    for (; next != limits.end() && next->from < t + h; ++next)
      h = std::min(h, std::max(next->from - t, parts * next->step));
  }
  if (t + h <= numbers_end_) return h;
  const double left = numbers_end_ - t;
  if (!(left > 1e-12 * std::abs(numbers_end_))) throw NumericalError(why_numbers_end_);
  return left;
}

namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void see(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double size() const { return high - low; }
  double round_off() const { return tolerances::time_jump * std::max(std::abs(low), std::abs(high)); }
};

}  // namespace

std::vector<TimeLimit> steps_with_changes(const Model& model, double from, double to, double h, double part,
                                          double shorter) {
  constexpr int samples = 16;  // in a step
  const long steps = std::max(1L, std::lround((to - from) / h));
  std::vector<bool> marked(static_cast<std::size_t>(steps), false);
  const auto begin_of = [&](long step) {
    return from + (to - from) * static_cast<double>(step) / static_cast<double>(steps);
  };
  for (const OfTime& function : functions_of_time(model)) {
    const std::vector<TimeBreak> breaks = breaks_of(function, from, to);
    std::array<Range, 2> whole;  // of the value and of the rate
    std::vector<std::array<double, 2>> change(static_cast<std::size_t>(steps));
    auto next = breaks.begin();
    const int parts =
        std::max(samples, static_cast<int>(std::ceil(tolerances::time_samples / static_cast<double>(steps))));
    for (long step = 0; step < steps; ++step) {
      std::array<Range, 2> here;
      const auto see = [&](double t) {
        const Jet<double> x = function.levels(t);
        here[0].see(x.value);
        here[1].see(x.rate);
      };
      const double begin = begin_of(step), end = begin_of(step + 1);
      for (int i = 0; i <= parts; ++i) see(begin + (end - begin) * i / parts);
      for (; next != breaks.end() && next->before < end; ++next) {
        see(next->before);
        see(next->after);
      }
      for (std::size_t level = 0; level < 2; ++level) {
        change[static_cast<std::size_t>(step)][level] = here[level].size();
        whole[level].see(here[level].low);
        whole[level].see(here[level].high);
      }
    }
    for (std::size_t i = 0; i < change.size(); ++i)
      for (std::size_t level = 0; level < 2; ++level)
        if (change[i][level] > std::max(part * whole[level].size(), whole[level].round_off())) marked[i] = true;
  }
  std::vector<TimeLimit> out;
  for (long step = 0; step < steps; ++step)
    if (marked[static_cast<std::size_t>(step)]) out.push_back({begin_of(step), begin_of(step + 1), shorter});
  return out;
}

}  // namespace tandem
