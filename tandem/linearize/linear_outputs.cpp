#include "tandem/linearize/linear_outputs.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "tandem/linearize/parameter_change.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"

namespace tandem {

LinearInputs::LinearInputs(const Model& model, const std::vector<std::string>& names) : model_(model) {
  Faults faults;
  faults.about_table("linearize", model.linearize.source);
  for (const std::string& name : names) inputs_.push_back(find(name, faults));
  if (faults.any_error()) throw ModelError(std::move(faults));
}

LinearInputs::Input LinearInputs::find(const std::string& name, Faults& faults) const {
  for (std::size_t i = 0; i < model_.drives.size(); ++i) {
    if (model_.drives[i].name != name) continue;
    ModelStart driven;
    driven.coordinate = model_.drives[i].coordinate;
    return {.drive = static_cast<int>(i), .unit = is_angular(model_, driven) ? "rad/s^2" : "m/s^2"};
  }
  std::string why;
  try {
    const ModelReading reading = find_reading(model_, name);
    if (reading.what == ModelReading::What::value)
      return {.coordinate = reading.coordinate, .unit = is_angular(model_, reading.coordinate) ? "N m" : "N"};
    why = fmt::format("input \"{}\" is a rate; name a coordinate for the effort along it, or a drive", name);
  } catch (const std::out_of_range& error) {
    const std::string hint = parameter_hint(model_.parameters, name, error.what());
    why = fmt::format("input \"{}\": {}{} input is an effort along a coordinate, a drive or a parameter", name, hint,
                      hint.ends_with('?') ? " An" : "; an");
  }
  for (const auto& parameter : model_.parameters) {
    if (parameter.first != name) continue;
    if (const std::string obstacle = parameter_obstacle(model_); !obstacle.empty())
      faults.error(fmt::format("input \"{}\" is a parameter: {}", name, obstacle));
    Input input{.parameter = true};
    for (const auto& unit : model_.linearize.units)
      if (unit.first == name) input.unit = unit.second;
    return input;
  }
  faults.error(why);
  return {};
}

std::string LinearInputs::unit(std::size_t input) const { return inputs_[input].unit; }

void LinearInputs::right_sides(std::size_t input, const Workspace& at, Eigen::VectorXd& force,
                               Eigen::VectorXd& rows) const {
  const Input& in = inputs_[input];
  force.setZero(model_.nv);
  rows.setZero(model_.rows);
  if (in.coordinate) {
    force = rate_row(model_, *in.coordinate, at.kinematics);
    return;
  }
  for (const RowBlockInfo& info : model_.blocks)
    if (info.kind == RowBlockInfo::Kind::drive && info.index == in.drive) rows[info.first_row] = 1.0;
}

}  // namespace tandem
