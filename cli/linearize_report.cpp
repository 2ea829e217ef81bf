#include "linearize_report.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "table.hpp"

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

// For a viewer: the turn of each body in its own axes and the shift of its mass centre.
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
    entry["damping_ratio"] = mode.damping_ratio();
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

std::string complex_text(const std::complex<double>& value) {
  if (value.imag() == 0.0) return number(value.real());
  return fmt::format("{} {} {}i", number(value.real()), value.imag() < 0.0 ? "-" : "+", number(std::abs(value.imag())));
}

void print_matrix(const char* name, const Eigen::MatrixXd& matrix, const std::vector<LinearState>& rows,
                  const std::vector<LinearState>& columns) {
  if (matrix.size() == 0) return;
  std::vector<std::string> heading{name};
  for (const LinearState& column : columns) heading.push_back(column.name);
  Table table(heading);
  const double small = 1e-12 * matrix.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    std::vector<std::string> row{rows[static_cast<std::size_t>(i)].name};
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      row.push_back(number(std::abs(matrix(i, j)) <= small ? 0.0 : matrix(i, j)));
    table.row(row);
  }
  fmt::print("\n");
  table.print();
}

}  // namespace

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw FileError(fmt::format("cannot write \"{}\": {}", path, std::strerror(errno)));
}

Json linearization_json(const Model& model, const Linearization& found) {
  Json json;
  json["model"] = model.name;
  json["about"] = found.steady ? "steady" : "start";
  if (!found.steady) json["drift"] = found.drift;
  json["eigenvalues"] = eigenvalues_json(found);
  json["zeros"] = found.zeros;
  json["states"] = names_json(found.states);
  json["state_units"] = units_json(found.states);
  json["inputs"] = names_json(found.inputs);
  json["input_units"] = units_json(found.inputs);
  json["outputs"] = names_json(found.outputs);
  json["output_units"] = units_json(found.outputs);
  json["A"] = matrix_json(found.A);
  json["B"] = matrix_json(found.B);
  json["C"] = matrix_json(found.C);
  json["D"] = matrix_json(found.D);
  if (found.second_order)
    json["second_order"] = {{"coordinates", found.second_order->coordinates},
                            {"M", matrix_json(found.second_order->M)},
                            {"C", matrix_json(found.second_order->C)},
                            {"K", matrix_json(found.second_order->K)}};
  json["modes"] = modes_json(model, found);
  json["notes"] = found.notes;
  return json;
}

Json sweep_json(const Model& model, const Sweep& found) {
  Json json;
  json["model"] = model.name;
  json["parameter"] = found.parameter;
  json["values"] = found.values;
  json["zeros"] = found.points.front().zeros;
  json["states"] = names_json(found.points.front().states);
  json["modes"] = Json::array();
  for (const SweepMode& mode : found.modes) {
    Json values = Json::array();
    for (const std::complex<double>& value : mode.eigenvalues) values.push_back(pair_json(value));
    json["modes"].push_back({{"name", mode.name}, {"neutral", mode.neutral}, {"eigenvalues", std::move(values)}});
  }
  json["crossings"] = Json::array();
  for (const SweepCrossing& crossing : found.crossings)
    json["crossings"].push_back({{"value", crossing.value},
                                 {"mode", found.modes[static_cast<std::size_t>(crossing.mode)].name},
                                 {"frequency", crossing.eigenvalue.imag()},
                                 {"loses_stability", crossing.loses_stability}});
  json["stable"] = Json::array();
  for (const auto& [from, to] : found.stable) json["stable"].push_back({from, to});
  json["points"] = Json::array();
  for (std::size_t k = 0; k < found.points.size(); ++k) {
    Json point{{"value", found.values[k]}, {"eigenvalues", eigenvalues_json(found.points[k])}};
    point["states"] = names_json(found.points[k].states);
    point["A"] = matrix_json(found.points[k].A);
    point["modes"] = modes_json(model, found.points[k]);
    json["points"].push_back(std::move(point));
  }
  return json;
}

