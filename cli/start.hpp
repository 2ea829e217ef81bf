// Where a command begins: --hold and --assemble, which mean the same wherever they are.
#pragma once

#include "commands.hpp"
#include "tandem/assemble/assemble.hpp"
#include "tandem/steady/steady.hpp"

namespace tandem::cli {

struct StartArguments {
  std::vector<std::string> hold;
  bool assemble = false;

  void add_to(CLI::App& app);
  // What is held, in the start: beside what [[start]] tables hold, and in place of theirs where they name the same.
  // Throws UsageError for unknown names and for outputs that are no coordinates.
  void hold_in_start(Model& model) const;
  // In the steady motion, in place of what [steady] holds.
  void hold_in_steady(Model& model) const;
  // With --assemble, the bodies are put onto the constraints. For commands that look for something near the start.
  void place(Model& model) const;
};

// One NAME or NAME=VALUE of `option` into Model::starts. `rate`: of a coordinate that is named without .rate.
void hold_coordinate(Model& model, const std::string& option, const std::string& text, bool rate = false);

// A start that is far off is refused, with what --assemble would do about it.
Failure far_start(const Model& model, const FarStart& error);
template <class Act> auto from_start(const Model& model, const Act& act) {
  try {
    return act();
  } catch (const FarStart& error) {
    throw far_start(model, error);
  }
}

nlohmann::ordered_json steady_json(const Model& model, const Steady& steady);

}  // namespace tandem::cli
