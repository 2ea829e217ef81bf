#include "support/injected_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tandem/assemble/assemble.hpp"
#include "tandem/observe/outputs.hpp"
#include "tandem/run/record.hpp"
#include "tandem/run/run.hpp"

namespace tandem {

namespace fs = std::filesystem;

namespace {

// More than any carrier takes; a number that was put in may ask for any number of them.
constexpr int most_advances = 20;
constexpr unsigned longest_seconds = 60;  // on a busy machine, with sanitizers

std::string current;

void tell_and_end(int) {
  const std::string told = fmt::format("no end within {} s: {}\n", longest_seconds, current);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, told.data(), told.size());
  _exit(1);
}

struct Watch {
  explicit Watch(const std::string& name) {
    current = name;
    std::signal(SIGALRM, tell_and_end);
    alarm(longest_seconds);
  }
  ~Watch() { alarm(0); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
};

// What tandem assemble and tandem evaluate tell of the start: finite numbers, or an end by name.
std::string trouble_at_the_start(const Model& model, Simulation& simulation) {
  std::vector<double> told;
  const auto add = [&](const auto& vector) {
    for (Eigen::Index i = 0; i < vector.size(); ++i) told.push_back(vector[i]);
  };
  const auto all_are_finite = [&] {
    return std::all_of(told.begin(), told.end(), [](double value) { return std::isfinite(value); });
  };
  try {
    const Assembly assembly = try_to_assemble(model, start_state(model));
    told = {assembly.given.position, assembly.given.velocity, assembly.after.position, assembly.after.velocity};
    for (const BodyMove& move : assembly.moves)
      told.insert(told.end(), {move.distance, move.turn, move.speed, move.angular_speed});
    if (assembly.unmet.empty()) add(assembly.bodies.q()), add(assembly.bodies.v());
    if (assembly.unmet.empty() && !all_are_finite()) return "the assembly is not finite";
  } catch (const ModelError&) {
  } catch (const NumericalError&) {
  }
  try {
    require_finite(model, simulation);
    const Energy energy = simulation.energy();
    told = {energy.kinetic, energy.gravity, energy.spring, energy.total()};
    add(simulation.solution().y);
    add(simulation.solution().lambda);
    for (const ModelJoint& joint : model.joints) {
      const Reaction reaction = simulation.reaction(joint.name);
      add(reaction.force), add(reaction.torque);
    }
    for (const ModelOutput& output : model.outputs) told.push_back(output_value(model, output, simulation));
    if (!all_are_finite()) return "the evaluation is not finite";
  } catch (const NumericalError& error) {
    if (std::string_view(error.what()).empty()) return "an evaluation that fails without a reason";
  }
  return "";
}

InjectedEnd follow_in_time(const Model& model) {
  Simulation simulation(model);
  InjectedEnd out;
  out.trouble = trouble_at_the_start(model, simulation);
  RunOptions options;
  options.on_row = [&](Simulation& at, const HealthRow& health) {
    std::vector<double> row;
    record_values(model, at, health, row);
    if (!std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); }))
      out.trouble = fmt::format("the row at t = {} is not finite", row[0]);
  };
  Run run(model, simulation, options);
  for (int i = 0; i < most_advances && run.advance();) ++i;
  out.outcome = status_name(run.status());
  out.told = run.reason();
  if (run.status() == RunStatus::failed && !out.told.starts_with("at t = ")) out.trouble = "failed without a time";
  return out;
}

// A fault of a file has its place, one of C++ the name of the object; some are of the model as a whole.
InjectedEnd refusal(const char* outcome, const ModelError& error) {
  InjectedEnd out{outcome, error.what(), ""};
  const auto& list = error.faults().list();
  const bool any = std::any_of(list.begin(), list.end(), [](const Fault& fault) { return !fault.warning; });
  if (!any) out.trouble = "refused without a reason";
  for (const char* word : {"off by nan", "off by -nan"})
    if (out.told.find(word) != std::string::npos) out.trouble = "a reason that says nothing";
  return out;
}

}  // namespace

InjectedEnd follow(const std::string& name, const std::function<Model()>& make) {
  const Watch watch(name);
  std::optional<Model> model;
  try {
    model.emplace(make());
  } catch (const ModelError& error) {
    return refusal("refused", error);
  }
  try {
    return follow_in_time(*model);
  } catch (const ModelError& error) {
    return refusal("refused at the start", error);
  } catch (const NumericalError& error) {
    return {"failed at the start", error.what(), ""};
  }
}

std::vector<fs::path> carriers() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(TANDEM_SOURCE_DIR "/tests/injection/carriers"))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace tandem
