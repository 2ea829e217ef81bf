#include "support/measured.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <regex>

#include "tandem/compare/compare.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/run/run.hpp"

namespace tandem::test {

namespace {

void measure_counts(const Model& model, const Units& units, Measured& out) {
  const Counts counts = count(model);
  out.words.push_back(fmt::format(
      "holonomic {}, redundant {}, of these nonholonomic {}, dof {}, mobility {}, singular {}", counts.holonomic,
      counts.redundant, counts.redundant_nonholonomic, counts.dof, counts.mobility, counts.singular));
  for (const std::string& note : counts.notes) out.say(note);
  for (const RedundantRow& row : counts.redundant_rows) out.words.push_back("redundant: " + row.row);
  for (const SharedLoad& load : counts.shared_loads) out.words.push_back("shared: " + load.name + " " + load.parts);
  for (const RowResidual& row : counts.residuals) {
    out.put("position residuals of the start", row.metres * row.position, units.length);
    out.put("velocity residuals of the start", row.metres * row.velocity, units.speed());
  }
}

void measure_energy(const std::string& when, const Energy& energy, const Units& units, Measured& out) {
  for (const double part : {energy.kinetic, energy.gravity, energy.spring})
    out.put("energy " + when, part, units.energy());
}

void measure_bodies(const std::string& when, const Model& model, Simulation& simulation, const Units& units,
                    Measured& out) {
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const BodyMotion<double>& motion = simulation.workspace().kinematics.body(static_cast<int>(i));
    out.put("positions " + when, motion.X_WC.p, units.length);
    out.put("orientations " + when, Eigen::VectorXd(motion.X_WC.R.reshaped()), 1.0);
    out.put("velocities " + when, motion.v, units.speed());
    out.put("angular velocities " + when, motion.w_B, 1.0 / units.time);
  }
}

void measure_solution(const std::string& when, const Model& model, Simulation& simulation, const Units& units,
                      Measured& out) {
  const Eigen::VectorXd& y = simulation.solution().y;
  for (const Body& body : model.bodies) {
    out.put("accelerations " + when, y.segment<3>(body.v_first + body.nv() - 3), units.acceleration());
    if (!body.point_mass) out.put("angular accelerations " + when, y.segment<3>(body.v_first), units.of(0, 0, -2));
  }
  const Uniqueness unique = uniqueness(model, simulation.workspace());
  const auto put = [&](const Reaction& reaction) {
    out.put("forces " + when, reaction.force, units.force());
    out.put("torques " + when, reaction.torque, units.energy());
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    if (unique.joints[i].all())
      put(joint_reaction(model, simulation.workspace(), simulation.solution(), static_cast<int>(i)));
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    if (unique.constraints[i].all())
      put(constraint_reaction(model, simulation.workspace(), simulation.solution(), static_cast<int>(i)));
  out.words.push_back(fmt::format("rank {}", simulation.solution().rank));
}

void measure_run(const Model& model, Simulation& simulation, const Units& units, int steps, Measured& out) {
  Run run(model, simulation, {.duration = std::min(steps * model.setup.step, model.setup.duration)});
  while (run.advance()) {
  }
  out.say(fmt::format("{} {}", status_name(run.status()), run.reason()));
  const Judgement judgement = run.judgement();
  out.say(fmt::format("{}\n{}", trust_name(judgement.trust), judgement.lines()));
  const HealthSummary& health = run.health();
  out.words.push_back(fmt::format("{} steps, {} rejected", health.steps, health.rejected));
  out.put("time", simulation.state().t, units.time);
  out.put("residual of positions before projection", health.before.position, units.length);
  out.put("residual of velocities before projection", health.before.velocity, units.speed());
  out.put("residual of positions", health.after.position, units.length);
  out.put("residual of velocities", health.after.velocity, units.speed());
  out.put("residual of accelerations", health.acceleration, units.acceleration());
  out.put("balance", health.balance.value, units.energy());
  out.put("work", Eigen::Vector3d(health.work.dampers, health.work.drives, health.work.forces), units.energy());
  measure_bodies("at the end", model, simulation, units, out);
  measure_energy("at the end", simulation.energy(), units, out);
  if (run.status() != RunStatus::failed) measure_solution("at the end", model, simulation, units, out);
}

// What round-off is compared with: the machine's own.
void set_sizes(const Model& model, const Units& units, Measured& out) {
  const Scale& scale = model.scale;
  const double length = scale.length / units.length, time = scale.time / units.time;
  const double speed = length / time, energy = scale.energy() / units.energy();
  for (const auto& [kind, values] : out.numbers) {
    const auto starts = [&kind = kind](const char* with) { return kind.rfind(with, 0) == 0; };
    double size = 1.0;
    if (starts("position") || starts("residual of positions")) size = length;
    if (starts("velocit") || starts("residual of velocities")) size = speed;
    if (starts("angular velocities")) size = 1.0 / time;
    if (starts("accelerations") || starts("residual of accelerations")) size = speed / time;
    if (starts("angular accelerations")) size = 1.0 / (time * time);
    if (starts("forces")) size = energy / length;
    if (starts("torques") || starts("energy") || starts("work") || starts("balance")) size = energy;
    if (starts("time")) size = time;
    // What is before projection is small, and still has digits: the round-off of what it is a difference of.
    if (kind.find("before projection") != std::string::npos) size *= 1e-2;
    // A residual of accelerations is a difference of these, however large they are beside the machine's.
    if (starts("residual of accelerations"))
      for (const auto& [other, accelerations] : out.numbers)
        if (other.rfind("accelerations", 0) == 0)
          for (const double value : accelerations) size = std::max(size, std::abs(value));
    out.sizes[kind] = size;
  }
}

double worst_of(const Measured& original, const Measured& other, const std::string& kind) {
  const std::vector<double>&a = original.numbers.at(kind), &b = other.numbers.at(kind);
  double size = original.sizes.at(kind) * 1e-3, off = 0.0;
  for (const double value : a) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double apart = std::abs(a[i] - b[i]); !(apart <= off)) off = apart;
  return off / size;
}

bool have_the_same_numbers(const Measured& a, const Measured& b) {
  return std::equal(
      a.numbers.begin(), a.numbers.end(), b.numbers.begin(), b.numbers.end(),
      [](const auto& x, const auto& y) { return x.first == y.first && x.second.size() == y.second.size(); });
}

}  // namespace

