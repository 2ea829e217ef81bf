#include "support/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tandem/io/model/convert.hpp"

namespace tandem::test {

namespace {

using Json = nlohmann::ordered_json;

// Every name `wanted` of an expression becomes (wanted*factor).
std::string with_factor(const std::string& text, const std::string& wanted, double factor) {
  const auto is_letter = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end == i) {
      out += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    out += word == wanted ? fmt::format("({}*{:.17g})", word, factor) : word;
    i = end;
  }
  return out;
}

class OtherUnits {
 public:
  OtherUnits(const Model& model, const Units& units)
      : model_(model), units_(units), root_(Json::parse(convert(model, {.json = true, .flatten = true}))) {}

  std::string run() {
    const double L = units_.length;
    if (!root_.contains("gravity")) root_["gravity"] = {0.0, 0.0, -9.81};
    multiply(root_["gravity"], units_.acceleration());
    each("world_frame", [&](Json& frame) { scale(frame, {{"position", L}}); });
    each("body", [&](Json& body) { scale_body(body); });
    each("joint", [&](Json& joint) {
      scale_frames(joint);
      scale(joint, {{"point", L}, {"pitch", L}}, {"axis", "second_axis"});
    });
    each("constraint", [&](Json& constraint) { scale_constraint(constraint); });
    each("force", [&](Json& force) { scale_force(force); });
    each("drive", [&](Json& drive) { scale_drive(drive); });
    each("output", [&](Json& output) { scale(output, {{"point", L}}); });
    each("start", [&](Json& start) { scale_start(start); });
    each("stop", [&](Json& stop) { scale_stop(stop); });
    scale_simulation();
    return root_.dump(1);
  }

 private:
  template <class Act> void each(const char* key, const Act& act) {
    if (!root_.contains(key)) return;
    for (Json& thing : root_[key]) act(thing);
  }

  void multiply(Json& value, double factor) {
    if (value.is_array()) {
      for (Json& part : value) multiply(part, factor);
    } else if (value.is_string()) {  // a function of time
      const std::string text = with_factor(value.get<std::string>(), "t", 1.0 / units_.time);
      value = fmt::format("({})*{:.17g}", text, factor);
    } else if (value.is_number()) {
      value = value.get<double>() * factor;
    } else {
      throw std::logic_error("in_units: not a number: " + value.dump());
    }
  }

  static bool has_number(const Json& value) {
    if (value.is_array()) return std::any_of(value.begin(), value.end(), has_number);
    return value.is_number();
  }

  // What is a number and neither listed nor known to have no unit would spoil the comparison without a word.
  void scale(Json& table, const std::map<std::string, double>& factors, const std::vector<std::string>& plain = {}) {
    for (auto& [key, value] : table.items()) {
      if (const auto found = factors.find(key); found != factors.end())
        multiply(value, found->second);
      else if (has_number(value) && std::find(plain.begin(), plain.end(), key) == plain.end())
        throw std::logic_error(fmt::format("in_units does not know {} = {}", key, value.dump()));
    }
  }

  void scale_frames(Json& table) {
    if (!table.contains("frames")) return;
    for (Json& frame : table["frames"])
      if (frame.is_object()) scale(frame, {{"position", units_.length}}, {"quaternion", "angles", "z_axis", "x_axis"});
  }

  void scale_shape(Json& shape) {
    static const std::map<std::string, int> dimensions{{"sphere", 3}, {"ellipsoid", 3}, {"box", 3}, {"cylinder", 3},
                                                       {"rod", 1},    {"disc", 2},      {"ring", 1}};
    const double L = units_.length;
    scale(shape,
          {{"radius", L},
           {"length", L},
           {"size", L},
           {"position", L},
           {"mass", units_.mass},
           {"density", units_.of(-dimensions.at(shape["type"].get<std::string>()), 1, 0)}},
          {"axis"});
  }

  void scale_body(Json& body) {
    const double L = units_.length;
    scale(body,
          {{"mass", units_.mass},
           {"center", L},
           {"inertia", units_.inertia()},
           {"position", L},
           {"velocity", units_.speed()},
           {"angular_velocity", 1.0 / units_.time}},
          {"quaternion", "angles", "z_axis", "x_axis"});
    if (body.contains("shape")) {
      if (body["shape"].is_array())
        for (Json& shape : body["shape"]) scale_shape(shape);
      else
        scale_shape(body["shape"]);
    }
    if (body.contains("frame"))
      for (Json& frame : body["frame"]) scale(frame, {{"position", L}}, {"quaternion", "angles", "z_axis", "x_axis"});
  }

  // Of a joint coordinate: a length or an angle.
  double coordinate_unit(const std::string& joint, const std::string& coordinate) const {
    const JointTraits& traits = model_.joints[static_cast<std::size_t>(model_.joint(joint))].joint()->traits();
    for (const JointCoordinate& each : traits.coordinates)
      if (coordinate.empty() || each.name == coordinate) return each.angular ? 1.0 : units_.length;
    throw std::logic_error("in_units: there is no coordinate " + coordinate);
  }
  double coordinate_unit(const Json& table) const {
    return coordinate_unit(table["joint"].get<std::string>(), table.value("coordinate", ""));
  }

