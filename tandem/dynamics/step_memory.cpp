#include "tandem/dynamics/step_memory.hpp"

namespace tandem {

void save(const State& state, MemoryWriter& out) {
  out.put(state.t);
  out.put(state.x);
  out.put(state.d);
}

void load(MemoryReader& in, State& state) {
  state.t = in.finite_number();
  in.get(state.x);
  in.get(state.d);
}

// Both ways over the same fields in the same order.
template <class Fields, class Each> static void visit_fields(Fields& memory, Each&& each) {
  each(memory.h);
  for (auto* rows : {&memory.rows, &memory.tree_rows}) {
    each(rows->velocity);
    each(rows->position);
  }
  each(memory.most_rows);
  each(memory.tree_places.found);
  each(memory.tree_places.t);
  each(memory.tree_places.q);
  each(memory.tree_places.inward_of);
  each(memory.speeds.rows);
  each(memory.speeds.dependent);
  each(memory.speeds.independent);
  each(memory.speeds.growth);
  each(memory.last_rate);
  each(memory.impulses);
  each(memory.impulse_h);
  each(memory.found_in_step);
  each(memory.y);
  each(memory.lambda);
  each(memory.bodies_q);
}

namespace {

struct Put {
  MemoryWriter& out;
  void operator()(bool value) const { out.put(value ? 1.0 : 0.0); }
  void operator()(double value) const { out.put(value); }
  void operator()(std::size_t value) const { out.put(static_cast<double>(value)); }
  void operator()(const Eigen::VectorXd& values) const { out.put(values); }
  void operator()(const std::vector<int>& values) const { out.put(values); }
};

struct Get {
  MemoryReader& in;
  void operator()(bool& value) const { value = in.whole_number(0, 1) == 1; }
  void operator()(double& value) const { value = in.finite_number(); }
  void operator()(std::size_t& value) const { value = static_cast<std::size_t>(in.whole_number(0, largest_exact)); }
  void operator()(Eigen::VectorXd& values) const { in.get(values); }
  void operator()(std::vector<int>& values) const { in.get(values); }
};

}  // namespace

void save(const StepMemory& memory, MemoryWriter& out) { visit_fields(memory, Put{out}); }

void load(MemoryReader& in, StepMemory& memory) { visit_fields(memory, Get{in}); }

}  // namespace tandem
