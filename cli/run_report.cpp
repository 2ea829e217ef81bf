#include "run_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "commands.hpp"
#include "reaction_table.hpp"
#include "tandem/baumgarte.hpp"
#include "tandem/run/record.hpp"

namespace tandem::cli {

using Json = nlohmann::ordered_json;

void OutputSummary::watch(std::span<const double> values) {
  last.assign(values.begin(), values.end());
  if (first.size() != last.size()) first = least = most = last;
  for (std::size_t i = 0; i < last.size(); ++i) {
    least[i] = std::min(least[i], last[i]);
    most[i] = std::max(most[i], last[i]);
  }
}

Json reasons_json(const Judgement& judgement) {
  Json reasons = Json::array();
  for (const TrustReason& reason : judgement.reasons)
    reasons.push_back({{"trust", trust_name(reason.trust)}, {"kind", reason.kind}, {"text", reason.text}});
  return reasons;
}

Json bodies_json(const Model& model, Simulation& simulation) {
  Json bodies = Json::object();
  const std::span<const BodyMotion<double>> motions = simulation.motions();
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyMotion<double>& motion = motions[i];
    Json& out = bodies[body.name];
    out["position"] = json_of(motion.X_WC.p);
    out["velocity"] = json_of(motion.v);
    if (body.point_mass) continue;
    const Vec4<double> q = simulation.bodies().q().segment<4>(body.q_first);
    out["quaternion"] = {q[0], q[1], q[2], q[3]};
    out["angular_velocity"] = json_of(motion.w_B);
  }
  return bodies;
}

static Json energy_json(const Model& model, const HealthSummary& health) {
  const double change = health.energy_end.total() - health.energy_start.total();
  const double start = std::max(std::abs(health.energy_start.total()), health.energy_start.kinetic);
  const auto parts = [](const Energy& energy) {
    return Json{{"kinetic", energy.kinetic}, {"gravity", energy.gravity}, {"spring", energy.spring}};
  };
  return {{"start", health.energy_start.total()},
          {"end", health.energy_end.total()},
          {"change", change},
          {"relative_change",
           start > 0.0 && start > tolerances::printed * health.energy_size ? Json(change / start) : Json()},
          {"conserved", model.conserves_energy()},
          {"at_start", parts(health.energy_start)},
          {"at_end", parts(health.energy_end)},
          {"work", {{"dampers", health.work.dampers}, {"drives", health.work.drives}, {"forces", health.work.forces}}},
          {"largest_balance_error", std::abs(health.balance.value)},
          {"largest_balance_error_at", health.balance.t},
          {"relative_balance_error", health.relative_balance()}};
}

// Stops that ask for a load that redundant rows share.
static std::vector<std::string> stops_not_unique(const Model& model, const Uniqueness& unique) {
  std::vector<std::string> names;
  for (const ModelStop& stop : model.stops)
    if (!std::all_of(stop.quantities.begin(), stop.quantities.end(),
                     [&](const ModelOutput& quantity) { return unique.of(model, quantity); }))
      names.push_back(stop.name);
  return names;
}

static Json loads_json(const Model& model, const Run& run) {
  Json loads = Json::object();
  for (std::size_t i = 0; i < run.record().contacts().size(); ++i) {
    const Extreme& lowest = run.health().lowest_loads[i];
    const bool unique = !run.health().shared_loads[i];
    const int constraint = run.record().contacts()[i].constraint;
    loads[model.constraints[static_cast<std::size_t>(constraint)].name] = {
        {"lowest", lowest.value}, {"at", lowest.t}, {"unique", unique}, {"lifts_off", unique && lowest.value < 0.0}};
  }
  return loads;
}

static Json horizon_json(const HorizonRecord& horizon) {
  Json lasts = Json::array();
  for (std::size_t i = 0; i < HorizonRecord::counted.size(); ++i)
    lasts.push_back(
        {{"digits", HorizonRecord::counted[i]}, {"until", horizon.until[i] >= 0.0 ? Json(horizon.until[i]) : Json()}});
  return {
      {"log10_growth", horizon.growth}, {"digits_at_end", horizon.digits}, {"up_to", horizon.end}, {"lasts", lasts}};
}

