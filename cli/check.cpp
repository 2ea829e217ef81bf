// tandem check: what the model is, before it moves.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "table.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/base/tolerances.hpp"
#include "tandem/model/forest.hpp"
#include "tandem/steady/symmetry.hpp"

namespace tandem::cli {

static std::vector<std::string> joint_names(const Model& model, const std::vector<int>& joints) {
  std::vector<std::string> names;
  for (const int joint : joints) names.push_back(model.joints[static_cast<std::size_t>(joint)].name);
  return names;
}

static std::vector<std::string> body_names(const Model& model, const std::vector<int>& bodies) {
  std::vector<std::string> names;
  for (const int body : bodies) names.push_back(model.bodies[static_cast<std::size_t>(body)].name);
  return names;
}

struct StartResiduals {
  double position = 0.0, velocity = 0.0;
  std::string position_row, velocity_row;
};

static StartResiduals worst_residuals(const Counts& counts) {
  StartResiduals worst;
  for (const RowResidual& row : counts.residuals) {
    if (row.holonomic && !(row.metres * std::abs(row.position) <= worst.position)) {
      worst.position = row.metres * std::abs(row.position);
      worst.position_row = row.row;
    }
    if (!(row.metres * std::abs(row.velocity) <= worst.velocity)) {
      worst.velocity = row.metres * std::abs(row.velocity);
      worst.velocity_row = row.row;
    }
  }
  return worst;
}

static nlohmann::ordered_json check_json(const Model& model, const Counts& counts, const Forest& forest) {
  nlohmann::ordered_json json;
  json["model"] = model.name;
  json["bodies"] = counts.bodies;
  json["joints"] = counts.joints;
  json["constraints"] = counts.constraints;
  json["drives"] = counts.drives;
  json["forces"] = counts.forces;
  json["coordinates"] = counts.coordinates;
  json["holonomic"] = counts.holonomic;
  json["nonholonomic"] = counts.nonholonomic;
  json["one_sided"] = counts.one_sided;
  json["soft"] = counts.soft;
  json["redundant"] = counts.redundant;
  json["redundant_nonholonomic"] = counts.redundant_nonholonomic;
  json["driven"] = counts.driven;
  json["dof"] = counts.dof;
  json["mobility"] = counts.mobility;
  json["redundant_rows"] = nlohmann::ordered_json::array();
  for (const RedundantRow& row : counts.redundant_rows)
    json["redundant_rows"].push_back({{"row", row.row}, {"depends_on", row.depends_on}});
  json["reactions_not_unique"] = nlohmann::ordered_json::array();
  json["loads_not_unique"] = nlohmann::ordered_json::object();
  for (const SharedLoad& load : counts.shared_loads) {
    json["reactions_not_unique"].push_back(load.name);
    json["loads_not_unique"][load.name] = load.parts;
  }
  const StartResiduals worst = worst_residuals(counts);
  json["start"] = {{"position_residual", worst.position}, {"velocity_residual", worst.velocity}};
  json["scale"] = {{"length", model.scale.length}, {"mass", model.scale.mass}, {"time", model.scale.time}};
  json["tree"] = joint_names(model, forest.tree);
  json["loops"] = joint_names(model, forest.loops);
  json["floating"] = body_names(model, forest.roots);
  json["free"] = body_names(model, lone_bodies(model));
  json["notes"] = counts.notes;
  json["warnings"] = nlohmann::ordered_json::array();
  for (const Fault& warning : model.warnings) json["warnings"].push_back(warning.text());
  return json;
}

// Names for people to read; --json has all of them.
static std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 60;
  if (names.empty()) return "-";
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "), names.size() - most);
}

