// What of a model depends on time alone, and what that asks of the steps through it.
//
// Forces, efforts, drives and lengths of time are scanned before a run (base/time_scan.hpp). Kinks and jumps are
// breakpoints, where every integrator ends a step; short smooth peaks limit the step while they last. Where one ceases
// to be a number, or grows without bound, no step goes on. What depends on the state as well cannot be known before:
// error control finds it, or max_step does.
#pragma once

#include <limits>
#include <string>

#include "tandem/base/time_scan.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

class TimePlan {
 public:
  enum class Depth { kinks, peaks };  // peaks cost 1e5 evaluations for each function that may have some

  TimePlan() = default;  // nothing depends on time
  TimePlan(const Model& model, double from, double to, Depth depth);

  // It holds up to here; infinite where nothing depends on time.
  double end() const { return end_; }
  // The kinks up to a later moment too.
  void extend(const Model& model, double to);
  const std::vector<TimeBreak>& breaks() const { return breaks_; }
  // The first breakpoint after a moment; null when there is none.
  const TimeBreak* next_break(double t) const;
  // Of a step from t that would be h long: how long it may be, where `parts` of a peak's are allowed. Throws
  // NumericalError where no function of time leads on.
  double longest_step(double t, double h, double parts) const;
  // What changes so fast everywhere that its peaks were not looked for to the end.
  struct Unresolved {
    enum class Kind { force, drive, constraint } kind = Kind::force;
    int index = 0;
  };
  const std::vector<Unresolved>& unresolved() const { return unresolved_; }

  // Steps in peaks, and between breakpoints, so many times shorter: a run at half the step is one everywhere.
  void divide_limits(int parts);
  void add_limits(std::vector<TimeLimit> limits) { limits_.push_back(std::move(limits)); }

 private:
  void scan(const Model& model, double from, double to, Depth depth);
  void end_numbers(const std::string& of, const TimeEnd& end, double before, double margin);
  double start_ = 0.0, end_ = std::numeric_limits<double>::infinity();
  std::vector<TimeBreak> breaks_;
  std::vector<std::vector<TimeLimit>> limits_;  // one list a function, each in order
  std::vector<Unresolved> unresolved_;
  double numbers_end_ = std::numeric_limits<double>::infinity();  // no step goes beyond
  std::string why_numbers_end_;
};

// Steps of length h from one moment to another in which something of time, or the speed of a motion, changes by more
// than this part of its range, as limits of `shorter`.
std::vector<TimeLimit> steps_with_changes(const Model& model, double from, double to, double h, double part,
                                          double shorter);

}  // namespace tandem
