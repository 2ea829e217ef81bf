#include "linearize_report.hpp"

#include <fmt/core.h>
#include <fmt/format.h>

#include "table.hpp"
#include "tandem/base/tolerances.hpp"

namespace tandem::cli {

namespace {

std::string complex_text(const std::complex<double>& value, double size) {
  if (number(value.imag(), size) == "0") return number(value.real(), size);
  return fmt::format("{} {} {}i", number(value.real(), size), value.imag() < 0.0 ? "-" : "+",
                     number(std::abs(value.imag()), size));
}

// How large each counts as the machine itself.
Eigen::VectorXd sizes_of(const Model& model, const std::vector<LinearState>& all) {
  Eigen::VectorXd sizes(static_cast<Eigen::Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) sizes[static_cast<Eigen::Index>(i)] = model.scale.of_unit(all[i].unit);
  return sizes;
}

// What takes columns to rows, or to their efforts: then both sizes are factors.
void print_matrix(const Model& model, const char* name, const Eigen::MatrixXd& matrix,
                  const std::vector<LinearState>& rows, const std::vector<LinearState>& columns,
                  bool to_efforts = false) {
  if (matrix.size() == 0) return;
  std::vector<std::string> heading{name};
  for (const LinearState& column : columns) heading.push_back(column.name);
  Table table(heading);
  Eigen::VectorXd sizes = sizes_of(model, rows);
  if (!to_efforts) sizes = sizes.cwiseInverse().eval();
  const Eigen::MatrixXd sized = sizes.asDiagonal() * matrix * sizes_of(model, columns).asDiagonal();
  const double small = tolerances::printed * sized.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    std::vector<std::string> row{rows[static_cast<std::size_t>(i)].name};
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      row.push_back(number(std::abs(sized(i, j)) <= small ? 0.0 : matrix(i, j)));
    table.row(row);
  }
  fmt::print("\n");
  table.print();
}

}  // namespace

// Of an edge, both modes that meet.
static std::string crossing_name(const Sweep& found, const SweepCrossing& crossing) {
  const std::string& name = found.modes[static_cast<std::size_t>(crossing.mode)].name;
  if (crossing.meets < 0) return name;
  const std::string& other = found.modes[static_cast<std::size_t>(crossing.meets)].name;
  return name == other ? name : fmt::format("{}, {}", std::min(name, other), std::max(name, other));
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
        {crossing.value, fmt::format("{} at {:.4g}", crossing_name(found, crossing), crossing.value)});
  plot.stable = found.stable;
  return plot;
}

static void print_notes(const Linearization& found) {
  if (!found.notes.empty()) fmt::print("\n");
  for (const std::string& note : found.notes) fmt::print("{}\n", faint(note));
}

// All eigenvalues are the same at every point.
static bool changes_nothing(const Sweep& found) {
  for (const SweepMode& mode : found.modes)
    for (std::size_t k = 0; k < found.points.size(); ++k)
      if (!(std::abs(mode.eigenvalues[k] - mode.eigenvalues[0]) <= 1e-10 * found.points[k].size())) return false;
  return !found.modes.empty();
}

// Beside angles, micrometres are small and not zero.
static std::string part_text(double part) {
  return part > tolerances::printed && part < 1e-3 ? fmt::format("{:.1e}", part) : fmt::format("{:.3f}", part);
}

void print_linearization(const Model& model, const Linearization& found, const Steady* steady) {
  if (steady)
    fmt::print("{}: about {}, accelerations off by {:.2e}\n", bold(model.name),
               steady->rests() ? "an equilibrium" : "a steady motion", steady->residual);
  else
    fmt::print("{}: about the start as it is\n", bold(model.name));
  if (!found.steady && found.drift > tolerances::moved * model.scale.of_unit("m/s^2"))
    fmt::print("the start is not an equilibrium (accelerations up to {:.3g}): eigenvalues describe short times only\n",
               found.drift);
  if (found.states.empty()) fmt::print("nothing is free to move: there are no states and no eigenvalues\n");
  if (found.outputs.empty()) print_notes(found);  // there is no C to look for: first of all, why
  fmt::print("\n");
  std::vector<std::string> heading{"eigenvalue [1/s]", "frequency [rad/s]", "damping ratio"};
  for (const LinearState& state : found.states) heading.push_back("|" + state.name + "|");
  Table table(heading);
  const double rate = 1.0 / model.scale.time;
  for (const LinearMode& mode : found.modes) {
    if (mode.eigenvalue.imag() < 0.0) continue;
    std::vector<std::string> row{complex_text(mode.eigenvalue, rate), number(mode.frequency(), rate),
                                 found.neutral(mode.eigenvalue) ? "-" : number(mode.damping_ratio(), 1.0)};
    for (const std::complex<double>& part : mode.shape) row.push_back(part_text(std::abs(part)));
    table.row(row);
  }
  table.print();
  if (!found.zeros.empty()) fmt::print("\nzeros by symmetry, divided out: {}\n", fmt::join(found.zeros, ", "));
  print_matrix(model, "A", found.A, found.states, found.states);
  print_matrix(model, "B", found.B, found.states, found.inputs);
  print_matrix(model, "C", found.C, found.outputs, found.states);
  print_matrix(model, "D", found.D, found.outputs, found.inputs);
  if (found.second_order) {
    std::vector<LinearState> names;
    for (const std::string& name : found.second_order->coordinates)
      for (const LinearState& state : found.states)
        if (state.name == name) names.push_back(state);
    fmt::print("\nsecond order, M q'' + C q' + K q = Q:\n");
    print_matrix(model, "M, mass", found.second_order->M, names, names, true);
    print_matrix(model, "C, damping", found.second_order->C, names, names, true);
    print_matrix(model, "K, stiffness", found.second_order->K, names, names, true);
  }
  if (!found.outputs.empty()) print_notes(found);
}

void print_sweep(const Model& model, const Sweep& found) {
  fmt::print("{}: {} from {:.6g} to {:.6g}, {} points\n\n", bold(model.name), found.parameter, found.values.front(),
             found.values.back(), found.values.size());
  Table table({"mode", "first", "last"});
  const double rate = 1.0 / model.scale.time;
  for (const SweepMode& mode : found.modes)
    table.row({mode.name, complex_text(mode.eigenvalues.front(), rate), complex_text(mode.eigenvalues.back(), rate)});
  table.print();
  fmt::print("\n");
  for (const SweepCrossing& crossing : found.crossings) {
    const std::string name = crossing_name(found, crossing);
    fmt::print(
        "{} = {:.12g}: {} {} {}{}{}\n", found.parameter, crossing.value, name,
        name.find(", ") == std::string::npos ? "becomes" : "become", crossing.loses_stability ? "unstable" : "stable",
        crossing.eigenvalue.imag() > 0.0 ? fmt::format(", {:.6g} rad/s", crossing.eigenvalue.imag()) : "",
        crossing.jumps ? "; by a jump: from here on another steady motion is found; hold what distinguishes them" : "");
  }
  if (changes_nothing(found)) fmt::print("{} changes none of the eigenvalues\n", found.parameter);
  if (found.modes.empty())
    fmt::print("nothing is free to move: there are no modes\n");
  else if (found.stable.empty())
    fmt::print("not stable anywhere\n");
  for (const auto& range : found.stable) fmt::print("stable from {:.9g} to {:.9g}\n", range.first, range.second);
  if (!found.points.empty() && !found.points.front().zeros.empty())
    fmt::print("zeros by symmetry, divided out: {}\n", fmt::join(found.points.front().zeros, ", "));
}

}  // namespace tandem::cli