Json RunReport::json() const {
  const HealthSummary& health = run.health();
  Json json;
  json["model"] = model.name;
  json["status"] = status_name(run.status());
  if (!run.reason().empty()) json["reason"] = run.reason();
  const Judgement judgement = run.judgement();
  json["trust"] = trust_name(judgement.trust);
  json["reasons"] = reasons_json(judgement);
  const Setup& setup = simulation.setup();
  add_method(setup, json);
  json["cut"] = setup.cut.word();
  json["coordinates"] = simulation.workspace().coordinates->name();
  json["integrator"] = setup.integrator.word();
  json["stabilisation"] = setup.stabilisation.word();
  if (setup.has_baumgarte())
    json["constants"] = {{"alpha", *setup.alpha}, {"beta", *setup.beta}, {"chosen", setup.chosen_constants}};
  json["step"] = simulation.setup().step;
  if (simulation.is_adaptive()) json["tolerance"] = simulation.setup().tolerance;
  json["steps"] = health.steps;
  json["rejected_steps"] = health.rejected;
  json["general_steps"] = health.general_steps;
  json["samples"] = health.samples;
  json["full_samples"] = health.full_samples;
  json["time"] = simulation.state().t;
  json["outputs"] = Json::object();
  for (std::size_t i = 0; i < outputs.last.size(); ++i) json["outputs"][model.outputs[i].name] = outputs.last[i];
  json["bodies"] = bodies_json(model, simulation);
  json["energy"] = energy_json(model, health);
  json["momentum"] = {{"linear_start", json_of(health.momentum_start.linear)},
                      {"linear_end", json_of(health.momentum_end.linear)},
                      {"angular_start", json_of(health.momentum_start.angular)},
                      {"angular_end", json_of(health.momentum_end.angular)}};
  json["residuals"] = {{"position_before_projection", health.before.position},
                       {"position_before_projection_of_size", health.before.position / model.scale.length},
                       {"velocity_before_projection", health.before.velocity},
                       {"position", health.after.position},
                       {"velocity", health.after.velocity},
                       {"acceleration", health.acceleration}};
  json["constraint_power"] = health.power;
  json["quaternion_error"] = health.quaternion_error;
  json["rank"] = {{"least", health.least_rank},
                  {"most", health.most_rank},
                  {"changed_at", health.rank_changed >= 0.0 ? Json(health.rank_changed) : Json()}};
  json["events"] = Json::array();
  for (const HealthEvent& event : health.events)
    json["events"].push_back({{"kind", event_name(event.kind)},
                              {"what", event_subject(model, event)},
                              {"first", event.t},
                              {"last", event.last},
                              {"count", event.count}});
  if (health.horizon) json["horizon"] = horizon_json(*health.horizon);
  json["normal_forces"] = loads_json(model, run);
  json["not_unique"] = columns_not_unique(model, run.record().unique());
  json["stops_not_unique"] = stops_not_unique(model, run.record().unique());
  json["iterations"] = health.iterations;
  if (simulation.setup().by_impulses())
    json["impulses"] = {
        {"sweeps", health.impulses.sweeps},
        {"largest_unsolved_part", health.impulses.unsolved},
        {"position_error_before_projection", health.impulses.position_gap},
        {"position_iterations", health.impulses.position_iterations},
        {"largest_row_force", health.largest_force},
        {"largest_row_impulse", health.largest_force * simulation.setup().step / simulation.setup().impulses.substeps}};
  json["stops_waiting"] = run.waiting();
  json["start"] = {{"moved", simulation.start().moved},
                   {"most_moved", simulation.start().most_moved},
                   {"speed_moved", simulation.start().speed_moved}};
  if (!file.empty()) json["file"] = file;
  if (!page.empty()) json["report"] = page;
  return json;
}

