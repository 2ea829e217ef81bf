// What the commands that look for steady motions share.
#pragma once

#include "commands.hpp"
#include "tandem/steady/steady.hpp"

namespace tandem::cli {

// --hold NAME[=VALUE] takes the place of what the model holds.
struct HoldArguments {
  std::vector<std::string> hold;

  void add_to(CLI::App& app);
  void apply(Model& model) const;  // throws UsageError for unknown names
};

nlohmann::ordered_json steady_json(const Model& model, const Steady& steady);

}  // namespace tandem::cli
