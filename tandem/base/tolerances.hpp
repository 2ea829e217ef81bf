// Thresholds that decide something, with the reason for their size. Lengths are in parts of the machine's length,
// masses and times likewise (model/scale.hpp), angles in radians. Others still stand, in metres, where they are used.
#pragma once

namespace tandem::tolerances {

// ---- rank ----

// A row of J, lengths in parts of its island's size and scaled to unit length, follows from others when less than this
// is left of it. Numbers typed into a file agree to some ten digits, and round-off (1e-16) of what is left becomes 1e-7
// of the answer: below this neither the geometry nor the result is known. Solving, naming and counting all use it.
inline constexpr double rank = 1e-9;
// A row whose pivot in J Jᵀ, scaled to a unit diagonal, is above this lies more than 1e-3 from those before it: far
// enough to be sure of it, and for the others to be measured against it to round-off.
inline constexpr double sure_pivot = 1e-6;
// What round-off leaves of rows that repeat others; a hundredth of the rank's tolerance.
inline constexpr double repeated_row = 1e-11;
// A motion that moves rows by less than this part of itself is not held by them. Less than the rank's tolerance: a
// lever that is short but there passes inertia on.
inline constexpr double least_lever = 1e-10;
// Within this factor above the tolerance a row counts as independent, and is named as nearly dependent.
inline constexpr double nearly_dependent = 100.0;

// ---- solving ----

// What is left of an equation, against its terms: no more can be had.
inline constexpr double round_off = 4.0 * 2.2e-16;
// The same, good enough: a hundred roundings. What stays above it goes by QR.
inline constexpr double refined = 100.0 * 2.2e-16;
// The same of a row after a recursion over the tree, which is not refined.
inline constexpr double recursion_met = 3e-13;
// The same for machines too large for anything dense, and how large these are (unknowns).
inline constexpr double refined_large = 1e-11;
inline constexpr int most_dense = 3000;
// Singular values beyond the rank, against the least that counts: then cutting there changes nothing that counts.
inline constexpr double clear_rank = 1e-3;
// A row that was left out, because it follows from the others, is met to this part of its terms. Where it is not, it
// no longer follows, or contradicts them.
inline constexpr double dropped_row_met = 1e-6;

// The same of positions and speeds after a projection, in parts of the machine's length and speed.
inline constexpr double left_out_met = 1e-11;

// ---- compare ----

// A row's J and b against dual numbers, in parts of the size of their terms: both are the same sums in other orders, so
// only round-off (1e-16) of some hundred terms lies between them, with room for cancellation.
inline constexpr double row_derivatives = 1e-9;
// How far what rolls may be off its plane, slip or have other rows than its geometry, in parts of length and speed:
// projection leaves 1e-13, with room for long machines with small wheels; what is wrong is so by a part of a radius.
inline constexpr double contact = 1e-9;
// A pose is nearly singular when the smallest pivot of J Jᵀ falls below this part of its largest value in the run.
// Pivots go with the square of the distance δ from a singular pose, and the 1e-13 that projection leaves of positions
// become 1e-13/δ² of velocities there: beyond 1e-10, a tenth of what compare asks for, in these poses.
inline constexpr double nearly_singular = 1e-3;
// A motion is called sensitive when a small disturbance grows this many times: below it the tolerance, not the motion,
// is what rounding errors pass.
inline constexpr double chaotic_growth = 100.0;
// A difference falls with the order p of the integrator when halving the step divides it by 2^(p − this) on average:
// the last halving before round-off seldom gives all of it.
inline constexpr double order_of_fall = 1.0;

}  // namespace tandem::tolerances
