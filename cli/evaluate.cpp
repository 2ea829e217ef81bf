// tandem evaluate: accelerations, reactions, efforts and energy at the start.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "reaction_table.hpp"
#include "rows.hpp"
#include "start.hpp"
#include "tandem/assemble/counts.hpp"
#include "tandem/observe/outputs.hpp"
#include "tandem/run/health.hpp"
#include "tandem/run/record.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

static std::vector<std::string> with_vector(std::string name, const Vector3& a, double size_a, const Vector3& b,
                                            double size_b) {
  std::vector<std::string> cells{std::move(name)};
  for (const double x : a) cells.push_back(number(x, size_a));
  for (const double x : b) cells.push_back(number(x, size_b));
  return cells;
}

static Json body_json(const Model& model, Simulation& simulation) {
  Json json = Json::object();
  const Eigen::VectorXd& y = simulation.solution().y;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    Json& out = json[body.name];
    out["position"] = json_of(motion.X_WC.p);
    out["velocity"] = json_of(motion.v);
    out["acceleration"] = json_of(y.segment<3>(body.v_first + body.nv() - 3));
    if (body.point_mass) continue;
    const Vec4<double> q = simulation.bodies().q().segment<4>(body.q_first);
    out["quaternion"] = {q[0], q[1], q[2], q[3]};
    out["angular_velocity"] = json_of(motion.w_B);
    out["angular_acceleration"] = json_of(y.segment<3>(body.v_first));
  }
  return json;
}

static Json joint_json(const Model& model, Simulation& simulation, const Uniqueness& unique) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto index = static_cast<int>(i);
    const ModelJoint& joint = model.joints[i];
    const Reaction reaction = joint_reaction(model, simulation.workspace(), simulation.solution(), index);
    Json out = reaction_json(reaction, unique.joints[i]);
    out["point"] = json_of(reaction.point);
    out["type"] = joint.type_name();
    if (joint.joint()) {
      const Eigen::VectorXd acceleration = simulation.joint_acceleration(index);
      const JointMotion<double>& motion = simulation.workspace().kinematics.joint(index);
      for (int k = 0; k < joint.joint()->traits().nv; ++k) {
        const JointCoordinate& coordinate = joint.joint()->traits().coordinates[static_cast<std::size_t>(k)];
        if (joint.positions_only && coordinate.angular) continue;
        Json one;
        if (const int at = model_coordinate(joint, k); at >= 0) one["value"] = motion.q[at];
        one["rate"] = motion.v[k];
        one["acceleration"] = acceleration[k];
        for (std::size_t d = 0; d < model.drives.size(); ++d)
          if (model.drives[d].coordinate.joint == index && model.drives[d].coordinate.coordinate == k) {
            one["effort"] = drive_effort(model, simulation.solution(), static_cast<int>(d));
            one["unique_effort"] = unique.effort(model, static_cast<int>(d));
          }
        out["coordinates"][std::string(coordinate.name)] = one;
      }
    }
    json[joint.name] = std::move(out);
  }
  return json;
}

static Json constraint_json(const Model& model, Simulation& simulation, const Uniqueness& unique) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model.constraints.size(); ++i) {
    const auto index = static_cast<int>(i);
    const Reaction reaction = constraint_reaction(model, simulation.workspace(), simulation.solution(), index);
    Json out = reaction_json(reaction, unique.constraints[i]);
    out["point"] = json_of(reaction.point);
    out["type"] = model.constraints[i].type;
    if (const auto efforts = relation_efforts(model, simulation.solution(), index); !efforts.empty()) {
      out["efforts"] = efforts;
      out["unique_efforts"] = unique.relation_effort(model, index);
    }
    json[model.constraints[i].name] = std::move(out);
  }
  return json;
}

static Json evaluate_json(const Model& model, Simulation& simulation) {
  const Uniqueness unique = uniqueness(model, simulation.workspace());
  Json json;
  json["model"] = model.name;
  add_method(simulation.setup(), json);
  json["cut"] = simulation.setup().cut.word();
  json["coordinates"] = simulation.workspace().coordinates->name();
  json["time"] = simulation.state().t;
  json["rank"] = simulation.solution().rank;
  json["redundant_rows"] = Json::array();
  for (const RedundantRow& row : count(model).redundant_rows)
    json["redundant_rows"].push_back({{"row", row.row}, {"depends_on", row.depends_on}});
  json["bodies"] = body_json(model, simulation);
  json["joints"] = joint_json(model, simulation, unique);
  json["constraints"] = constraint_json(model, simulation, unique);
  json["drives"] = Json::object();
  for (std::size_t i = 0; i < model.drives.size(); ++i)
    json["drives"][model.drives[i].name] = {{"effort", drive_effort(model, simulation.solution(), static_cast<int>(i))},
                                            {"unique", unique.effort(model, static_cast<int>(i))}};
  json["outputs"] = Json::object();
  for (const ModelOutput& output : model.outputs)
    json["outputs"][output.name] = output_value(model, output, simulation);
  json["not_unique"] = columns_not_unique(model, unique);
  const Energy energy = simulation.energy();
  json["energy"] = {
      {"kinetic", energy.kinetic}, {"gravity", energy.gravity}, {"spring", energy.spring}, {"total", energy.total()}};
  json["start"] = {{"position_residual", simulation.start().given.position},
                   {"velocity_residual", simulation.start().given.velocity},
                   {"moved", simulation.start().moved},
                   {"speed_moved", simulation.start().speed_moved}};
  return json;
}

