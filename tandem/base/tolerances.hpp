// Thresholds that decide something, with the reason for their size: in parts of the machine's length, mass and time
// (model/scale.hpp), angles in radians. What only ends an iteration stands where it is used, in parts of what it finds.
#pragma once

#include <cstddef>

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

// ---- joints ----

// What a joint declares of itself and what its kernel says agree: round-off of numbers near one, times a thousand. Two
// functions that are not the same differ by far more at some state.
inline constexpr double declared = 1e-12;

// ---- positions and speeds: of rows, in parts of their size (model/scale.hpp); of speeds, per the machine's time ----

// A given start further off its constraints is refused. Points computed by hand have six digits; a gap that can be seen
// in a drawing is a mistake.
inline constexpr double start = 1e-6;
// Where projection is on, a step that leaves a row by more than this is too long: nothing that a projection moves so
// far was followed, and Newton's method may end at any pose.
inline constexpr double step = 1e-2;
// A row that stays further off after projection or assembly is not met. Far above round-off, far below any effect.
inline constexpr double met = 1e-8;
// But not better than what rounding leaves of a position, in parts of its distance from the origin: some last digits.
inline constexpr double round_off_of_places = 1e-15;
// The projection is done: the round-off of a position in the middle of the machine, times a thousand.
inline constexpr double projected = 1e-13;
// Newton that no longer gains has reached round-off when it is below this: a machine far from the origin has more.
inline constexpr double stalled = 1e-9;
// Near a singular position, a row met to this is left alone.
inline constexpr double met_where_weak = 1e-11;
// Assembly: from here on Newton alone closes the rows; the search for the nearest pose ends with a step along them of
// this, or ten times the round-off.
inline constexpr double near_rows = 1e-8, at_nearest = 1e-12;
// A rope that is this near its length is taut.
inline constexpr double taut = 1e-9;
// What a move of the start must exceed to be mentioned: less is the round-off of the numbers in the file.
inline constexpr double moved = 1e-9;
// Points, lengths and directions closer than this coincide: numbers in a file agree to some ten digits.
inline constexpr double coincide = 1e-9;

// ---- symmetries, steady motions and what is linear about them ----

// What notices a motion by less than this does not notice it: derivatives by duals are exact but for round-off.
inline constexpr double symmetry = 1e-8;
// Forces of a steady motion balance to this part of the largest, and what is held is met to it.
inline constexpr double steady = 1e-9;
// An eigenvalue below this part of the largest entry is zero: a double zero is known to the root of round-off only.
inline constexpr double neutral = 1e-7;

// ---- time ----

// A step cannot be shorter than this part of the machine's time or of the time that has passed: t + h would be t.
inline constexpr double shortest_step = 1e-14;

// Two moments of a run are one when they differ by less than this part of it.
inline constexpr double same_time = 1e-12;
// Of what a stop's condition is off by at the ends of a step: where dense output has it true by more than this and the
// constraints do not, the step is too long to tell.
inline constexpr double stop_seen = 1e-6;

// ---- what is printed ----

// Below this part of what a number is compared with it is the round-off of others, and is printed as 0.
inline constexpr double printed = 1e-12;

// ---- solving ----

// What is left of an equation, against its terms: no more can be had.
inline constexpr double round_off = 4.0 * 2.2e-16;
// The same, good enough: a hundred roundings. What stays above it goes by QR.
inline constexpr double refined = 100.0 * 2.2e-16;
// The same of a row after a recursion over the tree, which is refined on its rows alone.
inline constexpr double recursion_met = 3e-13;
// The same for machines too large for anything dense, and how large these are (unknowns).
inline constexpr double refined_large = 1e-11;
inline constexpr int most_dense = 3000;
// Of an acceleration: what a row that is off by rounding may change it by before it is refined. A hundredth of what
// methods are compared by.
inline constexpr double solved = 1e-12;
// A row to the world is eliminated on the way inward where what lies below gives way by this part of what the link
// would: more would enlarge a diagonal of the link's inertia a thousand times and cost three of its digits. And how
// little of it may be left later in a run: 1e-11 of an acceleration is what projection and comparisons go by.
inline constexpr double soft_link = 1e-3, soft_link_kept = 1e-5;
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

