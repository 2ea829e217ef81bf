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
// A step that leaves the constraints by more than this part of the machine's size is refused where projection is on:
// from there Newton's method may end at any pose.
inline constexpr double step_refused = 1e-2;
// |J y − b| in parts of its terms: a solve that lost more than ten of sixteen digits.
inline constexpr double acceleration_look = 1e-6;
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
// A gap within this part of a step that does not close is a jump.
inline constexpr double jump_within = 1e-6;

// ---- how long digits last ----

// The distance at which the twin of a run starts (metres, radians): its square, which is left out, is round-off.
inline constexpr double twin_distance = 1e-8;
// The twin is brought back when it is so far away that it no longer is a small error.
inline constexpr double twin_far = 1e-4;
// What arithmetic leaves of a number of size one in a step.
inline constexpr double round_off = 1e-15;

}  // namespace tandem::tolerances
