#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tandem/analysis/comparer.hpp"

namespace tandem {

// The most specific explanation first.
std::string Comparer::find_cause() const {
  if (!row_faults_.empty()) return "bias";
  if (has_soft_) return "soft";
  if (coarse_.health.rank_changed >= 0.0 || finest_.health.rank_changed >= 0.0) return "rank";
  for (const MethodResult& method : out_.methods)
    if (!method.failed.empty()) return "failure";
  if (!refined_) return "step";
  return "unknown";
}

std::string Comparer::explain_cause() const {
  if (out_.cause == "bias") return fmt::format("{}: {}", row_faults_.front().block, row_faults_.front().what);
  if (out_.cause == "soft") {
    std::vector<std::string> soft;
    for (const ModelConstraint& constraint : model_.constraints)
      if (constraint.soft) soft.push_back(fmt::format("\"{}\"", constraint.name));
    return fmt::format("constraint {} is soft: it gives way in impulses, the other methods hold it exactly",
                       fmt::join(soft, ", "));
  }
  if (out_.cause == "rank") {
    const double t = coarse_.health.rank_changed >= 0.0 ? coarse_.health.rank_changed : finest_.health.rank_changed;
    return fmt::format(
        "the rows lose rank at t = {:.6g} s (between {} and {} are independent): there the constraints leave more than "
        "one way to go on",
        t, std::min(coarse_.health.least_rank, finest_.health.least_rank),
        std::max(coarse_.health.most_rank, finest_.health.most_rank));
  }
  if (out_.cause == "failure")
    for (const MethodResult& method : out_.methods)
      if (!method.failed.empty()) return fmt::format("{} broke off {}", method.name, method.failed);
  if (out_.cause == "step")
    return fmt::format(
        "the step is too long: at {:.3g} s its error is still {:.1e}, and the tolerance needs {:.0e}; use a smaller "
        "step",
        out_.step, out_.richardson, 0.1 * options_.tolerance);
  for (const Check& each : out_.checks)
    if (each.asked && !each.passed) return fmt::format("{}: {}", each.name, each.detail);
  return "no check tells";
}

void Comparer::conclude() {
  out_.agree = !out_.methods.empty() && out_.cause.empty();
  for (const MethodResult& method : out_.methods) out_.agree = out_.agree && (method.agrees || !method.refused.empty());
  for (const Check& each : out_.checks) out_.agree = out_.agree && (each.passed || !each.asked);
  if (out_.agree) {
    out_.verdict = fmt::format("agree to {:.1e}", options_.tolerance);
    if (out_.chaotic)
      out_.verdict +=
          fmt::format(" up to t = {:.4g} s: the model is chaotic, beyond that rounding errors grow past the tolerance",
                      out_.horizon);
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