// ---- whether a run is to be trusted (docs/health.md argues them) ----

// The balance error in parts of the energy that moved. Beyond the first a figure that is read off a plot is wrong;
// below the second five digits are left, which is what most numbers in a model have.
inline constexpr double balance_distrust = 1e-2;
inline constexpr double balance_look = 1e-5;
// A position residual before projection, in parts of the machine's size or in radians. A step that leaves the
// constraints by the first moves the machine visibly when it is brought back; the second is a tenth of the thickness
// of a hair on a machine of ten metres, and far above what a step of order four leaves where it fits.
inline constexpr double residual_distrust = 1e-3;
inline constexpr double residual_look = 1e-6;
// Where nothing brings a run back (no projection), a body that turns further than this in a step (radians) is not
// followed by it; with projection such a step is refused.
inline constexpr double largest_turn = 1.5;
// |J y − b| in parts of its terms: a solve that lost more than ten of sixteen digits.
inline constexpr double acceleration_look = 1e-6;
// Masses of bodies that are joined, one over the other: further apart than this the force that moves the light one is
// below the rounding of the heavy one's, squared, and a method may lose its motion without a sign.
inline constexpr double masses_apart_look = 1e20;
// The part of a row that the sweeps of impulses left: forces are off by about as much.
inline constexpr double unsolved_look = 1e-3;
// An energy balance within this part of the largest energy is round-off, and so is the energy that moved below it.
inline constexpr double energy_round_off = 1e-12;

// ---- singular poses and branches ----

// A pose is singular when less than this is left of a row that others almost make up (lengths in parts of the size):
// no machine is made more exactly, and within that distance both branches are one.
inline constexpr double singular_pose = 1e-4;
// Only poses nearer to a singular one than so many times the way of a step are looked at: a step cannot pass others.
inline constexpr double steps_around_singular = 10.0;
// The cosine between what the rows hold at the two ends of a step: below this (60 degrees) the step has not seen how
// it got from one to the other.
inline constexpr double same_branch = 0.5;
// The angle between the velocities before and after a singular pose (radians, beside what a step turns by itself):
// beyond it the machine did not go straight on. The branches of a parallelogram part by more than one.
inline constexpr double straight_on = 0.3;
// So far from a singular pose (radians, or parts of the size) the velocities before and after it are taken: far outside
// of what counts as the pose, and so near that a machine hardly turns by itself.
inline constexpr double beside_pose = 0.02;
// A gap within this part of a step that does not close is a jump.
inline constexpr double jump_within = 1e-6;

// ---- how long digits last ----

// The distance at which the twin of a run starts, in parts of the machine: its square, which is left out, is round-off.
inline constexpr double twin_distance = 1e-8;
// The twin is brought back when it is so far away that it no longer is a small error.
inline constexpr double twin_far = 1e-4;
// Digits of a number at the start: round-off leaves so many of it after a step.
inline constexpr double digits_at_start = 15.0;
// ---- error control ----

// The error of a step in what error control compares, relative: 100 ε. The sums of a step round some tens of times, so
// below this the estimate is round-off and no longer falls with the step.
inline constexpr double step_round_off = 100.0 * 2.220446049250313e-16;
// Of the machine's size: a coordinate or a speed smaller than this is held to the tolerance of this, not of itself.
// Small, because a machine's time is that of its fastest motion: beside the spin of a top its precession is a
// hundredth.
inline constexpr double size_share = 0.03;
// The same where the tolerance is so small that this share of it is round-off: sums of what is as large as the machine.
inline constexpr double size_round_off = 10.0 * 2.220446049250313e-16;
// A singular pose nearer than this on the way of the machine (radians, or parts of its size) has stages brought onto
// the constraints. Off them accelerations have a pole in the pose; a step of dop853 at 1e-12 feels it from a radian
// away. More would cost time, no digits.
inline constexpr double singular_reach = 1.0;
// The error that a step past a singular pose may have where round-off in its stages is beyond the tolerance, at most: a
// hundredth of what a run is judged by, and more than a step needs whose stages keep away from the pose.
inline constexpr double singular_noise = 1e-8;
// The way after which one looks how the distance from a singular pose changes: its square beside itself is 1e-4, and
// round-off of a pivot is far below.
inline constexpr double singular_probe = 1e-4;

