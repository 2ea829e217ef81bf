// tandem assemble: from a rough guess to a start that meets all rows.
#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "start.hpp"
#include "table.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/assemble/held.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

struct AssembleArguments {
  ModelArguments model;
  std::vector<std::string> hold, hold_rate;
  bool zero_momentum = false, toml = false;
};

static Pose<double> frame_pose(const Body& body, const BodyMotion<double>& motion) {
  return {motion.X_WC.R, motion.X_WC.p - motion.X_WC.R * body.center};
}

static Json bodies_json(const Model& model, const Assembly& assembly, const Kinematics<double>& kinematics) {
  Json json = Json::object();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
    Json& out = json[body.name];
    out["position"] = json_of(motion.X_WC.p);
    out["frame_position"] = json_of(frame_pose(body, motion).p);
    out["velocity"] = json_of(motion.v);
    if (body.point_mass) continue;
    const Vec4<double> q = assembly.bodies.q().segment<4>(body.q_first);
    out["quaternion"] = {q[0], q[1], q[2], q[3]};
    out["angular_velocity"] = json_of(motion.w_B);
  }
  return json;
}

static Json assemble_json(const Model& model, const Assembly& assembly, const Kinematics<double>& kinematics) {
  Json json;
  json["model"] = model.name;
  json["assembled"] = assembly.unmet.empty();
  json["unmet"] = Json::array();
  for (const Fault& each : assembly.unmet) json["unmet"].push_back(each.message);
  json["iterations"] = assembly.iterations;
  json["continued"] = assembly.continued;
  json["residuals"] = {{"position_given", assembly.given.position},
                       {"velocity_given", assembly.given.velocity},
                       {"position", assembly.after.position},
                       {"velocity", assembly.after.velocity}};
  json["moved"] = assembly.moved;
  json["speed_moved"] = assembly.speed_moved;
  json["most_moved"] = assembly.most_moved;
  json["moves"] = Json::object();
  for (const BodyMove& move : assembly.moves)
    json["moves"][move.body] = {
        {"distance", move.distance}, {"turn", move.turn}, {"speed", move.speed}, {"angular_speed", move.angular_speed}};
  json["held"] = Json::object();
  for (const ModelStart& held : model.starts) {
    const CoordinateReading<double> now = read_coordinate(model, held, kinematics);
    json["held"][held.name] = {{"value", now.value},
                               {"rate", now.rate},
                               {"value_held", holds_position(held)},
                               {"rate_held", holds_speed(held)}};
  }
  json["bodies"] = bodies_json(model, assembly, kinematics);
  return json;
}

static void print_moves(const Scale& scale, const Assembly& assembly) {
  constexpr std::size_t most = 10;
  Table moves({"body", "moved [m]", "turned [rad]", "velocity changed [m/s]", "[rad/s]"});
  std::size_t shown = 0;
  for (const BodyMove& move : assembly.moves) {
    if (shown == most || std::max(move.most() / scale.length, move.most_speed() / scale.speed()) < tolerances::printed)
      break;
    moves.row({move.body, number(move.distance, scale.length), number(move.turn, 1.0),
               number(move.speed, scale.speed()), number(move.angular_speed, 1.0 / scale.time)});
    ++shown;
  }
  fmt::print("\n");
  if (shown == 0) {
    fmt::print("nothing had to be moved\n");
  } else {
    moves.print();
    if (shown == most && assembly.moves.size() > most) fmt::print("  {}\n", faint("the others moved less"));
  }
}

static void print_assembly(const Model& model, const Assembly& assembly, const Kinematics<double>& kinematics) {
  fmt::print("{}: {} in {} iterations{}\n\n", bold(model.name),
             assembly.unmet.empty() ? "assembled" : "cannot be assembled", assembly.iterations,
             assembly.continued ? ", by continuation" : "");
  Table residuals({"largest residual", "given", "after"});
  const auto scientific = [](double value) { return fmt::format("{:.2e}", value); };
  residuals.row({"position", scientific(assembly.given.position), scientific(assembly.after.position)});
  residuals.row({"velocity", scientific(assembly.given.velocity), scientific(assembly.after.velocity)});
  residuals.print();
  print_moves(model.scale, assembly);
  if (!model.starts.empty()) {
    fmt::print("\n");
    Table table({"held", "value", "", "rate", ""});
    for (const ModelStart& held : model.starts) {
      const CoordinateReading<double> now = read_coordinate(model, held, kinematics);
      const auto mark = [](bool is_held) { return is_held ? "held" : "free"; };
      const double size = size_of(model, held);
      table.row({held.name, number(now.value, size), mark(holds_position(held)),
                 number(now.rate, size / model.scale.time), mark(holds_speed(held))});
    }
    table.print();
  }
}

