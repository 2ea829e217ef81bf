// Fixed workloads whose instructions check_counts counts, so that speed cannot be lost unseen.
//
//   workload NAME      runs one; without a name it lists them
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "bench/mechanisms.hpp"
#include "tandem/linearize/linearize.hpp"
#include "tandem/run/record.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem::speed {

// All that is counted. A function of its own that the compiler must not merge into others: callgrind knows it by name.
[[gnu::noinline]] static void counted(int times, const std::function<void()>& work) {
  for (int i = 0; i < times; ++i) work();
}

// The bare recursion at one state.
class Recursion {
 public:
  explicit Recursion(const std::string& name)
      : mechanism_(bench::make_mechanism(name)), model_(bench::model_of(mechanism_)), tree_(model_) {
    const bench::Layout layout(mechanism_, model_);
    q_ = layout.q(mechanism_.samples.front().q);
    v_ = layout.v(mechanism_.samples.front().v);
    zero_.setZero(tree_.nv());
    out_.setZero(tree_.nv());
    M_.setZero(tree_.nv(), tree_.nv());
    tree_.choose_rows(q_);
    forward();
    inverse();
    mass();
  }
  void forward() { tree_.forward(q_, v_, zero_, out_); }
  void inverse() { tree_.inverse(q_, v_, zero_, out_); }
  void mass() { tree_.mass(q_, M_); }

 private:
  bench::Mechanism mechanism_;
  Model model_;
  TreeDynamics tree_;
  Eigen::VectorXd q_, v_, zero_, out_;
  Eigen::MatrixXd M_;
};

static void recursion(const std::string& name, void (Recursion::*work)(), int times) {
  Recursion on(name);
  counted(times, [&] { (on.*work)(); });
}

static void steps(Model model, const std::string& method, double h, int times) {
  model.setup.method = method;
  Simulation simulation(model);
  for (int i = 0; i < 3; ++i) simulation.step(h);
  counted(times, [&] { simulation.step(h); });
}

// A run with its health record, a sample every few steps as `tandem run` writes them; bare: the steps alone.
static void run(const std::string& name, int every, int times) {
  Model model = bench::model_of(bench::make_mechanism(name));
  model.setup.step = 0.001;
  model.setup.duration = 1e3;
  Simulation simulation(model);
  std::vector<double> row;
  Run run(model, simulation,
          {.interval = every * model.setup.step,
           .on_row = [&](Simulation& at, const HealthRow& health) { record_values(model, at, health, row); }});
  for (int i = 0; i < 65; ++i) run.advance();
  counted(times, [&] { run.advance(); });
}

static void evaluate(const std::string& name, const std::string& method, int times) {
  Model model = bench::model_of(bench::make_mechanism(name));
  model.setup.method = method;
  Simulation simulation(model);
  const Setup setup = resolve(model, model.setup);
  Workspace workspace(model, setup.cut);
  StepMemory memory;
  const auto solver = find_method(setup.method).make(memory);
  Solution solution;
  const auto once = [&] {
    workspace.update(model, simulation.state());
    solver->solve(model, workspace.problem, solution);
  };
  once();
  counted(times, once);
}

static void linearize_bicycle() {
  const Model model = load_model_or_example("bicycle", {.set = {{"v", 5.0}}});
  counted(2, [&] { linearize(model, find_steady(model)); });
}

static const std::map<std::string, std::function<void()>>& workloads() {
  static const std::map<std::string, std::function<void()>> all{
      {"forward-chain-30", [] { recursion("chain-30", &Recursion::forward, 200); }},
      {"forward-tree-63", [] { recursion("tree-63", &Recursion::forward, 100); }},
      {"forward-humanoid", [] { recursion("humanoid", &Recursion::forward, 200); }},
      {"inverse-chain-30", [] { recursion("chain-30", &Recursion::inverse, 200); }},
      {"mass-chain-30", [] { recursion("chain-30", &Recursion::mass, 200); }},
      {"loops-a02-10", [] { recursion("a02-10", &Recursion::forward, 200); }},
      {"loops-stewart", [] { recursion("stewart", &Recursion::forward, 200); }},
      {"bicycle-articulated", [] { steps(load_model_or_example("bicycle", {}), "articulated", 0.001, 300); }},
      {"bicycle-lagrange", [] { steps(load_model_or_example("bicycle", {}), "lagrange", 0.001, 30); }},
      {"bicycle-null_space", [] { steps(load_model_or_example("bicycle", {}), "null_space", 0.001, 30); }},
      {"bicycle-udwadia_kalaba", [] { steps(load_model_or_example("bicycle", {}), "udwadia_kalaba", 0.001, 10); }},
      {"loaded-chain-30-articulated",
       [] { steps(bench::model_of(bench::make_mechanism("loaded-chain-30")), "articulated", 0.001, 10); }},
      {"loaded-chain-30-steps",
       [] { steps(bench::model_of(bench::make_mechanism("loaded-chain-30")), "articulated", 0.001, 128); }},
      {"loaded-chain-30-run-1", [] { run("loaded-chain-30", 1, 128); }},
      {"loaded-chain-30-run-10", [] { run("loaded-chain-30", 10, 128); }},
      {"loaded-chain-30-lagrange",
       [] { steps(bench::model_of(bench::make_mechanism("loaded-chain-30")), "lagrange", 0.001, 10); }},
      {"lagrange-chain-100", [] { evaluate("chain-100", "lagrange", 10); }},
      {"articulated-chain-100", [] { evaluate("chain-100", "articulated", 10); }},
      {"impulses-rope-100",
       [] { steps(bench::model_of(bench::make_mechanism("rope-100")), "impulses", 1.0 / 240, 20); }},
      {"linearize-bicycle", linearize_bicycle}};
  return all;
}

}  // namespace tandem::speed

int main(int count, char** arguments) {
  const auto& all = tandem::speed::workloads();
  if (count < 2) {
    for (const auto& [name, work] : all) std::puts(name.c_str());
    return 0;
  }
  const auto found = all.find(arguments[1]);
  if (found == all.end()) {
    std::fprintf(stderr, "no workload \"%s\"\n", arguments[1]);
    return 2;
  }
  found->second();
}
