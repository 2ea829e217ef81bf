// Steps of a simulation, as users run them: with forces and drives, with a health record, by every integrator.
#include <fmt/format.h>

#include "bench/mechanisms.hpp"
#include "bench/tandem_jobs.hpp"
#include "bench/timing.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/integrate/flow.hpp"
#include "tandem/run/record.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace bench {

using namespace tandem;

namespace {

// The manoeuvre of the README: 4.6 m/s, pushed sideways, 5 s. A step of 1 ms, and the whole ride at longer steps, which
// keep the energy as well as a peer that needs 1 ms for it.
struct Ride {
  explicit Ride(const std::string& method, const std::string& and_also = "")
      : model(read_model(std::string(find_example("bicycle")->text) + and_also, "bicycle.toml")) {
    model.setup.method = method;
  }
  Measurement check(const std::string& job, const std::string& how, double h) const {
    Simulation simulation(model);
    const double energy = simulation.energy().total(), kinetic = simulation.energy().kinetic;
    double drift = 0.0;
    for (long i = std::lround(5.0 / h); i > 0; --i) {
      simulation.step(h);
      keep_larger(drift, std::abs(simulation.energy().total() - energy));
    }
    Measurement found{job, "bicycle", fmt::format("{}, rk4, projection, {:g} ms", how, 1e3 * h)};
    found.error = std::abs(simulation.velocity(model.point("rear_wheel", Vector3::Zero())).v.norm() - 4.6224523890);
    found.also = {{"energy_error", drift / kinetic}};
    return found;
  }
  Model model;
};

// What a step of the ride costs, and what it costs with a force more.
Measurement steps_of(const Ride& ride, Measurement found, double budget) {
  Simulation simulation(ride.model);
  const State start = simulation.state();
  found.seconds = seconds_per_call(budget, [&](std::size_t i) {
    if (i % 5000 == 0) simulation.set_state(start);
    simulation.step(0.001);
  });
  return found;
}

std::vector<Measurement> bicycle(const std::string& method, double budget) {
  const Ride ride(method);
  return {steps_of(ride, ride.check("bicycle", method, 0.001), budget)};
}

// With a damper in the steering head, beside the same without. It has no published end: right means that the same end
// is found by `lagrange`.
std::vector<Measurement> damped_bicycle(const std::string& method, double budget) {
  const char* damper = "\n[[force]]\nname = \"damper\"\ntype = \"joint\"\njoint = \"steer\"\ndamping = 1.0\n";
  const Ride ride(method, damper), other("lagrange", damper);
  Measurement found{"bicycle, damped", "bicycle", method + ", a steer damper, rk4, projection, 1 ms"};
  Simulation ours(ride.model), theirs(other.model);
  for (int i = 0; i < 200; ++i) {
    ours.step(0.001);
    theirs.step(0.001);
  }
  found.error = std::abs(ours.coordinate("steer") - theirs.coordinate("steer"));
  return {steps_of(ride, found, budget)};
}

std::vector<Measurement> whole_ride(const std::string& method, double budget) {
  constexpr double h = 0.004;
  const Ride ride(method);
  Measurement found = ride.check("ride", method, h);
  found.limit = 1e-6;
  Simulation simulation(ride.model);
  const State start = simulation.state();
  found.seconds = seconds_per_call(budget, [&](std::size_t) {
    simulation.set_state(start);
    for (int i = 0; i < 1250; ++i) simulation.step(h);
  });
  return {found};
}

// A mechanism and how it is stepped.
struct Stepped {
  Stepped(const Mechanism& of, const char* method, const char* integrator = "rk4")
      : mechanism(of), model(model_of(of)) {
    model.setup.method = method;
    model.setup.integrator = integrator;
    model.setup.step = Loads::step;
  }
  // Where the first sample begins.
  void begin(Simulation& simulation) const {
    Model tree_model = model;
    tree_model.setup.method = "articulated";
    tree_model.setup.integrator = "rk4";
    Simulation on_tree(tree_model);
    const Layout layout(mechanism, tree_model);
    State state = on_tree.state();
    state.q() = layout.q(mechanism.samples.front().q);
    state.v() = layout.v(mechanism.samples.front().v);
    on_tree.set_state(state);
    simulation.set_bodies(on_tree.bodies());
  }
  // Seconds a call of `advance`, begun anew every thousand.
  template <class Advance> double seconds(Simulation& simulation, double budget, Advance&& advance) const {
    const State start = simulation.state();
    return seconds_per_call(budget, [&](std::size_t i) {
      if (i % 1000 == 0) simulation.set_state(start);
      advance();
    });
  }
  const Mechanism& mechanism;
  Model model;
};

// A step of a simulation with forces and a drive, by rk4 with projection. Right means: the same end as by `lagrange` at
// a tolerance that leaves no error.
Measurement step_by(const Mechanism& mechanism, const char* method, double budget) {
  const Stepped on(mechanism, method);
  Simulation simulation(on.model);
  on.begin(simulation);
  const State start = simulation.state();
  Measurement found{"step", mechanism.name, fmt::format("{}, rk4, projection", method)};
  if (!mechanism.samples.front().end.empty()) {
    for (long i = std::lround(Loads::span / Loads::step); i > 0; --i) simulation.step(Loads::step);
    found.error = relative_error(ends(mechanism, simulation), mechanism.samples.front().end);
    found.limit = 1e-6;
    simulation.set_state(start);
  }
  found.seconds = on.seconds(simulation, budget, [&] { simulation.step(Loads::step); });
  return found;
}

// Beside them, as a job of its own, the same machine with gravity alone.
std::vector<Measurement> step(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  std::vector<Measurement> found{step_by(mechanism, "articulated", budget), step_by(mechanism, "lagrange", budget)};
  Mechanism bare = make_mechanism(name.substr(name.find('-') + 1));
  bare.name = name;
  found.push_back(step_by(bare, "articulated", budget));
  found.back().job = "bare step";
  return found;
}

// Per step: bare stepping, and a run with its health record and a row of results every so many steps.
std::vector<Measurement> run_rows(const std::string& name, double budget) {
  const Mechanism mechanism = make_mechanism(name);
  Stepped on(mechanism, "articulated");
  on.model.setup.duration = 1e3;
  std::vector<Measurement> found{{"run", name, "bare steps"}};
  {
    Simulation simulation(on.model);
    on.begin(simulation);
    found[0].seconds = seconds_per_call(budget, [&](std::size_t) { simulation.step(Loads::step); });
  }
  for (const int every : {10, 1}) {
    Simulation simulation(on.model);
    on.begin(simulation);
    std::vector<double> row;
    Run run(on.model, simulation,
            {.interval = every * Loads::step,
             .on_row = [&](Simulation& at, const HealthRow& health) { record_values(on.model, at, health, row); }});
    found.push_back({"run", name, every == 1 ? "a row every step" : "a row every 10 steps"});
    found.back().seconds = seconds_per_call(budget, [&](std::size_t) { run.advance(); });
    found.back().error = run.status() == RunStatus::running ? 0.0 : 1.0;
  }
  return found;
}

// A step by each of the explicit integrators over the evaluations that it takes, all with projection and 1 ms.
std::vector<Measurement> evaluations(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  std::vector<Measurement> found;
  const std::vector<std::pair<const char*, int>> integrators{{"rk4", 4}, {"dopri5", 7}, {"dop853", 12}};
  for (const auto& [integrator, stages] : integrators) {
    Stepped on(mechanism, "articulated", integrator);
    on.model.setup.tolerance = 1e-4;  // never the reason for a shorter step
    on.model.setup.max_step = Loads::step;
    Simulation simulation(on.model);
    on.begin(simulation);
    const State start = simulation.state();
    found.push_back({"evaluation", name, integrator});
    const long steps = std::lround(Loads::span / Loads::step);
    int attempts = 0;
    for (long i = 0; i < steps; ++i) {
      const StepReport report = simulation.step(Loads::step);
      attempts += report.steps + report.rejected;
    }
    found.back().error = relative_error(ends(mechanism, simulation), mechanism.samples.front().end);
    found.back().limit = 1e-6;
    simulation.set_state(start);
    found.back().seconds = on.seconds(simulation, budget, [&] { simulation.step(Loads::step); }) *
                           static_cast<double>(steps) / (stages * attempts);
  }
  return found;
}

// A method that counts how often it is asked.
class Counting final : public Method {
 public:
  explicit Counting(std::unique_ptr<Method> method) : method_(std::move(method)) {}
  std::string_view name() const override { return method_->name(); }
  void solve(const Model& model, const GaussProblem& problem, Solution& solution) override {
    ++solves;
    method_->solve(model, problem, solution);
  }
  void solve_again(const Model& model, const GaussProblem& problem, Solution& solution) override {
    ++solves;
    method_->solve_again(model, problem, solution);
  }
  bool needs_mass() const override { return method_->needs_mass(); }
  long solves = 0;

