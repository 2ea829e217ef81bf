// Events within a step: when a function of the moment first rises above zero, on dense output.
//
//   (1)  the step is looked at in equal parts; the first part that ends above zero has the event in it, unless
//   (2)  one before it has a peak. Between values a and b at its ends, where no slope is steeper than s, the function
//   can
//        reach (a + b)/2 + s h/2. With s the largest slope of this part and its neighbours that covers every parabola:
//        with its top u after the beginning of a part, (a + b)/2 + s h/2 ≥ top + c (h² − u²), 2c its curvature. Parts
//        that can reach zero are searched for their largest value
//   (3)  the largest value by Brent's method: parabolas, and golden sections where those do not help
//   (4)  the moment by the secant, with Illinois' weights, and bisection where that is slow
// Stops use it; what else is an event of a run should, too.
#pragma once

#include <functional>
#include <optional>

namespace tandem {

using OfMoment = std::function<double(double t)>;

struct Moment {
  double t = 0.0, value = 0.0;
};

// From a moment that is not above zero to one that is.
struct Rise {
  Moment below, above;
};

// The largest value between two moments (3). The search ends early at one above zero.
Moment find_largest(const OfMoment& of, Moment from, Moment to);

// The first moment above zero, to the last digits, of a rise (4).
Moment find_moment(const OfMoment& of, Rise rise);

// Whether a function may be above zero between moments that are not (2); `before` is the value a part earlier.
bool may_rise(double before, double from, double to);

// The first rise between two moments, looked at in so many parts (1), (2); nothing where none is found. A function that
// is above zero at first has to fall before it can rise.
std::optional<Rise> first_rise(const OfMoment& of, Moment from, Moment to, int parts);

}  // namespace tandem
