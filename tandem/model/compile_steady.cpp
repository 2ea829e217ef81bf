// The tables steady and linearize: what they name must be there.
#include <stdexcept>

#include "tandem/model/compiler.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {

void Compiler::compile_steady() {
  const SteadyDescription& steady = in_.steady;
  faults_.about_table("steady", steady.source);
  const auto refuse = [&](const Source& source, const char* key, const std::string& message) {
    if (!any_name_refused(in_.joints) && !any_name_refused(in_.bodies)) error(source, key, message);
  };
  for (const HoldDescription& in : steady.hold) {
    if (in.value && !std::isfinite(*in.value))
      error(steady.source, "hold", fmt::format("the value of \"{}\" must be a finite number", in.name));
    try {
      out_.held_steady.push_back({find_reading(out_, in.name), in.value});
    } catch (const std::out_of_range& problem) {
      refuse(steady.source, "hold", problem.what());
    }
  }
  out_.symmetries = steady.symmetry;
  faults_.about_table("linearize", in_.linearize.source);
  for (const auto& [key, names] :
       {std::pair("states", &in_.linearize.states), std::pair("inputs", &in_.linearize.inputs)})
    for (const std::string& name : *names) {
      if (std::string_view(key) == "inputs" &&
          std::any_of(in_.drives.begin(), in_.drives.end(), [&](const auto& drive) { return drive.name == name; }))
        continue;
      try {
        if (find_reading(out_, name).what != ModelReading::What::value)
          error(in_.linearize.source, key, fmt::format("\"{}\" is a rate: name the coordinate", name));
      } catch (const std::out_of_range& problem) {
        refuse(in_.linearize.source, key, problem.what());
      }
    }
  const std::vector<std::string> outputs = names_of(in_.outputs);
  for (const std::string& name : in_.linearize.outputs)
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end())
      error(in_.linearize.source, "outputs",
            fmt::format("there is no output \"{}\"{}", name, did_you_mean(name, outputs)));
  std::vector<std::string> parameters;
  for (const auto& parameter : in_.parameters) parameters.push_back(parameter.first);
  for (const auto& unit : in_.linearize.units)
    if (std::find(parameters.begin(), parameters.end(), unit.first) == parameters.end())
      error(in_.linearize.source, "units",
            fmt::format("there is no parameter \"{}\"{}", unit.first, did_you_mean(unit.first, parameters)));
  out_.linearize = in_.linearize;
}

}  // namespace tandem
