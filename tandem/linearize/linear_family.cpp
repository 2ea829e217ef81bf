#include "tandem/assemble/assemble.hpp"
#include "tandem/linearize/sweep.hpp"

namespace tandem {

Linearization LinearFamily::find(const Model& model, const State& guess, const Symmetry* known) {
  Steady steady = find_steady(model, guess, {.hold = model.held_steady, .symmetry = known});
  Linearization out = linearize(model, steady, options_);
  if (known && !(out.symmetry_error <= tolerances::symmetry * out.size()))
    throw NumericalError("the symmetries are others here");
  last_ = std::move(steady);
  return out;
}

Linearization LinearFamily::at(const Model& model) {
  const State start = assemble(model, start_state(model), {.allow_large = false}).bodies;
  // A symmetry that makes up for time has a rate of the model in it, such as the speed of a table: it is found anew.
  if (last_ && last_->symmetry.time_alone()) {
    const Symmetry known = last_->symmetry;
    try {
      return find(model, start, &known);
    } catch (const NumericalError&) {  // there may be others
    }
  }
  try {
    return find(model, start, nullptr);
  } catch (const NumericalError&) {
    if (!last_) throw;
  }
  State guess = last_->bodies;  // from where the last point was
  guess.t = start.t;
  return find(model, guess, nullptr);
}

}  // namespace tandem
