// The page of a comparison: one motion in full, the others as ghosts beside it. The program prints the same texts.
#pragma once

#include "tandem/compare/compare.hpp"
#include "tandem/io/report/report.hpp"

namespace tandem::cli {

inline constexpr const char* differences_note =
    "pose and velocity: largest difference from lagrange on the same cut; residual: before projection";
// What agreement of the methods cannot prove: docs/compare.md.
inline constexpr const char* shared_note =
    "shared by all: the model's numbers, constraint kernels, force laws and drives; the cut all takes nothing from the "
    "tree";

const char* verdict_word(const Comparison& result);  // agree, differ
const char* check_word(const Check& check);          // ok, FAIL, - where there is nothing to check
ShownTable method_table(const Comparison& result);
// What halving the step showed, and why methods refused.
std::vector<std::string> method_notes(const Comparison& result);

// Shows what was compared, up to where it was. `duration` 0: the model's.
void write_compare_report(const Model& model, const Comparison& result, double duration, const std::string& file,
                          bool force);

}  // namespace tandem::cli
