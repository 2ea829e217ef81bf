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

// ---- tables and curves ----

// Beyond two neighbouring points, in parts of the range of all: more than this is a swing that the points do not ask
// for. Splines through measured points go astray by less.
inline constexpr double spline_swing = 1e-2;
// The same where the points turn: a sine sampled six times a period has its peak 7 % of its range above them.
inline constexpr double spline_turn = 0.25;
// How far beyond the end of an open curve a point may be, in parts of its length: the round-off of a start at its end.
inline constexpr double curve_end = 1e-9;

}  // namespace tandem::tolerances
