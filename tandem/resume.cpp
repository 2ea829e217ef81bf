// What a simulation needs to go on bit for bit, as numbers; the rest of simulate.hpp is in simulate.cpp and
// observe.cpp.
#include <stdexcept>

#include "tandem/simulate.hpp"

namespace tandem {

std::vector<double> Simulation::memory() const {
  catch_up();
  MemoryWriter out;
  out.put(state_.t);
  out.put(state_.q);
  out.put(state_.v);
  out.put(state_.angles);
  for (const double work : {state_.work.dampers, state_.work.drives, state_.work.forces}) out.put(work);
  out.put(workspace_.problem.rows);
  out.put(next_h_);
  method_->save(out);
  impulse_step_.save(out);
  // What impulses found in its last step is what it reports there.
  out.put(by_impulses_ && solved_ ? 1.0 : 0.0);
  out.put(reduced_.y);
  out.put(reduced_.lambda);
  out.put(bodies_.q);  // a quaternion may stand for its rotation with either sign
  integrator_->save(out);
  return std::move(out.numbers);
}

void Simulation::restore(std::span<const double> memory) {
  // Some methods keep what they found out in their first solve: let it be that of the start here too.
  try {
    solution();
  } catch (const NumericalError&) {  // then it failed there too
  }
  MemoryReader in(memory);
  State state = state_;
  state.t = in.number();
  in.get(state.q);
  in.get(state.v);
  in.get(state.angles);
  for (double* work : {&state.work.dampers, &state.work.drives, &state.work.forces}) *work = in.number();
  if (state.q.size() != state_.q.size() || state.v.size() != state_.v.size() ||
      state.angles.size() != state_.angles.size())
    throw std::invalid_argument("the memory is that of another model");
  state_ = std::move(state);
  in.get(workspace_.problem.rows);
  next_h_ = in.number();
  method_->load(in);
  impulse_step_.load(in);
  solved_ = in.number() != 0.0;
  in.get(reduced_.y);
  in.get(reduced_.lambda);
  in.get(bodies_.q);
  integrator_->load(in);
  behind_ = was_fast_ = false;
  workspace_.refresh(model_, state_);
  if (solved_) workspace_.expand(model_, state_, reduced_, solution_);
  read_bodies();
}

}  // namespace tandem
