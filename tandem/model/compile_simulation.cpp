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
  choice("method", in.method, {"lagrange", "udwadia_kalaba", "null_space"});
  choice("integrator", in.integrator, {"rk4"});
  choice("stabilisation", in.stabilisation, {"projection", "none"});
  choice("coordinates", in.coordinates, {"quasi"});
  choice("cut", in.cut, {"all"});
  const auto positive = [&](std::string_view key, double value) {
    if (!(value > 0.0) || !std::isfinite(value)) error(in.source, key, fmt::format("{} must be positive", key));
  };
  positive("step", in.step);
  positive("duration", in.duration);
}

}  // namespace tandem
