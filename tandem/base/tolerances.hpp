// Every threshold that decides something, with the reason for its size. Lengths are in parts of the machine's length,
// masses and times likewise (model/scale.hpp), angles in radians: a machine of micrometres and one of kilometres meet
// the same verdicts.
#pragma once

namespace tandem::tolerances {

// ---- rank ----

// A row of J, lengths in parts of its island's size and scaled to unit length, follows from others when less than this
// is left of it. Numbers typed into a file agree to some ten digits, and round-off (1e-16) of what is left becomes 1e-7
// of the answer: below this neither the geometry nor the result is known. Solving, naming and counting all use it.
inline constexpr double rank = 1e-9;
// Within this factor above the tolerance a row counts as independent, and is named as nearly dependent.
inline constexpr double nearly_dependent = 100.0;

}  // namespace tandem::tolerances
