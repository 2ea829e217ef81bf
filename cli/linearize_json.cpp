// What tandem linearize writes: JSON and CSV. docs/linearisation.md says what is in it.
#include <fmt/format.h>

#include "commands.hpp"
#include "linearize_report.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

namespace {

Json pair_json(const std::complex<double>& value) { return {value.real(), value.imag()}; }

Json matrix_json(const Eigen::MatrixXd& matrix) {
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    Json row = Json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json names_json(const std::vector<LinearState>& states) {
  Json json = Json::array();
  for (const LinearState& state : states) json.push_back(state.name);
  return json;
}

Json units_json(const std::vector<LinearState>& states) {
  Json json = Json::array();
  for (const LinearState& state : states) json.push_back(state.unit);
  return json;
}

// Where the bodies are: their mass centres, and how they are turned.
Json pose_json(const Model& model, const State& state) {
  Json json = Json::object();
  for (const Body& body : model.bodies) {
    const auto q = state.q().segment(body.q_first, body.nq());
    json[body.name]["position"] = json_of(q.tail<3>());
    if (!body.point_mass) json[body.name]["quaternion"] = {q[0], q[1], q[2], q[3]};
  }
  return json;
}

// For a viewer: the turn of each body in its own axes and the shift of its mass centre in those of the world.
Json shape_json(const Model& model, const LinearMode& mode) {
  Json json = Json::object();
  for (const Body& body : model.bodies) {
    const auto three = [&](int first) {
      Json list = Json::array();
      for (int k = 0; k < 3; ++k) list.push_back(pair_json(mode.bodies[first + k]));
      return list;
    };
    if (!body.point_mass) json[body.name]["turn"] = three(body.v_first);
    json[body.name]["shift"] = three(body.v_first + body.nv() - 3);
  }
  return json;
}

Json modes_json(const Model& model, const Linearization& found) {
  Json json = Json::array();
  for (const LinearMode& mode : found.modes) {
    Json entry;
    entry["eigenvalue"] = pair_json(mode.eigenvalue);
    entry["frequency"] = mode.frequency();
    entry["damping_ratio"] = found.neutral(mode.eigenvalue) ? Json() : Json(mode.damping_ratio());
    for (std::size_t i = 0; i < found.states.size(); ++i)
      entry["shape"][found.states[i].name] = pair_json(mode.shape[static_cast<Eigen::Index>(i)]);
    entry["bodies"] = shape_json(model, mode);
    json.push_back(std::move(entry));
  }
  return json;
}

Json eigenvalues_json(const Linearization& found) {
  Json json = Json::array();
  for (const LinearMode& mode : found.modes) json.push_back(pair_json(mode.eigenvalue));
  return json;
}

void add_states(Json& json, const Linearization& found) {
  json["zeros"] = found.zeros;
  json["states"] = names_json(found.states);
  json["state_units"] = units_json(found.states);
}

void add_inputs_and_outputs(Json& json, const Linearization& found) {
  json["inputs"] = names_json(found.inputs);
  json["input_units"] = units_json(found.inputs);
  json["outputs"] = names_json(found.outputs);
  json["output_units"] = units_json(found.outputs);
}

Json point_json(const Model& model, double value, const Linearization& found, bool matrices) {
  Json json{{"value", value}, {"eigenvalues", eigenvalues_json(found)}};
  add_states(json, found);
  if (matrices) add_inputs_and_outputs(json, found);
  json["A"] = matrix_json(found.A);
  if (matrices) {
    json["B"] = matrix_json(found.B);
    json["C"] = matrix_json(found.C);
    json["D"] = matrix_json(found.D);
  }
  json["pose"] = pose_json(model, found.bodies);
  json["modes"] = modes_json(model, found);
  json["notes"] = found.notes;
  return json;
}

}  // namespace

Json linearization_json(const Model& model, const Linearization& found) {
  Json json;
  json["model"] = model.name;
  json["about"] = found.steady ? "steady" : "start";
  if (!found.steady) json["drift"] = found.drift;
  json["eigenvalues"] = eigenvalues_json(found);
  add_states(json, found);
  add_inputs_and_outputs(json, found);
  json["A"] = matrix_json(found.A);
  json["B"] = matrix_json(found.B);
  json["C"] = matrix_json(found.C);
  json["D"] = matrix_json(found.D);
  if (found.second_order)
    json["second_order"] = {{"coordinates", found.second_order->coordinates},
                            {"M", matrix_json(found.second_order->M)},
                            {"C", matrix_json(found.second_order->C)},
                            {"K", matrix_json(found.second_order->K)}};
  json["pose"] = pose_json(model, found.bodies);
  json["modes"] = modes_json(model, found);
  json["notes"] = found.notes;
  return json;
}

Json sweep_json(const Model& model, const Sweep& found, bool matrices) {
  Json json;
  json["model"] = model.name;
  json["parameter"] = found.parameter;
  json["values"] = found.values;
  add_states(json, found.points.front());
  json["modes"] = Json::array();
  for (const SweepMode& mode : found.modes) {
    Json values = Json::array();
    for (const std::complex<double>& value : mode.eigenvalues) values.push_back(pair_json(value));
    json["modes"].push_back({{"name", mode.name}, {"neutral", mode.neutral}, {"eigenvalues", std::move(values)}});
  }
  json["crossings"] = Json::array();
  for (const SweepCrossing& crossing : found.crossings) {
    json["crossings"].push_back({{"value", crossing.value},
                                 {"mode", found.modes[static_cast<std::size_t>(crossing.mode)].name},
                                 {"frequency", crossing.eigenvalue.imag()},
                                 {"loses_stability", crossing.loses_stability},
                                 {"jumps", crossing.jumps}});
    const int meets = crossing.meets;
    json["crossings"].back()["meets"] = meets < 0 ? Json() : Json(found.modes[static_cast<std::size_t>(meets)].name);
  }
  json["stable"] = Json::array();
  for (const auto& [from, to] : found.stable) json["stable"].push_back({from, to});
  json["points"] = Json::array();
  for (std::size_t k = 0; k < found.points.size(); ++k)
    json["points"].push_back(point_json(model, found.values[k], found.points[k], matrices));
  return json;
}

std::string eigenvalue_csv(const Linearization& found) {
  std::string text = "re,im,frequency,damping_ratio\n";
  for (const LinearMode& mode : found.modes)
    text += fmt::format("{},{},{},{}\n", mode.eigenvalue.real(), mode.eigenvalue.imag(), mode.frequency(),
                        found.neutral(mode.eigenvalue) ? "" : fmt::format("{}", mode.damping_ratio()));
  return text;
}

std::string sweep_csv(const Sweep& found) {
  std::string text = found.parameter;
  for (std::size_t i = 0; i < found.modes.size(); ++i) text += fmt::format(",re{0},im{0}", i + 1);
  text += "\n";
  for (std::size_t k = 0; k < found.values.size(); ++k) {
    text += fmt::format("{}", found.values[k]);
    for (const SweepMode& mode : found.modes)
      text += fmt::format(",{},{}", mode.eigenvalues[k].real(), mode.eigenvalues[k].imag());
    text += "\n";
  }
  return text;
}

}  // namespace tandem::cli