static void print_toml(const Model& model, const Assembly& assembly, const Kinematics<double>& kinematics) {
  const auto list = [](const auto& values) {
    std::string text;
    for (Eigen::Index i = 0; i < values.size(); ++i)
      text += fmt::format("{}{}", i > 0 ? ", " : "", values[i] == 0.0 ? 0.0 : values[i]);
    return "[" + text + "]";
  };
  fmt::print(
      "# Points and axes of joints, constraints, forces and outputs are places of the pose in the file. Write them as\n"
      "# frames before you take these lines over, or keep the bodies and add [[start]] tables instead.\n");
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = kinematics.body(static_cast<int>(i));
    fmt::print("\n[[body]]\nname = \"{}\"\nposition = {}\n", body.name, list(frame_pose(body, motion).p));
    if (!body.point_mass) fmt::print("quaternion = {}\n", list(assembly.bodies.q().segment<4>(body.q_first)));
    fmt::print("velocity = {}\n", list(motion.v));
    if (!body.point_mass) fmt::print("angular_velocity = {}\n", list(motion.w_B));
  }
}

static void assemble_model(const AssembleArguments& arguments) {
  if (arguments.toml && arguments.model.json) throw UsageError("give --toml or --json, not both");
  Model model = arguments.model.load();
  for (const std::string& text : arguments.hold) hold_coordinate(model, "--hold", text);
  for (const std::string& text : arguments.hold_rate) hold_coordinate(model, "--hold-rate", text, true);
  AssemblyOptions options;
  options.zero_momentum = arguments.zero_momentum;
  const Assembly assembly = try_to_assemble(model, start_state(model), options);
  Kinematics<double> kinematics(model);
  kinematics.update(model, assembly.bodies.t, assembly.bodies.q(), assembly.bodies.v(), assembly.bodies.angles());
  if (arguments.model.json)
    print_json(assemble_json(model, assembly, kinematics));
  else if (arguments.toml && assembly.unmet.empty())
    print_toml(model, assembly, kinematics);
  else
    print_assembly(model, assembly, kinematics);
  if (assembly.unmet.empty()) return;
  std::fflush(stdout);  // the table first, then why
  refuse_unmet(assembly);
}

void add_assemble(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("assemble", "Find a start that meets all constraints, with what you hold, near the given one");
  auto arguments = std::make_shared<AssembleArguments>();
  arguments->model.add_to(*command);
  command
      ->add_option("--hold", arguments->hold,
                   "hold a coordinate, at a value or where it is: JOINT, JOINT.COORDINATE, BODY.x, y, z, yaw, lean or "
                   "pitch; with .rate behind it its speed (may be repeated)")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command->add_option("--hold-rate", arguments->hold_rate, "the same as --hold NAME.rate (may be repeated)")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command->add_flag("--zero-momentum", arguments->zero_momentum,
                    "give every floating machine the rigid motion that leaves it without momentum");
  command->add_flag("--toml", arguments->toml, "print the poses and velocities as lines of a model file");
  command->footer(
      "Examples:\n"
      "  tandem assemble bicycle --hold frame.lean=0.2 --hold steer=0.1 --hold frame.yaw=0\n"
      "  tandem assemble bicycle --hold frame.lean=0.1 --hold-rate steer=0 --hold-rate rear_hub=15 --json\n"
      "  tandem assemble four-bar --hold ground_crank=1\n"
      "  tandem assemble swimmer --zero-momentum --toml");
  command->callback([arguments] { assemble_model(*arguments); });
}

}  // namespace tandem::cli
