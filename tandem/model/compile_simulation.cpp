#include "tandem/model/compiler.hpp"
#include "tandem/model/run_limits.hpp"

namespace tandem {

std::string too_many_steps(double duration, double step) {
  if (duration / std::min(step, duration) <= most_steps) return "";
  return fmt::format(
      "{:.6g} s in steps of {:.6g} s are {:.3g} steps, and a run has at most {:.0e}; take a longer step or a shorter "
      "duration",
      duration, step, duration / step, most_steps);
}

std::string too_many_sweeps(const ImpulseOptions& impulses) {
  const double substeps = impulses.substeps;
  if (substeps * impulses.iterations <= most_sweeps && substeps * impulses.position_iterations <= most_sweeps)
    return "";
  return fmt::format(
      "{} substeps of {} iterations and {} position_iterations are too many sweeps for a step, which has at most "
      "{:.0e}; take a shorter step instead",
      impulses.substeps, impulses.iterations, impulses.position_iterations, most_sweeps);
}

void Compiler::check_simulation() {
  const SimulationDescription& in = in_.simulation;
  faults_.about_table("simulation", in.source);
  const auto choice = [&](std::string_view key, const std::string& given, const std::vector<std::string>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), given) != allowed.end()) return;
    error(in.source, key,
          fmt::format("{} must be {}, not \"{}\"{}", key, list_of(allowed), given, did_you_mean(given, allowed)));
  };
  choice("method", in.method, {"lagrange", "udwadia_kalaba", "articulated", "null_space", "impulses"});
  if (!in.integrator.empty())
    choice("integrator", in.integrator,
           {"rk4", "euler", "semi_implicit_euler", "dopri5", "dop853", "herk", "implicit"});
  choice("stabilisation", in.stabilisation, {"projection", "plain_projection", "baumgarte", "none"});
  choice("coordinates", in.coordinates, {"quasi", "quaternion", "euler312"});
  if (!in.cut.empty()) choice("cut", in.cut, {"all", "loops"});
  const auto positive = [&](const Source& source, std::string_view key, double value) {
    if (!(value > 0.0) || !std::isfinite(value))
      error(source, key, fmt::format("{} must be positive, not {}", key, value));
  };
  positive(in.source, "step", in.step);
  positive(in.source, "duration", in.duration);
  if (in.step > 0.0 && in.duration > 0.0)
    if (const std::string trouble = too_many_steps(in.duration, in.step); !trouble.empty())
      error(in.source, in.source.keys.contains("step") ? "step" : "duration", trouble);
  if (!(in.max_step > 0.0))
    error(in.source, "max_step", fmt::format("max_step must be positive, not {}", in.max_step));
  else if (in.duration > 0.0)
    if (const std::string trouble = too_many_steps(in.duration, in.max_step); !trouble.empty())
      error(in.source, "max_step", trouble);
  const auto not_negative = [&](std::string_view key, double value) {
    if (!(value >= 0.0) || !std::isfinite(value))
      error(in.source, key, fmt::format("{} must not be negative, but it is {}", key, value));
  };
  not_negative("alpha", in.alpha);
  not_negative("beta", in.beta);
  if (!(in.tolerance >= 1e-14 && in.tolerance <= 0.1))
    error(in.source, "tolerance", "tolerance must be between 1e-14 and 0.1" + not_this(in.tolerance));
  const Source& options = in.impulses.source;
  const auto at_least = [&](std::string_view key, double value, double least) {
    if (!(value >= least) || !std::isfinite(value))
      error(options, key, fmt::format("{} must be at least {}, not {}", key, least, value));
  };
  at_least("iterations", in.impulses.iterations, 1);
  at_least("substeps", in.impulses.substeps, 1);
  at_least("position_iterations", in.impulses.position_iterations, 0);
  if (const std::string trouble = too_many_sweeps(in.impulses); !trouble.empty()) error(options, "iterations", trouble);
  at_least("slop", in.impulses.slop, 0);
  positive(options, "largest_correction", in.impulses.largest_correction);
  if (!(in.impulses.baumgarte >= 0.0 && in.impulses.baumgarte < 1.0))
    error(options, "baumgarte", "baumgarte is the fraction of an error removed in a step: 0 or more, less than 1");
}

}  // namespace tandem