void RunReport::print_impulses() const {
  const HealthSummary& health = run.health();
  const double unsolved = health.impulses.unsolved;
  fmt::print("\n{} sweeps; the largest row force was {} (N or N m), its impulse {}\n", health.impulses.sweeps,
             number(health.largest_force),
             number(health.largest_force * simulation.setup().step / simulation.setup().impulses.substeps));
  fmt::print("largest part of a row left unsolved by the sweeps of a step: {:.2e}", unsolved);
  if (health.impulses.worst_row >= 0) fmt::print(" ({})", model.row_name(health.impulses.worst_row));
  fmt::print("\n");
  if (!(unsolved <= tolerances::unsolved_look))
    fmt::print("{}\n", bold(fmt::format("{} sweeps did not converge: forces are off by about as much. Use more "
                                        "--iterations or --substeps, or another method.",
                                        simulation.setup().impulses.iterations)));
}

std::vector<bool> unique_outputs(const Model& model, const Uniqueness& unique) {
  std::vector<bool> out;
  for (const ModelOutput& output : model.outputs) out.push_back(unique.of(model, output));
  return out;
}

ShownTable output_table(const Model& model, const OutputSummary& outputs, const std::vector<bool>& unique) {
  ShownTable table{"Outputs", {"output", "start", "end", "least", "most", "unit"}, {}};
  for (std::size_t i = 0; i < outputs.last.size(); ++i) {
    const double size = model.scale.of_unit(model.outputs[i].unit);
    table.rows.push_back({model.outputs[i].name + (unique[i] ? "" : " *"), number(outputs.first[i], size),
                          fmt::format("{:.10g}", outputs.last[i]), number(outputs.least[i], size),
                          number(outputs.most[i], size), model.outputs[i].unit});
  }
  return table;
}

void RunReport::print_outputs() const {
  if (outputs.last.empty()) return;
  fmt::print("\n");
  const std::vector<bool> unique = unique_outputs(model, run.record().unique());
  const ShownTable shown = output_table(model, outputs, unique);
  Table table(shown.heading);
  for (const std::vector<std::string>& row : shown.rows) table.row(row);
  table.print();
  if (std::find(unique.begin(), unique.end(), false) != unique.end())
    fmt::print("  {}\n", faint(std::string(shared_load_note)));
}

void RunReport::print_energy() const {
  const HealthSummary& health = run.health();
  fmt::print("\n");
  Table table({"energy [J]", "start", "end", "change"});
  const double size = std::min(health.energy_size, model.scale.energy());
  const auto line = [&](const char* name, double start, double end) {
    table.row({name, number(start, size), number(end, size), number(end - start, size)});
  };
  const Energy &start = health.energy_start, &end = health.energy_end;
  line("kinetic", start.kinetic, end.kinetic);
  line("gravity", start.gravity, end.gravity);
  if (start.spring != 0.0 || end.spring != 0.0) line("springs", start.spring, end.spring);
  const auto work = [&](const char* name, double done) {
    if (done != 0.0) table.row({name, "", "", number(done, size)});
  };
  work("work of dampers", health.work.dampers);
  work("work of drives", health.work.drives);
  work("work of forces", health.work.forces);
  table.row({"balance error, largest", "", "", fmt::format("{:.2e}", std::abs(health.balance.value))});
  table.print();
  if (health.energy_moved())
    fmt::print("  that is {:.2e} of the energy that moved\n", health.relative_balance());
  else
    fmt::print("  no energy moved\n");
}

void RunReport::print_residuals() const {
  const HealthSummary& health = run.health();
  fmt::print("\n");
  Table residuals({"largest residual", "before projection", "after"});
  residuals.row(
      {"position", fmt::format("{:.2e}", health.before.position), fmt::format("{:.2e}", health.after.position)});
  residuals.row(
      {"velocity", fmt::format("{:.2e}", health.before.velocity), fmt::format("{:.2e}", health.after.velocity)});
  residuals.row({"acceleration", fmt::format("{:.2e}", health.acceleration), ""});
  residuals.print();
  Table rest({"", "largest"});
  rest.row({"power of constraint forces [W]", fmt::format("{:.2e}", health.power)});
  rest.row({"quaternion from unit length", fmt::format("{:.2e}", health.quaternion_error)});
  rest.row({"independent rows", fmt::format("{}", health.most_rank)});
  fmt::print("\n");
  rest.print();
  if (health.full_samples < health.samples)
    fmt::print("  {}\n",
               faint(fmt::format("acceleration and power: rows of tree joints in {} of {} samples, all others "
                                 "in every one",
                                 health.full_samples, health.samples)));
}