std::string eigenvalue_csv(const Linearization& found) {
  std::string text = "re,im,frequency,damping_ratio\n";
  for (const LinearMode& mode : found.modes)
    text += fmt::format("{},{},{},{}\n", mode.eigenvalue.real(), mode.eigenvalue.imag(), mode.frequency(),
                        mode.damping_ratio());
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

SweepPlot plot_of(const Model& model, const Sweep& found) {
  SweepPlot plot;
  plot.title = model.title.empty() ? model.name : model.title;
  plot.parameter = found.parameter;
  for (const auto& unit : model.linearize.units)
    if (unit.first == found.parameter) plot.unit = unit.second;
  plot.x = found.values;
  for (const SweepMode& mode : found.modes)
    if (!mode.neutral) plot.modes.push_back({mode.name, mode.eigenvalues});
  for (const SweepCrossing& crossing : found.crossings)
    plot.crossings.push_back(
        {crossing.value,
         fmt::format("{} {:.4g}", found.modes[static_cast<std::size_t>(crossing.mode)].name, crossing.value)});
  plot.stable = found.stable;
  return plot;
}

void print_linearization(const Model& model, const Linearization& found, const Steady* steady) {
  if (steady)
    fmt::print("{}: about {}, accelerations off by {:.2e}\n", bold(model.name),
               steady->rests() ? "an equilibrium" : "a steady motion", steady->residual);
  else
    fmt::print("{}: about the start as it is\n", bold(model.name));
  if (!found.steady && found.drift > 1e-9)
    fmt::print("the start is no equilibrium (accelerations up to {:.3g}): eigenvalues tell of short times only\n",
               found.drift);
  if (found.states.empty()) fmt::print("nothing is free to move: there are no states and no eigenvalues\n");
  fmt::print("\n");
  std::vector<std::string> heading{"eigenvalue [1/s]", "frequency [rad/s]", "damping ratio"};
  for (const LinearState& state : found.states) heading.push_back("|" + state.name + "|");
  Table table(heading);
  for (const LinearMode& mode : found.modes) {
    if (mode.eigenvalue.imag() < 0.0) continue;
    std::vector<std::string> row{complex_text(mode.eigenvalue), number(mode.frequency()), number(mode.damping_ratio())};
    for (const std::complex<double>& part : mode.shape) row.push_back(fmt::format("{:.3f}", std::abs(part)));
    table.row(row);
  }
  table.print();
  if (!found.zeros.empty()) fmt::print("\nzeros by symmetry, divided out: {}\n", fmt::join(found.zeros, ", "));
  print_matrix("A", found.A, found.states, found.states);
  print_matrix("B", found.B, found.states, found.inputs);
  print_matrix("C", found.C, found.outputs, found.states);
  print_matrix("D", found.D, found.outputs, found.inputs);
  if (found.second_order) {
    std::vector<LinearState> names;
    for (const std::string& name : found.second_order->coordinates) names.push_back({name, "", false});
    print_matrix("M", found.second_order->M, names, names);
    print_matrix("C", found.second_order->C, names, names);
    print_matrix("K", found.second_order->K, names, names);
  }
  if (!found.notes.empty()) fmt::print("\n");
  for (const std::string& note : found.notes) fmt::print("{}\n", faint(note));
}

void print_sweep(const Model& model, const Sweep& found) {
  fmt::print("{}: {} from {:.6g} to {:.6g}, {} points\n\n", bold(model.name), found.parameter, found.values.front(),
             found.values.back(), found.values.size());
  Table table({"mode", "first", "last"});
  for (const SweepMode& mode : found.modes)
    table.row({mode.name, complex_text(mode.eigenvalues.front()), complex_text(mode.eigenvalues.back())});
  table.print();
  fmt::print("\n");
  for (const SweepCrossing& crossing : found.crossings)
    fmt::print("{} = {:.13g}: {} {}{}\n", found.parameter, crossing.value,
               found.modes[static_cast<std::size_t>(crossing.mode)].name,
               crossing.loses_stability ? "becomes unstable" : "becomes stable",
               crossing.eigenvalue.imag() > 0.0 ? fmt::format(", {:.6g} rad/s", crossing.eigenvalue.imag()) : "");
  if (found.modes.empty())
    fmt::print("nothing is free to move: there are no modes\n");
  else if (found.stable.empty())
    fmt::print("not stable anywhere\n");
  for (const auto& range : found.stable) fmt::print("stable from {:.9g} to {:.9g}\n", range.first, range.second);
  if (!found.points.empty() && !found.points.front().zeros.empty())
    fmt::print("zeros by symmetry, divided out: {}\n", fmt::join(found.points.front().zeros, ", "));
}

}  // namespace tandem::cli
