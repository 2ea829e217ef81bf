// What a simulation needs to go on bit for bit; the rest of simulate.hpp is in simulate.cpp and observe.cpp.
#include <stdexcept>

#include "tandem/integrate/tree_flow.hpp"
#include "tandem/simulate.hpp"

namespace tandem {

// What Workspace and the recursion choose for themselves, and what a step found, is written beside the rest.
const StepMemory& Simulation::memory() {
  bodies();
  memory_.rows.velocity = workspace_.problem.rows;
  memory_.rows.position = workspace_.problem.position_rows;
  memory_.most_rows = workspace_.most_rows;
  memory_.found_in_step = by_impulses_ && solved_;
  memory_.y = memory_.found_in_step ? reduced_.y : Eigen::VectorXd();
  memory_.lambda = memory_.found_in_step ? reduced_.lambda : Eigen::VectorXd();
  memory_.bodies_q = bodies_.q();
  if (fast_) fast_->remember();
  return memory_;
}

namespace {

void require(bool fits) {
  if (!fits) throw std::invalid_argument("the memory is that of another model");
}

void require_places(const std::vector<int>& places, Eigen::Index end) {
  int next = 0;
  for (const int place : places) {
    require(place >= next && place < end);
    next = place + 1;
  }
}

void require_numbers(const Eigen::VectorXd& numbers, Eigen::Index count) {
  require(numbers.size() == count);
  if (!numbers.allFinite()) throw std::invalid_argument("the memory of a simulation holds what is not a number");
}

// It may come from a file.
void require_fits(const Model& model, const GaussProblem& problem, const State& state, const StepMemory& memory) {
  if (memory.h < 0.0) throw std::invalid_argument("the memory of a simulation holds a step backwards");
  const Eigen::Index rows = problem.row_count();
  for (const std::vector<int>* places : {&memory.rows.velocity, &memory.rows.position, &memory.speeds.rows})
    require_places(*places, rows);
  for (const std::vector<int>* places : {&memory.tree_rows.velocity, &memory.tree_rows.position})
    require_places(*places, model.rows);
  for (const std::vector<int>* places : {&memory.speeds.dependent, &memory.speeds.independent})
    require_places(*places, problem.unknowns());
  // Rows without speeds that follow from them: a choice that was never made.
  require(memory.speeds.rows.size() == memory.speeds.dependent.size());
  require(static_cast<Eigen::Index>(memory.most_rows) <= rows);
  require(memory.last_rate.size() == 0 || memory.last_rate.size() == state.x.size());
  if (memory.found_in_step) require(memory.y.size() == problem.unknowns() && memory.lambda.size() == rows);
  require_numbers(memory.bodies_q, model.nq);
}

}  // namespace

void Simulation::restore(const State& state, const StepMemory& memory) {
  // Some methods keep what they found out in their first solve: let it be that of the start here too.
  try {
    solution();
  } catch (const NumericalError&) {  // then it failed there too
  }
  GaussProblem& problem = workspace_.problem;
  require_numbers(state.x, state_.x.size());
  require_numbers(state.d, state_.d.size());
  require_fits(model_, problem, state, memory);
  state_ = state;
  memory_ = memory;
  moved();
  problem.rows = memory.rows.velocity;
  problem.position_rows = memory.rows.position;
  workspace_.most_rows = memory.most_rows;
  solved_ = memory.found_in_step;
  if (solved_) {
    reduced_.y = memory.y;
    reduced_.lambda = memory.lambda;
  }
  bodies_.q() = memory.bodies_q;
  if (fast_) fast_->go_on();
  was_fast_ = false;
  workspace_.refresh(model_, state_);
  if (solved_) workspace_.expand(model_, state_, reduced_, solution_);
  read_bodies(workspace_.kinematics);
  if (fast_) workspace_.forget();  // the one that was saved may have stood elsewhere: here() follows in both
}

}  // namespace tandem
