#include <fmt/format.h>

#include "tandem/base/tolerances.hpp"
#include "tandem/compare/comparer.hpp"

namespace tandem {

// Two runs that both step over a short force agree on its absence, and so does Richardson's estimate from them. Where
// something of time changes much within a step, the step is taken again in a hundred parts.
void Comparer::check_time() {
  const double h = finest_.step, start = finest_.rows.front().t;
  std::vector<TimeLimit> steps =
      steps_with_changes(exact_, start, start + duration_, h, tolerances::change_in_a_step, 0.01 * h);
  if (steps.empty()) return;
  const std::size_t count = steps.size();
  say(fmt::format("{} steps in a hundred parts", count));
  auto finer = std::make_shared<TimePlan>(*time_);
  const int parts = by_dop853_ ? 2 * fine_parts_ : parts_;
  finer->divide_limits(parts);
  finer->add_limits(std::move(steps));
  const Trajectory again = tandem::follow(exact_, by_dop853_ ? precise(reference_, parts) : reference_, parts,
                                          duration_, interval_, nullptr, std::move(finer));
  const Difference apart = this->apart(finest_, again, options_.tolerance);
  check("time", true, !again.failed && apart.size() <= options_.tolerance,
        again.failed
            ? fmt::format("with {} steps in a hundred parts it broke off {}", count, again.reason)
            : fmt::format("{:.2e} apart with a hundredth of the step over {} step{} of {:.3g} s in which forces "
                          "or drives change by more than a tenth of their range",
                          apart.size(), count, count == 1 ? "" : "s", h));
  if (apart.size() > options_.tolerance) note_parting(apart, "shorter steps where forces or drives change fast");
}

}  // namespace tandem