 private:
  std::unique_ptr<Method> method_;
};

// A step by the integrators that solve equations on the way, over the linear systems that they solve in it; without
// projection.
std::vector<Measurement> solves(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  std::vector<Measurement> found;
  for (const char* integrator : {"herk", "implicit"}) {
    const Stepped on(mechanism, "articulated", integrator);
    Simulation simulation(on.model);
    on.begin(simulation);
    const State start = simulation.state();
    Workspace workspace(on.model, simulation.setup().cut, simulation.setup().coordinates);
    StepMemory memory;
    Counting method(find_method(simulation.setup().method).make(memory));
    workspace.with_mass = method.needs_mass();
    workspace.update(on.model, start);
    Flow flow(on.model, simulation.setup(), workspace, method);
    const auto by = find_integrator(integrator).make(memory);
    State state = start;
    const long steps = std::lround(Loads::span / Loads::step);
    for (long i = 0; i < steps; ++i) {
      by->step(flow, Loads::step, state);
      simulation.step(Loads::step);
      by->accept();
    }
    const double per_step = static_cast<double>(method.solves) / static_cast<double>(steps);
    found.push_back({"linear solve", name, integrator});
    found.back().error = relative_error(ends(mechanism, simulation), mechanism.samples.front().end);
    found.back().limit = 1e-6;
    found.back().also = {{"solves_a_step", per_step}};
    found.back().seconds = seconds_per_call(budget,
                                            [&](std::size_t i) {
                                              if (i % 50 == 0) {
                                                by->forget();
                                                state = start;
                                              }
                                              by->step(flow, Loads::step, state);
                                              by->accept();
                                            }) /
                           per_step;
  }
  return found;
}

}  // namespace

std::vector<Job> step_jobs(const std::vector<std::string>& loaded_mechanisms) {
  std::vector<Job> jobs;
  const auto add = [&](const std::string& job, const std::string& mechanism, auto run) {
    jobs.push_back({job + " " + mechanism, [=](double budget) { return run(mechanism, budget); }});
  };
  for (const std::string& name : loaded_mechanisms) add("step", name, step);
  add("run", "loaded-chain-30", run_rows);
  add("evaluation", "loaded-chain-30", evaluations);
  add("linear solve", "loaded-a02-10", solves);
  return jobs;
}

std::vector<Job> bicycle_jobs() {
  std::vector<Job> jobs;
  for (const char* method : {"lagrange", "articulated", "null_space"})
    jobs.push_back({std::string("bicycle ") + method, [method](double budget) { return bicycle(method, budget); }});
  jobs.push_back({"bicycle damped articulated", [](double budget) { return damped_bicycle("articulated", budget); }});
  jobs.push_back({"ride bicycle articulated", [](double budget) { return whole_ride("articulated", budget); }});
  return jobs;
}

}  // namespace bench
