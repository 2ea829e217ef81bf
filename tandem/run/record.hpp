// What a run writes down at a moment: outputs, bodies, joints and the health record, as columns with units.
#pragma once

#include "tandem/io/results/results.hpp"
#include "tandem/run/health.hpp"

namespace tandem {

std::vector<ResultColumn> record_columns(const Model& model);
std::string normal_force_name(const Model& model, const Contact& contact);  // of its column
// The columns of loads that are not unique: outputs, and normal forces of contacts.
std::vector<std::string> columns_not_unique(const Model& model, const Uniqueness& unique);
// The values at the state of `simulation`, in the order of the columns. Throws NumericalError, with the name of the
// column, when one is not finite.
void record_values(const Model& model, Simulation& simulation, const HealthRow& health, std::vector<double>& out);

}  // namespace tandem
