// The work behind compare(), step by step; each part fills what the next ones read. Its functions are in
// compare_reference.cpp (the reference, how long it can be followed and at which step), compare.cpp (methods),
// compare_checks.cpp and compare_time.cpp (checks) and compare_verdict.cpp (the sentence).
#pragma once

#include <cmath>
#include <map>
#include <numbers>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/compare/compare.hpp"
#include "tandem/compare/contact_check.hpp"
#include "tandem/compare/row_check.hpp"

namespace tandem {

class Comparer {
 public:
  Comparer(const Model& model, const Setup& setup, const CompareOptions& options);
  Comparison run();

 private:
  void choose_interval();
  bool find_reference();
  bool find_reference_by_error_control();
  std::string who_gets_through() const;
  const Trajectory& reference_at(int parts) { return lagrange_at(Cut::all, parts); }
  const Trajectory& lagrange_at(Cut cut, int parts);  // as many parts as reference_at: no run is made twice
  struct Hold;
  Hold hold_in(const State& bodies) const;
  bool is_nearly_singular(const Hold& hold) const;
  bool is_nearly_singular(const State& bodies) const;
  void find_singular_poses();
  bool find_horizon();
  void refine();
  bool refine_by_dop853();
  void end_where_the_other_cut_rounds();
  bool is_round_off(double apart, double step) const;
  void end_where_round_off_rules(const Trajectory& coarse, const Trajectory& fine);
  void compare_methods();
  void compare_method(const MethodInfo& info);
  void halve_until_they_agree(const MethodInfo& info, MethodResult& result, std::map<int, Trajectory>& runs);
  void cross(const char* name, const Setup& other, const std::string& against, bool finely = true);
  void cross_cuts();
  void judge_impulses();
  std::string judge_impulses(const Setup& setup, int parts, MethodResult& result);  // what there is to report
  std::vector<char> rows_at_jumps() const;                                          // and those left out by all
  double first_order_horizon(const Trajectory& a, const std::vector<char>& left_out) const;
  std::string fineness(const Trajectory& of) const;  // its step, or its tolerance
  void check_time();
  void check_energy();
  void check_residuals();
  void check_rows_by_duals();
  void check_contacts_by_geometry();
  void conclude();
  bool is_wanted(const std::string& method) const;
  void note_parting(const Difference& difference, const std::string& in);
  std::string find_cause() const;
  std::string explain_cause() const;

  // By the exact model. With error control the error goes with the tolerance: what halves a step of order p divides
  // that by 2ᵖ.
  Trajectory follow(const Setup& setup, int parts, const State* start = nullptr) const {
    auto time = std::make_shared<TimePlan>(*time_);
    time->divide_limits(parts);
    Setup at = setup;
    if (by_error_control_) at.tolerance = tolerance_at(parts);
    return tandem::follow(exact_, at, parts, duration_, interval_, start, std::move(time));
  }
  double tolerance_at(int parts) const { return setup_.tolerance / pow(static_cast<double>(parts), order_); }
  // As the finest reference was made.
  Trajectory follow_finely(const Setup& setup, int parts) const {
    return follow(by_dop853_ ? precise(setup, parts) : setup, parts);
  }
  Setup precise(const Setup& setup, int parts) const;
  // Up to the horizon, but for poses that are nearly singular.
  Difference apart(const Trajectory& a, const Trajectory& b, double tolerance,
                   std::vector<ComparedSample>* samples = nullptr) const {
    return difference(exact_, a, b, tolerance, duration_ + 0.5 * finest_step_, left_out_, samples);
  }
  // Shorter steps would take minutes, and their rounding errors add up.
  bool is_too_fine(int parts) const { return duration_ * parts > tolerances::most_compared_steps * setup_.step; }
  bool is_left_out(std::size_t row) const { return row < left_out_.size() && left_out_[row]; }
  void say(const std::string& what) const {
    if (options_.on_progress) options_.on_progress(what);
  }
  void check(std::string name, bool asked, bool passed, std::string detail) {
    out_.checks.push_back({std::move(name), asked, passed, std::move(detail)});
  }

  CompareOptions options_;
  Model model_;      // without stops
  Model exact_;      // soft constraints made exact
  Setup setup_;      // with projection, by a fixed-step integrator, or by error control where no step fits
  Setup reference_;  // by lagrange on the cut all
  bool has_soft_ = false, by_error_control_ = false;
  bool by_dop853_ = false;  // finest_, and what it is set against in other coordinates: see refine()
  Choice<IntegratorName> error_control_ = IntegratorName::dop853;
  double too_long_ = 0.0;  // with error control: the shortest fixed step that was tried
  int order_ = 4;
  double duration_ = 0.0, interval_ = 0.0;
  std::shared_ptr<const TimePlan> time_;                  // of the model over its duration
  std::map<std::pair<Cut, int>, Trajectory> references_;  // by lagrange, by the parts of the step
  double most_pivot_ = 0.0;                               // what the machine has where it is held best
  std::size_t most_rank_ = 0;
  std::vector<char> left_out_;  // rows in poses that are nearly singular
  double growth_ = 1.0;         // of a small disturbance, at most, up to the horizon
  Trajectory finest_;           // where Richardson is satisfied
  int parts_ = 1;               // of finest_; of the last fixed step where that is by dop853
  int fine_parts_ = 1;          // of what finest_ is set against
  double finest_step_ = 0.0;
  bool refined_ = false, at_round_off_ = false;
  double impulses_until_ = 0.0;  // where its first order can be judged
  Comparison out_;
  Difference parting_;  // the first that goes beyond its tolerance
  std::string parted_in_;
  std::vector<RowFault> row_faults_;
  std::vector<ContactFault> contact_faults_;
};

inline double order_of(double coarse, double fine) {
  return coarse > 0.0 && fine > 0.0 ? log(coarse / fine) / std::numbers::ln2 : 0.0;
}
// What compare() runs: projection, by a fixed-step integrator of order one or more, over `duration`, or the model's at
// 0.
Setup comparable(const Setup& asked, double duration);
// The same by another method, cut and coordinates; impulses with its own integrator.
Setup with(const Setup& setup, Choice<MethodName> method, Choice<Cut> cut,
           Choice<CoordinatesName> coordinates = CoordinatesName::quasi);

}  // namespace tandem
