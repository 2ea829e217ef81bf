// The header of a report, part by part. docs/report.md has the format.
#pragma once

#include <nlohmann/json.hpp>

#include "tandem/io/report/report.hpp"

namespace tandem {

nlohmann::ordered_json report_model_json(const Model& model);
// Where the numbers of bodies, joints and constraints stand among the columns of a table.
nlohmann::ordered_json report_places_json(const Model& model, const std::vector<ResultColumn>& columns);
nlohmann::ordered_json report_modes_json(const Sweep& sweep, const std::string& unit);
// A row a point: the pose of every body, then for every mode of the sweep the real and the imaginary part of its shape.
ReportTable report_modes_table(const Model& model, const Sweep& sweep);

}  // namespace tandem