static void print_reactions(const Model& model, Simulation& simulation, const Uniqueness& unique) {
  Table table({"what first does to second", "force x", "y", "z", "torque x", "y", "z"});
  add_reactions(model, simulation.workspace(), simulation.solution(), unique, table);
  if (table.empty()) return;
  fmt::print("\n{}  {}\n", bold("Reactions"),
             faint("force [N] and torque [N m] in world axes, at the joint or contact point"));
  table.print();
  if (!unique.all()) fmt::print("  {}\n", faint(std::string(shared_load_note)));
  std::vector<std::string> redundant;
  for (const RedundantRow& row : count(model).redundant_rows) redundant.push_back(row.row);
  if (!redundant.empty()) fmt::print("  {}\n", faint(fmt::format("redundant: {}", fmt::join(redundant, "; "))));
}

static void print_evaluate(const Model& model, Simulation& simulation) {
  fmt::print("{} at t = {} by {}, {} coordinates\n", bold(model.name), number(simulation.state().t),
             method_text(simulation.setup()), simulation.workspace().coordinates->name());
  if (simulation.start().speed_moved > tolerances::moved * model.scale.speed())
    fmt::print("  {}\n", faint(fmt::format("start speeds were adjusted by up to {} m/s to meet the constraints",
                                           number(simulation.start().speed_moved))));
  fmt::print("\n{}  {}\n", bold("Accelerations"),
             faint("linear [m/s^2]: mass centre, world axes; angular [rad/s^2]: body axes"));
  Table bodies({"body", "linear x", "y", "z", "angular x", "y", "z"});
  const Eigen::VectorXd& y = simulation.solution().y;
  for (const Body& body : model.bodies)
    bodies.row(with_vector(body.name, y.segment<3>(body.v_first + body.nv() - 3), model.scale.of_unit("m/s^2"),
                           body.point_mass ? Vector3(Vector3::Zero()) : Vector3(y.segment<3>(body.v_first)),
                           model.scale.of_unit("rad/s^2")));
  bodies.print();

  Table joints({"joint coordinate", "value", "rate", "acceleration"});
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const ModelJoint& joint = model.joints[i];
    if (!joint.joint()) continue;
    const JointMotion<double>& motion = simulation.workspace().kinematics.joint(static_cast<int>(i));
    const Eigen::VectorXd acceleration = simulation.joint_acceleration(static_cast<int>(i));
    for (int k = 0; k < joint.joint()->traits().nv; ++k) {
      const JointCoordinate& coordinate = joint.joint()->traits().coordinates[static_cast<std::size_t>(k)];
      if (joint.positions_only && coordinate.angular) continue;
      const int at = model_coordinate(joint, k);
      const double size = coordinate.angular ? 1.0 : model.scale.length, time = model.scale.time;
      joints.row({fmt::format("{}.{}", joint.name, coordinate.name), at < 0 ? "-" : number(motion.q[at], size),
                  number(motion.v[k], size / time), number(acceleration[k], size / (time * time))});
    }
  }
  if (!joints.empty()) {
    fmt::print("\n{}\n", bold("Joints"));
    joints.print();
  }
  const Uniqueness unique = uniqueness(model, simulation.workspace());
  print_reactions(model, simulation, unique);
  if (!model.drives.empty()) {
    fmt::print("\n{}\n", bold("Drives"));
    Table drives({"drive", "effort [N or N m]"});
    for (std::size_t i = 0; i < model.drives.size(); ++i)
      drives.row(
          {model.drives[i].name, starred(number(drive_effort(model, simulation.solution(), static_cast<int>(i)),
                                                model.scale.energy() / size_of(model, model.drives[i].coordinate)),
                                         unique.effort(model, static_cast<int>(i)), !unique.all())});
    drives.print();
  }
  const Energy energy = simulation.energy();
  const double most = std::max({energy.kinetic, std::abs(energy.gravity), std::abs(energy.spring)});
  const auto joules = [&](double value) { return number(value, std::min(most, model.scale.energy())); };
  fmt::print("\n{}  kinetic {} J, gravity {} J, springs {} J, total {} J\n", bold("Energy"), joules(energy.kinetic),
             joules(energy.gravity), joules(energy.spring), joules(energy.total()));
}

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Accelerations, reactions, efforts and energy at the start");
  auto arguments = std::make_shared<ModelArguments>();
  auto method = std::make_shared<MethodArguments>();
  auto rows = std::make_shared<bool>(false);
  auto start = std::make_shared<StartArguments>();
  arguments->add_to(*command);
  command->add_flag("--rows", *rows,
                    "also the equations: speeds V, rows J y = b, multipliers and K = J M^-1 J^T, with names");
  start->add_to(*command);
  method->add_to(*command);
  command->footer(
      "Examples:\n"
      "  tandem evaluate bicycle\n"
      "  tandem evaluate bicycle --method articulated --json\n"
      "  tandem evaluate two-body --method udwadia_kalaba --coordinates quaternion\n"
      "  tandem evaluate bicycle --hold lean=0.1 --hold steer=0.05\n"
      "  tandem evaluate distance --rows                            V, J, K and lambda of one row\n"
      "  tandem evaluate two-body --coordinates quaternion --rows   A and b as QuIRK has them\n"
      "  tandem evaluate chain --set angle=1 --cut loops");
  command->callback([arguments, method, rows, start] {
    method->check();
    Model model = arguments->load();
    method->apply(model.setup);
    start->hold_in_start(model);
    const auto made = from_start(
        model, [&] { return std::make_unique<Simulation>(model, StartOptions{.assemble = start->assemble}); });
    Simulation& simulation = *made;
    require_finite(model, simulation);
    if (arguments->json) {
      Json json = evaluate_json(model, simulation);
      if (*rows) json["rows"] = NamedRows(model, simulation).json();
      print_json(std::move(json));
      return;
    }
    print_evaluate(model, simulation);
    if (*rows) NamedRows(model, simulation).print();
  });
}

}  // namespace tandem::cli
