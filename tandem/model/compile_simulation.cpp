#include "tandem/model/compiler.hpp"

namespace tandem {

void Compiler::compile_simulation() {
  const SimulationDescription& in = in_.simulation;
  Setup& out = out_.setup;
  faults_.about_table("simulation", in.source);
  const auto choose = [&]<class E>(const std::string& given, Choice<E>& into) {
    constexpr auto& list = Words<E>::list;
    if (std::find(std::begin(list), std::end(list), given) != std::end(list)) {
      into = given;
      return;
    }
    const std::vector<std::string> allowed = words_of(list);
    error(in.source, Words<E>::what,
          fmt::format("{} must be {}, not \"{}\"{}", Words<E>::what, list_of(allowed), given,
                      did_you_mean(given, allowed)));
  };
  choose(in.method, out.method);
  choose(in.integrator, out.integrator);
  choose(in.stabilisation, out.stabilisation);
  choose(in.coordinates, out.coordinates);
  choose(in.cut, out.cut);
  out.alpha = in.alpha;
  out.beta = in.beta;
  out.tolerance = in.tolerance;
  out.impulses = in.impulses;
  out.step = in.step;
  out.max_step = in.max_step;
  out.duration = in.duration;
  for (SetupFault& fault : setup_faults(out)) {
    const bool of_duration = fault.key == "step" && !in.source.keys.contains("step");
    error(fault.of_impulses ? in.impulses.source : in.source, of_duration ? "duration" : fault.key,
          std::move(fault.text));
  }
}

}  // namespace tandem