static std::string plural(int count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

static void print_counts(const Counts& counts) {
  const auto line = [](const std::string& name, int value, const std::string& note) {
    fmt::print("  {:<20}{:>5}   {}\n", name, value, faint(note));
  };
  line("coordinates", counts.coordinates, "6 per rigid body, 3 per point mass");
  line("holonomic rows", counts.holonomic, "conditions on positions");
  line("driven", counts.driven, "coordinates whose motion is given");
  line("nonholonomic rows", counts.nonholonomic, "conditions on speeds alone, such as rolling");
  line("redundant rows", counts.redundant,
       counts.redundant_nonholonomic == 0
           ? "of all these: they follow from the others"
           : fmt::format("of all these: they follow from the others ({} nonholonomic)", counts.redundant_nonholonomic));
  if (counts.one_sided > 0) line("one-sided rows", counts.one_sided, "ropes; not counted below");
  if (counts.soft > 0) line("soft rows", counts.soft, "springs of the method impulses; not counted below");
  fmt::print("  {:-<28}\n", "");
  fmt::print("  {}{:>5}   {}\n", bold(fmt::format("{:<20}", "degrees of freedom")), counts.dof,
             faint("of position: coordinates - holonomic - driven, redundant ones not counted"));
  fmt::print("  {}{:>5}   {}\n", bold(fmt::format("{:<20}", "mobility")), counts.mobility,
             faint("of speed: also less the nonholonomic rows that are not redundant"));
}

static void print_check(const Model& model, const Counts& counts, const Forest& forest) {
  fmt::print("{}{}\n", bold(model.name), model.title.empty() ? "" : " - " + printable(model.title));
  fmt::print("  {}, {}, {}, {}, {}\n\n", plural(counts.bodies, "body", "bodies"),
             plural(counts.joints, "joint", "joints"), plural(counts.constraints, "constraint", "constraints"),
             plural(counts.drives, "drive", "drives"), plural(counts.forces, "force", "forces"));
  print_counts(counts);
  if (!counts.redundant_rows.empty()) {
    fmt::print("\n{}\n", bold("Redundant rows"));
    for (const RedundantRow& row : counts.redundant_rows)
      fmt::print("  {}\n    {}\n", row.row,
                 faint(row.depends_on.empty() ? "is always met"
                                              : fmt::format("follows from {}", fmt::join(row.depends_on, ", "))));
  }
  fmt::print("\n{}\n", bold("Reactions"));
  if (counts.shared_loads.empty()) {
    fmt::print("  all are unique\n");
  } else {
    std::vector<std::string> shared;
    for (const SharedLoad& load : counts.shared_loads) shared.push_back(fmt::format("{} ({})", load.name, load.parts));
    fmt::print("  not unique, because redundant rows share the load: {}\n  all others are unique\n",
               fmt::join(shared, ", "));
  }
  const StartResiduals worst = worst_residuals(counts);
  fmt::print("\n{}\n", bold("Start"));
  const auto residual = [](const char* what, double value, double size, const char* unit, const std::string& row) {
    const bool none = !(value > tolerances::printed * size);
    fmt::print("  largest residual of {:<10} {:>10} {}{}\n", what, number(value, size), unit,
               none ? "" : "   " + faint(row));
  };
  residual("position", worst.position, model.scale.length, "m", worst.position_row);
  residual("velocity", worst.velocity, model.scale.speed(), "m/s", worst.velocity_row);
  fmt::print("\n{}\n", bold("Scale"));
  const auto scale = [](const char* what, double value, const char* unit, const char* note) {
    fmt::print("  {:<20}{:>10} {:<3} {}\n", what, number(value), unit, faint(note));
  };
  scale("length", model.scale.length, "m", "from the middle of the largest machine to its farthest point");
  scale("mass", model.scale.mass, "kg", "of the heaviest body");
  scale("time", model.scale.time, "s", "of its fastest motion at the start, or by gravity");
  fmt::print("\n{}\n", bold("Spanning tree"));
  fmt::print("  carries coordinates: {}\n", listed(joint_names(model, forest.tree)));
  fmt::print("  closes loops:        {}\n", listed(joint_names(model, forest.loops)));
  if (!forest.roots.empty()) fmt::print("  floats:              {}\n", listed(body_names(model, forest.roots)));
  if (const auto lone = lone_bodies(model); !lone.empty())
    fmt::print("  free (no joint, constraint or force): {}\n", listed(body_names(model, lone)));
  for (const std::string& note : counts.notes) fmt::print("\n{} {}\n", bold("Note:"), printable(note));
}

void add_check(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("check", "Check a model: coordinates, rows, redundancy, degrees of freedom, start");
  auto arguments = std::make_shared<ModelArguments>();
  arguments->add_to(*command);
  command->footer(
      "Examples:\n  tandem check bicycle\n  tandem check four-bar --json\n  tandem check my-machine.toml --set "
      "length=0.5");
  command->callback([arguments] {
    const Model model = arguments->load();
    check_declared_symmetries(model);
    const Counts counts = count(model);
    const Forest forest = spanning_forest(model);
    if (arguments->json)
      print_json(check_json(model, counts, forest));
    else
      print_check(model, counts, forest);
  });
}

}  // namespace tandem::cli