// Of largest_turn: with error control steps are kept this short, so that turns are counted and few steps are refused.
inline constexpr double adaptive_turn = 0.9;

// ---- functions of time ----

// A run is looked at in so many parts for what its functions of time do. A million evaluations of an expression take a
// tenth of a second; what is shorter than 1e-5 of a run and has no kink is left to max_step.
inline constexpr long time_samples = 100000;
// Of the range of a function (of its largest rate): a change by more than this between neighbouring moments is a jump.
// A kink changes by a few ulps there; a ramp so steep that it counts as a jump is as well off as one.
inline constexpr double time_jump = 1e-9;
// Of the largest value: what comes so near to zero touches it. At a double root, values are exact to round-off.
inline constexpr double touches_zero = 1e-10;
// Of a scanned time that goes on where another ended: it begins so much before that.
inline constexpr double scan_again = 1e-3;
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
// Runs at half the step and at a quarter of it that lie no further apart than this: the step is not too long.
inline constexpr double converging = 1e-3;
// Of the tolerance of compare: what a step by dop853 may be off in its reference.
inline constexpr double precise = 1e-4;
// Steps in a run of compare: it halves no further than this. Two million take half a minute for a small machine, and a
// verdict takes some ten runs as fine as that.
inline constexpr double most_compared_steps = 2e6;
// Of the range of a function of time: what changes by more than this in a step of compare's reference is looked at
// again with a hundredth of it. Ten steps from one end of its range to the other are enough for any of the integrators.
inline constexpr double change_in_a_step = 0.1;
// Of the time looked at: parts of a wave that are shorter limit steps as those of a peak do. A step as long as a period
// takes the wave for none.
inline constexpr double wave_part = 5e-3;
// Where a function comes near zero between two moments, in parts of how much it changes there: one that turns further
// away than this does not come near it.
inline constexpr double far_from_zero = 20.0;
// Near a moment where a function may grow without bound: the furthest look, in parts of the time looked at, and the
// nearest, in parts of that; and what counts as growing from a distance to a thousandth of it.
inline constexpr double end_reach = 1e-6, end_growth = 0.75;
// Of the time looked at: the last step before such a moment ends so much before it.
inline constexpr double end_margin = 1e-4;
// Of the range of a function: a value at one moment that is so far off those beside it is one of its own.
inline constexpr double lone_value = 1e-3;
// What a table may turn a joint by in a step, in radians: rk4 leaves 1e-7 of it.
inline constexpr double drive_step = 0.1;
// Between more breakpoints than this, such as the knots of a long table, steps are short enough.
inline constexpr std::size_t most_divided = 10000;
// Of the machine's length, and of a radian: a drive or a length of time that changes by more than this at once jumps.
inline constexpr double position_jump = 1e-9;
// Of a fixed step: a kink nearer to its end than this is at its end. What is lost goes with the square of it.
inline constexpr double kink_at_end = 1e-9;

// ---- tables and curves ----

// Beyond two neighbouring points, in parts of the range of all: more than this is a swing that the points do not ask
// for. Splines through measured points go astray by less.
inline constexpr double spline_swing = 1e-2;
// The same where the points turn: a sine sampled six times a period has its peak 7 % of its range above them.
inline constexpr double spline_turn = 0.25;
// How far beyond the end of an open curve a point may be, in parts of its length: the round-off of a start at its end.
inline constexpr double curve_end = 1e-9;

}  // namespace tandem::tolerances