void Measured::say(const std::string& text) {
  static const std::regex a_number("[-+]?[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?");
  words.push_back(std::regex_replace(text, a_number, "#"));
}

Measured measure(const Model& model, const Units& units, int steps) {
  Measured out;
  try {
    measure_counts(model, units, out);
    Simulation simulation(model);
    out.put("position of the start, how far moved", simulation.start().moved, units.length);
    measure_bodies("at the start", model, simulation, units, out);
    measure_energy("at the start", simulation.energy(), units, out);
    measure_solution("at the start", model, simulation, units, out);
    if (steps > 0) measure_run(model, simulation, units, steps, out);
  } catch (const ModelError& error) {
    out.say(error.what());
  } catch (const NumericalError& error) {
    out.say(error.what());
  }
  set_sizes(model, units, out);
  return out;
}

Measured measure_linear(const Model& model, const Units& units) {
  Measured out;
  try {
    std::optional<Steady> steady;
    try {
      steady = find_steady(model);
      out.words.emplace_back(steady->rests() ? "an equilibrium" : "a steady motion");
    } catch (const NumericalError& error) {
      out.say(error.what());
    }
    const Linearization found = steady ? linearize(model, *steady) : linearize_start(model);
    for (const LinearState& state : found.states) out.words.push_back("state " + state.name);
    for (const LinearState& input : found.inputs) out.words.push_back("input " + input.name);
    for (const LinearState& output : found.outputs) out.words.push_back("output " + output.name);
    for (const std::string& zero : found.zeros) out.words.push_back("zero " + zero);
    for (const std::string& note : found.notes) out.say(note);
    out.words.push_back(fmt::format("second order {}", found.second_order.has_value()));
    const auto size_of_unit = [&](const std::string& unit) { return units.of_unit(unit); };
    for (Eigen::Index i = 0; i < found.A.rows(); ++i) {
      const double own = found.sizes[i] / found.time;
      for (Eigen::Index j = 0; j < found.A.cols(); ++j) out.put("A", found.A(i, j) * found.sizes[j], own);
      for (Eigen::Index j = 0; j < found.B.cols(); ++j)
        out.put("B", found.B(i, j) * size_of_unit(found.inputs[static_cast<std::size_t>(j)].unit),
                size_of_unit(found.states[static_cast<std::size_t>(i)].unit) / units.time);
    }
    for (const LinearMode& mode : found.modes) {
      out.words.emplace_back(found.neutral(mode.eigenvalue) ? "neutral" : "mode");
      out.put("eigenvalues", mode.eigenvalue.real(), 1.0 / units.time);
      out.put("eigenvalues", mode.eigenvalue.imag(), 1.0 / units.time);
    }
  } catch (const ModelError& error) {
    out.say(error.what());
  } catch (const NumericalError& error) {
    out.say(error.what());
  }
  for (const auto& [kind, values] : out.numbers) out.sizes[kind] = 1.0;
  return out;
}

Measured measure_compare(const Model& model, const Units& units, int steps) {
  const Comparison found = compare(model, {.duration = steps * model.setup.step});
  Measured out;
  out.say(fmt::format("{}: {} {}", found.agree ? "agree" : "differ", found.verdict, found.cause));
  for (const MethodResult& method : found.methods)
    out.say(fmt::format("{} {}: {} {} {}", method.name, method.cut, method.agrees ? "agrees" : "parts", method.failed,
                        fmt::join(method.refused, "; ")));
  for (const Check& check : found.checks)
    out.say(
        fmt::format("{}: {}, {}", check.name, check.asked ? "asked" : "not asked", check.passed ? "passed" : "failed"));
  out.put("time", found.duration, units.time);
  out.put("step", found.step, units.time);
  for (const auto& [kind, values] : out.numbers) out.sizes[kind] = model.scale.time / units.time;
  return out;
}

std::string difference(const Measured& original, const Measured& other, double tolerance) {
  std::string text;
  for (std::size_t i = 0; i < std::max(original.words.size(), other.words.size()); ++i) {
    const std::string mine = i < original.words.size() ? original.words[i] : "(nothing)";
    const std::string its = i < other.words.size() ? other.words[i] : "(nothing)";
    if (mine != its) text += fmt::format("  \"{}\" became \"{}\"\n", mine, its);
  }
  if (!have_the_same_numbers(original, other)) return text + "  other numbers are told\n";
  for (const auto& [kind, values] : original.numbers)
    if (const double off = worst_of(original, other, kind); !(off <= tolerance))
      text += fmt::format("  {}: differ by {:.2e} of the largest\n", kind, off);
  return text;
}

double largest_difference(const Measured& original, const Measured& other) {
  double most = 0.0;
  if (!have_the_same_numbers(original, other)) return std::numeric_limits<double>::infinity();
  for (const auto& [kind, values] : original.numbers)
    if (const double off = worst_of(original, other, kind); !(off <= most)) most = off;
  return most;
}

}  // namespace tandem::test
