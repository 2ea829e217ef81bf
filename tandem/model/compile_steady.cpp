// The tables steady and linearize: what they name must be there.
#include <stdexcept>

#include "tandem/model/compiler.hpp"
#include "tandem/model/coordinate_names.hpp"

namespace tandem {

void Compiler::compile_steady() {
  const SteadyDescription& steady = in_.steady;
  faults_.about_table("steady", steady.source);
  const auto entry = [](const char* key, std::size_t i) { return fmt::format("{}[{}]", key, i); };
  const std::vector<std::string> outputs = names_of(in_.outputs);
  // Nothing is said about a name that may be that of something at fault already.
  const auto refuse = [&](const Source& source, const std::string& key, const std::string& name,
                          const std::string& message) {
    const auto same_name = [&](const auto& output) { return output.name == name; };
    const bool broken = std::any_of(in_.outputs.begin(), in_.outputs.end(), same_name) &&
                        std::none_of(out_.outputs.begin(), out_.outputs.end(), same_name);
    if (!broken && !any_name_refused(in_.joints) && !any_name_refused(in_.bodies) && !any_name_refused(in_.outputs))
      error(source, key, message);
  };
  for (std::size_t i = 0; i < steady.hold.size(); ++i) {
    const HoldDescription& in = steady.hold[i];
    if (in.value && !std::isfinite(value_of(*in.value)))
      error(steady.source, entry("hold", i), fmt::format("the value of \"{}\" must be a finite number", in.name));
    const auto same = [&](const HoldDescription& other) { return other.name == in.name; };
    if (std::any_of(steady.hold.begin(), steady.hold.begin() + static_cast<std::ptrdiff_t>(i), same))
      error(steady.source, entry("hold", i), fmt::format("\"{}\" is held twice", in.name));
    try {
      out_.held_steady.push_back({find_reading(out_, in.name), in.value});
    } catch (const std::out_of_range& problem) {
      refuse(steady.source, entry("hold", i), in.name, problem.what());
    }
  }
  out_.symmetries = steady.symmetry;
  out_.steady_source = steady.source;
  const LinearizeDescription& linear = in_.linearize;
  faults_.about_table("linearize", linear.source);
  const auto refuse_twice = [&](const char* key, const std::vector<std::string>& names, std::size_t i) {
    if (const auto here = names.begin() + static_cast<std::ptrdiff_t>(i); std::find(names.begin(), here, *here) != here)
      error(linear.source, entry(key, i), fmt::format("\"{}\" is named twice in {}", *here, key));
  };
  const auto check = [&](const char* key, const std::vector<std::string>& names, bool inputs) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      refuse_twice(key, names, i);
      const auto is_it = [&](const auto& drive) { return drive.name == names[i]; };
      const auto is_named = [&](const auto& parameter) { return parameter.first == names[i]; };
      if (inputs && (std::any_of(in_.drives.begin(), in_.drives.end(), is_it) ||
                     std::any_of(in_.parameters.begin(), in_.parameters.end(), is_named)))
        continue;
      try {
        if (find_reading(out_, names[i]).what != ModelReading::What::value)
          error(linear.source, entry(key, i), fmt::format("\"{}\" is a rate: name the coordinate", names[i]));
      } catch (const std::out_of_range& problem) {
        refuse(linear.source, entry(key, i), names[i],
               inputs ? parameter_hint(in_.parameters, names[i], problem.what()) : problem.what());
      }
    }
  };
  check("states", linear.states, false);
  check("inputs", linear.inputs, true);
  for (std::size_t i = 0; i < linear.outputs.size(); ++i) refuse_twice("outputs", linear.outputs, i);
  for (std::size_t i = 0; i < linear.outputs.size(); ++i)
    if (std::find(outputs.begin(), outputs.end(), linear.outputs[i]) == outputs.end())
      refuse(linear.source, entry("outputs", i), linear.outputs[i],
             fmt::format("there is no output \"{}\"{}", linear.outputs[i], did_you_mean(linear.outputs[i], outputs)));
  std::vector<std::string> parameters;
  for (const auto& parameter : in_.parameters) parameters.push_back(parameter.first);
  for (const auto& unit : linear.units)
    if (std::find(parameters.begin(), parameters.end(), unit.first) == parameters.end())
      error(linear.source, "units",
            fmt::format("there is no parameter \"{}\"{}", unit.first, did_you_mean(unit.first, parameters)));
  out_.linearize = linear;
}

}  // namespace tandem