void RunReport::print_warnings() const {
  for (std::size_t i = 0; i < run.record().contacts().size(); ++i) {
    const int constraint = run.record().contacts()[i].constraint;
    if (run.health().shared_loads[i])
      fmt::print("{}\n", bold(fmt::format("the normal force of \"{}\" is not unique: redundant rows share the load",
                                          model.constraints[static_cast<std::size_t>(constraint)].name)));
  }
  for (const std::string& stop : stops_not_unique(model, run.record().unique()))
    fmt::print("{}\n", bold(fmt::format("stop \"{}\" looks at a load that is not unique: it may hold or not", stop)));
  for (const std::string& stop : run.waiting())
    fmt::print("{}\n", faint(fmt::format("stop \"{}\" held at the start already and waited until it did not", stop)));
}

void RunReport::print_judgement() const {
  const Judgement judgement = run.judgement();
  fmt::print("\n{}\n", bold(std::string(trust_name(judgement.trust))));
  for (const TrustReason& reason : judgement.reasons)
    fmt::print("  {}{}\n", reason.trust == judgement.trust ? "" : fmt::format("{}: ", trust_name(reason.trust)),
               printable(reason.text));
}

void RunReport::print() const {
  const HealthSummary& health = run.health();
  const char* steps = health.steps == 1 ? "step" : "steps";
  const std::string length = simulation.is_adaptive()
                                 ? fmt::format("{} {} ({} rejected) at tolerance {:g}", health.steps, steps,
                                               health.rejected, simulation.setup().tolerance)
                                 : fmt::format("{} {} of {} s", health.steps, steps, number(simulation.setup().step));
  fmt::print("{}: {} by {} and {}, {} at t = {} s\n", bold(model.name), length, method_text(simulation.setup()),
             simulation.setup().integrator.word(), status_name(run.status()), number(simulation.state().t));
  if (const std::string path = path_text(simulation.setup()); !path.empty()) fmt::print("  {}\n", faint(path));
  if (simulation.setup().has_baumgarte()) fmt::print("  {}\n", stabilisation_text(simulation.setup()));
  if (health.general_steps > 0)
    fmt::print("  {}\n",
               faint(fmt::format("{} of the steps by the general equations, to which the recursion leaves what "
                                 "is out of the ordinary, such as small pivots",
                                 health.general_steps)));
  if (run.status() == RunStatus::stopped) fmt::print("  stopped by {}\n", bold(run.reason()));
  if (simulation.start().moved > tolerances::moved * model.scale.length)
    fmt::print("  {}\n",
               faint(fmt::format(
                   "the start was moved by up to {} m (body \"{}\"; radians times the size of the machine) to meet "
                   "the constraints",
                   number(simulation.start().moved), simulation.start().most_moved)));
  if (simulation.start().speed_moved > tolerances::moved * model.scale.speed())
    fmt::print("  {}\n", faint(fmt::format("start speeds were adjusted by up to {} m/s to meet the constraints",
                                           number(simulation.start().speed_moved))));
  print_outputs();
  print_energy();
  print_residuals();
  if (simulation.setup().by_impulses()) print_impulses();
  print_warnings();
  if (run.health().horizon) fmt::print("\n{}\n", run.health().horizon->sentence());
  print_judgement();
  if (!file.empty()) fmt::print("\nwritten to {}\n", printable(file));
  if (!page.empty()) fmt::print("\nreport: {}\n", printable(page));
}

}  // namespace tandem::cli
