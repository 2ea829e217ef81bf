// The page of a comparison: one motion in full, the others as ghosts beside it.
#pragma once

#include "tandem/compare/compare.hpp"
#include "tandem/io/report/report.hpp"

namespace tandem::cli {

// Follows the model once more by each method, at its own step. `duration` 0: the model's.
void write_compare_report(const Model& model, const Comparison& result, double duration, const std::string& file,
                          bool force);

}  // namespace tandem::cli