  void scale_constraint(Json& constraint) {
    const double L = units_.length;
    scale_frames(constraint);
    if (constraint.contains("soft")) scale(constraint["soft"], {{"frequency", 1.0 / units_.time}}, {"damping_ratio"});
    if (constraint["type"] == "coupler") return scale_coupler(constraint);
    const double speed =
        constraint["type"] == "constant_speed" ? coordinate_unit(constraint) / units_.time : units_.speed();
    scale(constraint,
          {{"point", L},
           {"points", L},
           {"length", L},
           {"radius", L},
           {"crown", L},
           {"semi_axes", L},
           {"curve", L},
           {"plane_point", L},
           {"speed", speed}},
          {"axis", "normal", "blade"});
  }

  // In metres where one of its coordinates is in metres.
  void scale_coupler(Json& coupler) {
    std::vector<double> own;
    for (std::size_t i = 0; i < coupler["joints"].size(); ++i)
      own.push_back(
          coordinate_unit(coupler["joints"][i].get<std::string>(),
                          coupler.contains("coordinates") ? coupler["coordinates"][i].get<std::string>() : ""));
    double row = 1.0;
    for (const double unit : own)
      if (unit != 1.0) row = unit;
    for (std::size_t i = 0; i < own.size(); ++i) multiply(coupler["coefficients"][i], row / own[i]);
    if (coupler.contains("offset")) multiply(coupler["offset"], row);
  }

  void scale_force(Json& force) {
    const double L = units_.length;
    const std::string type = force["type"].get<std::string>();
    if (type == "joint") {
      const double of = units_.energy() / coordinate_unit(force);  // of the effort
      return scale(force, {{"stiffness", of / coordinate_unit(force)},
                           {"damping", of * units_.time / coordinate_unit(force)},
                           {"rest", coordinate_unit(force)},
                           {"effort", of}});
    }
    const double value = type == "torque" ? units_.energy() : units_.force();
    scale_value(force, value);
    scale(force,
          {{"point", L},
           {"points", L},
           {"stiffness", units_.of(0, 1, -2)},
           {"damping", units_.of(0, 1, -1)},
           {"length", L},
           {"linear", units_.of(0, 1, -1)},
           {"angular", units_.of(2, 1, -1)}},
          {"value"});
  }
  // Components may be numbers and functions of time side by side.
  void scale_value(Json& table, double factor) {
    if (table.contains("value")) multiply(table["value"], factor);
  }

  void scale_drive(Json& drive) {
    const double unit = coordinate_unit(drive), T = units_.time;
    if (drive["type"] == "polynomial")
      for (std::size_t k = 0; k < drive["coefficients"].size(); ++k)
        multiply(drive["coefficients"][k], unit * units_.of(0, 0, -static_cast<int>(k)));
    if (drive["type"] == "table")
      for (Json& point : drive["points"]) {
        multiply(point[0], T);
        multiply(point[1], unit);
      }
    scale(drive,
          {{"value", unit},
           {"speed", unit / T},
           {"start", unit},
           {"to", unit},
           {"from", unit},
           {"duration", T},
           {"begin", T},
           {"amplitude", unit},
           {"offset", unit},
           {"frequency", 1.0 / T}},
          {"phase", "coefficients", "points"});
  }

  void scale_start(Json& start) {
    double unit = units_.length;
    if (start.contains("joint"))
      unit = coordinate_unit(start);
    else if (const std::string of = start["quantity"].get<std::string>(); of == "yaw" || of == "lean" || of == "pitch")
      unit = 1.0;
    scale(start, {{"value", unit}, {"rate", unit / units_.time}, {"point", units_.length}});
  }

  // Each quantity is read back in the old units.
  void scale_stop(Json& stop) {
    std::string when = with_factor(stop["when"].get<std::string>(), "t", 1.0 / units_.time);
    for (const ModelOutput& output : model_.outputs)
      when = with_factor(when, output.name, 1.0 / units_.of_unit(output.unit));
    stop["when"] = when;
  }

  void scale_simulation() {
    if (!root_.contains("simulation")) root_["simulation"] = Json::object();
    Json& simulation = root_["simulation"];
    simulation["step"] = model_.setup.step;
    simulation["duration"] = model_.setup.duration;
    if (model_.setup.alpha) simulation["alpha"] = *model_.setup.alpha;
    if (model_.setup.beta) simulation["beta"] = *model_.setup.beta;
    simulation.erase("time_constant");  // both are given
    const double T = units_.time;
    scale(simulation, {{"step", T}, {"duration", T}, {"max_step", T}, {"alpha", 1.0 / T}, {"beta", 1.0 / (T * T)}},
          {"tolerance"});
    if (simulation.contains("impulses"))
      scale(simulation["impulses"], {{"slop", units_.length}},
            {"iterations", "substeps", "baumgarte", "position_iterations", "largest_correction"});
  }

  const Model& model_;
  Units units_;
  Json root_;
};

}  // namespace

double Units::of_unit(const std::string& unit) const {
  static const std::map<std::string, std::array<int, 3>> known{
      {"", {0, 0, 0}},     {"rad", {0, 0, 0}},  {"rad/s", {0, 0, -1}}, {"rad/s^2", {0, 0, -2}},
      {"m", {1, 0, 0}},    {"m/s", {1, 0, -1}}, {"m/s^2", {1, 0, -2}}, {"N", {1, 1, -2}},
      {"N m", {2, 1, -2}}, {"J", {2, 1, -2}},   {"s", {0, 0, 1}}};
  const auto& [lengths, masses, times] = known.at(unit);
  return of(lengths, masses, times);
}

std::string in_units(const Model& model, const Units& units) { return OtherUnits(model, units).run(); }

}  // namespace tandem::test
