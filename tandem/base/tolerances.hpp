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

// ---- error control ----

// The error of a step in what error control compares, relative: 100 ε. The sums of a step round some tens of times, so
// below this the estimate is round-off and no longer falls with the step.
inline constexpr double step_round_off = 100.0 * 2.220446049250313e-16;

// ---- functions of time ----

// A run is looked at in so many parts for what its functions of time do. A million evaluations of an expression take a
// tenth of a second; what is shorter than 1e-5 of a run and has no kink is left to max_step.
inline constexpr long time_samples = 100000;
// Of the range of a function (of its largest rate): a change by more than this between neighbouring moments is a jump.
// A kink changes by a few ulps there; a ramp so steep that it counts as a jump is as well off as one.
inline constexpr double time_jump = 1e-9;
// Of the largest value: what comes so near to zero touches it. At a double root, values are exact to round-off.
inline constexpr double touches_zero = 1e-10;
// Of the scanned time: moments less apart than this are the same one.
inline constexpr double same_moment = 1e-12;
// Of the range of a function: how well a quartic must follow it to count as a part of a mesh, so that rk4 takes an
// impulse to 1e-4 of itself in steps of such parts.
inline constexpr double peak_fit = 1e-4;
// Of the longest part of the mesh: parts shorter than this are a peak. A wave alone has parts within a factor of four.
inline constexpr double peak_part = 1.0 / 16.0;
// In parts of a peak: the longest step of an integrator with error control. It has to see the peak, no more.
inline constexpr double adaptive_peak_step = 4.0;
// Evaluations after which the search for peaks is given up: ten times those of a function that needs no refinement.
inline constexpr long peak_evaluations = 1000000;
// Of the range of a function of time: what changes by more than this in a step of compare's reference is looked at again
// with a hundredth of it. Ten steps from one end of its range to the other are enough for any of the integrators.
inline constexpr double change_in_a_step = 0.1;
// Of the machine's length, and of a radian: a drive or a length of time that changes by more than this at once jumps.
inline constexpr double position_jump = 1e-9;
// Of a fixed step: a kink nearer to its end than this is at its end. What is lost goes with the square of it.
inline constexpr double kink_at_end = 1e-9;

}  // namespace tandem::tolerances
