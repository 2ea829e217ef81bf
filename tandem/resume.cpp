// What a simulation needs to go on bit for bit, as numbers; the rest of simulate.hpp is in simulate.cpp and
// observe.cpp.
#include <stdexcept>

#include "tandem/integrate/tree_flow.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

std::vector<double> Simulation::memory() {
  bodies();
  MemoryWriter out;
  out.put(state_.t);
  out.put(state_.q);
  out.put(state_.v);
  out.put(state_.angles);
  for (const double work : {state_.work.dampers, state_.work.drives, state_.work.forces}) out.put(work);
  out.put(workspace_.problem.rows);
  out.put(workspace_.problem.position_rows);
  out.put(static_cast<double>(workspace_.most_rows));
  out.put(next_h_);
  method_->save(out);
  impulse_step_.save(out);
  // What impulses found in its last step is what it reports there.
  out.put(by_impulses_ && solved_ ? 1.0 : 0.0);
  out.put(reduced_.y);
  out.put(reduced_.lambda);
  out.put(bodies_.q);  // a quaternion may stand for its rotation with either sign
  integrator_->save(out);
  if (fast_) fast_->save(out);
  return std::move(out.numbers);
}

static constexpr const char* of_another_model = "the memory is that of another model";

// As many numbers as there were, all finite.
static void get_as_many(MemoryReader& in, Eigen::VectorXd& values) {
  const Eigen::Index count = values.size();
  in.get(values);
  if (values.size() != count) throw std::invalid_argument(of_another_model);
  if (!values.allFinite()) throw std::invalid_argument("the memory of a simulation holds what is not a number");
}

void Simulation::restore(std::span<const double> memory) {
  // Some methods keep what they found out in their first solve: let it be that of the start here too.
  try {
    solution();
  } catch (const NumericalError&) {  // then it failed there too
  }
  MemoryReader in(memory);
  GaussProblem& problem = workspace_.problem;
  State state = state_;
  state.t = in.finite_number();
  get_as_many(in, state.q);
  get_as_many(in, state.v);
  get_as_many(in, state.angles);
  for (double* work : {&state.work.dampers, &state.work.drives, &state.work.forces}) *work = in.finite_number();
  state_ = std::move(state);
  moved();
  in.get_places(problem.rows, problem.row_count());
  in.get_places(problem.position_rows, problem.row_count());
  workspace_.most_rows = static_cast<std::size_t>(in.whole_number(0, problem.row_count()));
  next_h_ = in.finite_number();
  if (next_h_ < 0.0) throw std::invalid_argument("the memory of a simulation holds a step backwards");
  method_->load(in, problem);
  impulse_step_.load(in);
  solved_ = in.number() != 0.0;
  in.get(reduced_.y);
  in.get(reduced_.lambda);
  if (solved_ && (reduced_.y.size() != problem.unknowns() || reduced_.lambda.size() != problem.row_count()))
    throw std::invalid_argument(of_another_model);
  get_as_many(in, bodies_.q);
  integrator_->load(in, state_);
  if (fast_) fast_->load(in);
  was_fast_ = false;
  workspace_.refresh(model_, state_);
  if (solved_) workspace_.expand(model_, state_, reduced_, solution_);
  read_bodies(workspace_.kinematics);
  if (fast_) workspace_.forget();  // the one that was saved may have stood elsewhere: here() follows in both
}

}  // namespace tandem
