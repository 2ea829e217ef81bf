// Where forces or drives jump: what a simulation does there, and what it refuses. The rest of simulate.hpp is in
// simulate.cpp, advance.cpp, observe.cpp and resume.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "tandem/base/tolerances.hpp"
#include "tandem/integrate/tree_flow.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

// What the bodies do is the same on both sides of a jump of forces. Where the speed of a drive jumps, theirs do: by an
// impulse of the drive, whose work is all that the kinetic energy changes by. Where no motion follows the jump, the
// state stays the one before it.
void Simulation::pass_jump(StepReport& report, double after) {
  next_ = state_;
  workspace_.refresh(model_, next_);
  read_bodies(workspace_.kinematics);
  was_fast_ = false;
  const double kinetic = by_impulses_ ? 0.0 : kinetic_energy(model_, workspace_.kinematics.bodies());
  require_no_jump_of_drives(next_.t, after);
  next_.t = after;
  workspace_.refresh(model_, next_);
  if (projects_ && !by_impulses_) {
    require_no_jump_of_positions();
    project(next_);
    require_met();
    follow_rows(report);
  }
  if (!by_impulses_) next_.add_work(1.0, {.drives = kinetic_energy(model_, workspace_.kinematics.bodies()) - kinetic});
  integrator_->forget();
  std::swap(state_, next_);
  moved();
  if (workspace_.holds(state_)) read_bodies(workspace_.kinematics);
}

static constexpr const char* jumps = "{} jumps by {:.3g} at t = {:.9g} s, and no motion follows a jump; give it a ramp";

// Where the joints of a tree carry coordinates, a driven one is no row: it would be put where its drive is.
void Simulation::require_no_jump_of_drives(double before, double after) const {
  for (const RowBlockInfo& info : model_.blocks) {
    if (info.kind != RowBlockInfo::Kind::drive) continue;
    const Drive& drive = model_.drives[static_cast<std::size_t>(info.index)].drive;
    const double jump = drive.motion<double>(after).value - drive.motion<double>(before).value;
    if (!(std::abs(jump) <= tolerances::position_jump * info.sizes[0]))
      throw NumericalError(fmt::format(jumps, model_.row_name(info.first_row), std::abs(jump), after));
  }
}

void Simulation::require_no_jump_of_positions() const {
  const GaussProblem& problem = workspace_.problem;
  const double allowed = std::max(projection_.rule.tolerance, tolerances::position_jump);
  if (problem.largest_gap() <= allowed) return;
  int worst = 0;
  problem.phi.cwiseQuotient(problem.row_size).cwiseAbs().maxCoeff(&worst);
  throw NumericalError(fmt::format(jumps, row_name(model_, problem, worst), std::abs(problem.phi[worst]), next_.t));
}

}  // namespace tandem
