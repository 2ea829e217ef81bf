// Reactions of joints and constraints, for people and for machines; what redundant rows share is marked.
#pragma once

#include <nlohmann/json.hpp>

#include "table.hpp"
#include "tandem/observe/uniqueness.hpp"

namespace tandem::cli {

inline constexpr std::string_view shared_load_note =
    "* redundant rows share the load: only the sum is determined, this is one way to share it";

// A star where the load is not unique. `any`: some in the table have one, so the others leave its place.
std::string starred(const std::string& value, bool unique, bool any);

// A row for every joint and constraint, its name, force and torque.
void add_reactions(const Model& model, const Workspace& workspace, const Solution& solution, const Uniqueness& unique,
                   Table& table);

// force, torque, and which of their components are unique
nlohmann::ordered_json reaction_json(const Reaction& reaction, const UniqueReaction& unique);

}  // namespace tandem::cli
