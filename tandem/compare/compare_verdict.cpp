#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tandem/base/elementary.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/compare/comparer.hpp"

namespace tandem {

// The most specific explanation first.
std::string Comparer::find_cause() const {
  if (!row_faults_.empty()) return "bias";
  if (!contact_faults_.empty()) return "contact";
  if (has_soft_) return "soft";
  if (references_.at({Cut::all, 1}).health.rank_changed >= 0.0 || finest_.health.rank_changed >= 0.0) return "rank";
  for (const MethodResult& method : out_.methods)
    if (!method.failed.empty()) return "failure";
  if (!refined_) return at_round_off_ ? "round-off" : "step";
  return "unknown";
}

std::string Comparer::explain_cause() const {
  if (out_.cause == "bias") return fmt::format("{}: {}", row_faults_.front().block, row_faults_.front().what);
  if (out_.cause == "contact")
    return fmt::format("{}: {}", contact_faults_.front().block, contact_faults_.front().what);
  if (out_.cause == "soft") {
    std::vector<std::string> soft;
    for (const ModelConstraint& constraint : model_.constraints)
      if (constraint.soft) soft.push_back(fmt::format("\"{}\"", constraint.name));
    return fmt::format("constraint {} is soft: it gives way in impulses, the other methods hold it exactly",
                       fmt::join(soft, ", "));
  }
  if (out_.cause == "rank") {
    const HealthSummary &coarse = references_.at({Cut::all, 1}).health, &finest = finest_.health;
    const double t = coarse.rank_changed >= 0.0 ? coarse.rank_changed : finest.rank_changed;
    return fmt::format(
        "the rows lose rank at t = {:.6g} s (between {} and {} are independent): there the constraints leave more than "
        "one way to go on",
        t, std::min(coarse.least_rank, finest.least_rank), std::max(coarse.most_rank, finest.most_rank));
  }
  if (out_.cause == "failure")
    for (const MethodResult& method : out_.methods)
      if (!method.failed.empty()) return fmt::format("{} broke off {}", method.name, method.failed);
  if (out_.cause == "round-off")
    return fmt::format(
        "rounding errors are larger than the tolerance allows from the start: runs at steps of {:.3g} s and half of it "
        "are {:.1e} apart, and a shorter step does not bring them nearer; use a larger tolerance",
        2.0 * out_.step, out_.richardson * (pow(2.0, order_) - 1.0));
  if (out_.cause == "step" && by_error_control_)
    return fmt::format(
        "no step fits: fixed ones down to {:.3g} s are too long, and at the least tolerance that rounding errors allow "
        "the error of {} is still {:.1e}, and the tolerance needs {:.0e}",
        too_long_, setup_.integrator.word(), out_.richardson, 0.1 * options_.tolerance);
  if (out_.cause == "step")
    return fmt::format(
        "the step is too long: at {:.3g} s its error is still {:.1e}, and the tolerance needs {:.0e}; use {}",
        out_.step, out_.richardson, 0.1 * options_.tolerance,
        is_too_fine(2 * parts_)
            ? fmt::format("a shorter duration or a larger tolerance, as shorter steps would be more than {:.0e}",
                          tolerances::most_compared_steps)
            : "a smaller step");
  for (const Check& each : out_.checks)
    if (each.asked && !each.passed) return fmt::format("{}: {}", each.name, each.detail);
  return "no check shows why";
}

void Comparer::conclude() {
  for (std::size_t k = 0; k < finest_.rows.size(); ++k)
    if (is_left_out(k) && finest_.rows[k].t <= duration_) out_.nearly_singular.push_back(finest_.rows[k].t);
  out_.agree = !out_.methods.empty() && out_.cause.empty();
  for (const MethodResult& method : out_.methods) out_.agree = out_.agree && (method.agrees || !method.refused.empty());
  for (const Check& each : out_.checks) out_.agree = out_.agree && (each.passed || !each.asked);
  if (out_.agree) {
    out_.verdict = fmt::format("agree to {:.1e}", options_.tolerance);
    if (out_.horizon < out_.duration) {
      const char* why = out_.chaotic ? "the model is chaotic, beyond that rounding errors grow past the tolerance"
                        : growth_ >= tolerances::chaotic_growth
                            ? "the model magnifies rounding errors, beyond that they grow past the tolerance"
                            : "beyond that rounding errors are larger than the tolerance";
      out_.verdict += fmt::format(" up to t = {:.4g} s: {}", out_.horizon, why);
    }
    if (by_error_control_)
      out_.verdict += fmt::format("; by {} with error control, because fixed steps down to {:.3g} s are too long",
                                  setup_.integrator.word(), too_long_);
    if (!out_.nearly_singular.empty())
      out_.verdict += fmt::format(
          ", but for {} of {} moments in nearly singular poses, the first at t = {:.4g} s, where round-off decides on "
          "velocities",
          out_.nearly_singular.size(), finest_.rows.size(), out_.nearly_singular.front());
    return;
  }
  if (!out_.cause.empty()) return;  // told already
  out_.cause = find_cause();
  std::string where = "the methods agree with each other";
  if (!parted_in_.empty())
    where = fmt::format("part at t = {:.6g} s in body \"{}\" by {:.2e}, first seen in {}", parting_.t,
                        parting_.body >= 0 ? exact_.bodies[static_cast<std::size_t>(parting_.body)].name : "",
                        parting_.there, parted_in_);
  out_.verdict = fmt::format("{}, because {}", where, explain_cause());
}

}  // namespace tandem
