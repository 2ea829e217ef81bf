#include "tandem/model/compiler.hpp"

namespace tandem {

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
    if (!(value > 0.0) || !std::isfinite(value)) error(source, key, fmt::format("{} must be positive", key));
  };
  positive(in.source, "step", in.step);
  positive(in.source, "duration", in.duration);
  positive(in.source, "alpha", in.alpha);
  positive(in.source, "beta", in.beta);
  if (!(in.tolerance >= 1e-14 && in.tolerance <= 0.1))
    error(in.source, "tolerance", "tolerance must be between 1e-14 and 0.1");
  const Source& options = in.impulses.source;
  const auto at_least = [&](std::string_view key, double value, double least) {
    if (!(value >= least) || !std::isfinite(value))
      error(options, key, fmt::format("{} must be at least {}", key, least));
  };
  at_least("iterations", in.impulses.iterations, 1);
  at_least("substeps", in.impulses.substeps, 1);
  at_least("position_iterations", in.impulses.position_iterations, 0);
  at_least("slop", in.impulses.slop, 0);
  positive(options, "largest_correction", in.impulses.largest_correction);
  if (!(in.impulses.baumgarte >= 0.0 && in.impulses.baumgarte < 1.0))
    error(options, "baumgarte", "baumgarte is the fraction of an error removed in a step: 0 or more, less than 1");
}

}  // namespace tandem
