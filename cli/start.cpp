#include "start.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tandem/math/quaternion.hpp"
#include "tandem/model/coordinate_names.hpp"
#include "tandem/observe/coordinate_reading.hpp"
#include "tell.hpp"

namespace tandem::cli {

namespace {

struct Held {
  ModelReading of;
  std::optional<double> value;
};

// NAME or NAME=VALUE.
Held parse_held(const Model& model, const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  Held held;
  if (equals != std::string::npos) held.value = parse_number(option + " " + name, text.substr(equals + 1));
  try {
    held.of = find_reading(model, name);
  } catch (const std::out_of_range& error) {
    throw UsageError(fmt::format("{} {}: {}", option, name, error.what()));
  }
  return held;
}

}  // namespace

void StartArguments::add_to(CLI::App& app) {
  app.add_option(
         "--hold", hold,
         "hold a coordinate, a rate or (in steady motions) an output, at a value or as the start has it: steer, "
         "frame.lean=0.1, rear_hub.rate, hub_speed=5 (may be repeated)")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  app.add_flag("--assemble", assemble, "move a start that is far off its constraints onto them");
}

void hold_coordinate(Model& model, const std::string& option, const std::string& text, bool rate) {
  const Held held = parse_held(model, option, text);
  if (held.of.what == ModelReading::What::speed)
    throw UsageError(fmt::format("{} {}: it is the speed of a point, at which only a steady motion can be held", option,
                                 held.of.name));
  const ModelStart& coordinate = held.of.coordinate;
  const State guess = start_state(model);
  Kinematics<double> kinematics(model);
  kinematics.update(model, guess.t, guess.q(), guess.v(), guess.angles());
  const CoordinateReading<double> now = read_coordinate(model, coordinate, kinematics);
  const auto found = std::find_if(model.starts.begin(), model.starts.end(), [&](const ModelStart& other) {
    return other.name == coordinate.name && other.point.X_CF.p == coordinate.point.X_CF.p;
  });
  const bool is_new = found == model.starts.end();
  ModelStart& target = is_new ? model.starts.emplace_back(coordinate) : *found;
  // A table without value and rate holds the value; it must go on to when a rate is added.
  if (!is_new && !target.value && !target.rate) target.value = now.value;
  if (rate || held.of.what == ModelReading::What::rate)
    target.rate = held.value.value_or(now.rate);
  else
    target.value = held.value.value_or(now.value);
}

void StartArguments::hold_in_start(Model& model) const {
  for (const std::string& text : hold) hold_coordinate(model, "--hold", text);
}

void StartArguments::hold_in_steady(Model& model) const {
  if (hold.empty()) return;
  model.held_steady.clear();
  for (const std::string& text : hold) {
    Held held = parse_held(model, "--hold", text);
    model.held_steady.push_back({std::move(held.of), held.value});
  }
}

void StartArguments::place(Model& model) const {
  if (!assemble) return;
  const State bodies = tandem::assemble(model, start_state(model)).bodies;
  for (Body& body : model.bodies) {
    const auto q = bodies.q().segment(body.q_first, body.nq()), v = bodies.v().segment(body.v_first, body.nv());
    body.X_WC.p = q.tail<3>();
    body.velocity = v.tail<3>();
    if (body.point_mass) continue;
    body.X_WC.R = rotation_of<double>(Vec4<double>(q.head<4>()));
    body.angular_velocity = v.head<3>();
  }
}

Failure far_start(const Model& model, const FarStart& error) {
  Failure failure = model_failure(error.faults());
  tell("{}", std::exchange(failure.text, ""));
  const Assembly assembly = try_to_assemble(model, start_state(model));
  if (assembly.unmet.empty())
    failure.text += fmt::format(
        "tandem: --assemble would move it onto its constraints: body \"{}\" by {:.3g} m (radians times the size of the "
        "machine), the others no further. To see the move: tandem assemble\n",
        assembly.most_moved, assembly.moved);
  for (const Fault& unmet : assembly.unmet)
    failure.text += fmt::format("tandem: --assemble cannot help either: {}\n", printable(unmet.message));
  return failure;
}

}  // namespace tandem::cli
