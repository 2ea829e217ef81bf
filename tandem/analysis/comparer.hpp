// The work behind compare(), step by step; each part fills what the next ones read. Its functions are in compare.cpp
// (trajectories), compare_checks.cpp and compare_time.cpp (checks) and compare_verdict.cpp (the sentence).
#pragma once

#include <cmath>

#include "tandem/analysis/compare.hpp"
#include "tandem/analysis/row_check.hpp"

namespace tandem {

class Comparer {
 public:
  Comparer(const Model& model, const CompareOptions& options);
  Comparison run();

 private:
  void choose_interval();
  bool find_reference();
  void find_horizon();
  void compare_methods();
  void compare_method(const MethodInfo& info);
  void refine();
  void cross(const char* name, const Model& other, const std::string& against);
  void cross_cuts();
  void judge_impulses();
  std::string judge_impulses(const Model& model, int parts, MethodResult& result);  // what there is to tell
  double first_order_horizon(const Trajectory& a) const;
  void check_time();
  void check_energy();
  void check_residuals();
  void check_rows_by_duals();
  void conclude();
  bool is_wanted(const std::string& method) const;
  void note_parting(const Difference& difference, const std::string& in);
  std::string find_cause() const;
  std::string explain_cause() const;

  Trajectory follow(const Model& model, int parts, const State* start = nullptr) const {
    return tandem::follow(model, parts, duration_, interval_, start, time_);
  }
  void say(const std::string& what) const {
    if (options_.on_progress) options_.on_progress(what);
  }
  void check(std::string name, bool asked, bool passed, std::string detail) {
    out_.checks.push_back({std::move(name), asked, passed, std::move(detail)});
  }

  CompareOptions options_;
  Model model_;      // with projection, by a fixed-step integrator
  Model exact_;      // soft constraints made exact
  Model reference_;  // exact_ by lagrange on the cut all
  bool has_soft_ = false;
  int order_ = 4;
  double duration_ = 0.0, interval_ = 0.0;
  std::shared_ptr<const TimePlan> time_;  // of the model over its duration
  Trajectory coarse_, fine_;  // of the reference, at h and h/2
  Trajectory finest_;         // where Richardson is satisfied
  int parts_ = 1;             // of finest_
  bool refined_ = false;
  double impulses_until_ = 0.0;  // where its first order can be judged
  Comparison out_;
  Difference parting_;  // the first that goes beyond its tolerance
  std::string parted_in_;
  std::vector<RowFault> row_faults_;
};

inline double order_of(double coarse, double fine) {
  return coarse > 0.0 && fine > 0.0 ? std::log2(coarse / fine) : 0.0;
}
// The model by another method, cut and coordinates.
Model with(const Model& model, const std::string& method, const std::string& cut,
           const std::string& coordinates = "quasi");

}  // namespace tandem
