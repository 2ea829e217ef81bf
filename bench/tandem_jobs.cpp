#include "bench/tandem_jobs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include "bench/mechanisms.hpp"
#include "bench/timing.hpp"
#include "tandem/base/larger.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace bench {

using namespace tandem;

namespace {

// The bare recursion on a mechanism.
struct Recursion {
  explicit Recursion(const Mechanism& mechanism)
      : model(model_of(mechanism)), layout(mechanism, model), tree(model), none(Eigen::VectorXd::Zero(tree.nv())) {}
  Model model;
  Layout layout;
  TreeDynamics tree;
  Eigen::VectorXd none, answer;  // no efforts
};

// A model with its states, on one cut, and the way from a state to accelerations.
struct Machine {
  Machine(const Mechanism& mechanism, const char* method_name, const char* cut)
      : model(model_of(mechanism)), layout(mechanism, model), workspace(model, cut) {
    model.setup.method = method_name;
    model.setup.cut = cut;
    method = find_method(method_name).make(memory);
    workspace.with_mass = method->needs_mass();
    Kinematics<double> kinematics(model);
    const State start = start_state(model);
    kinematics.update(model, start.t, start.q(), start.v(), start.angles());
    state = workspace.coordinates->from_bodies(model, start, kinematics);
  }
  void place(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    state.q() = q;
    state.v() = v;
  }
  void evaluate() {
    workspace.update(model, state);
    method->solve(model, workspace.problem, solution);
  }
  Model model;
  Layout layout;
  Workspace workspace;
  StepMemory memory;
  std::unique_ptr<Method> method;
  State state;
  Solution solution;
};

// Joint coordinates of every sample, as the cut "loops" has them.
struct Inputs {
  Inputs(const Mechanism& mechanism, const Layout& layout) {
    for (const Sample& sample : mechanism.samples) {
      q.push_back(layout.q(sample.q));
      v.push_back(layout.v(sample.v));
      if (!sample.given.empty()) given.push_back(layout.v(sample.given));
    }
  }
  std::vector<Eigen::VectorXd> q, v, given;
};

std::vector<Measurement> forward(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  Recursion on(mechanism);
  const Inputs inputs(mechanism, on.layout);
  const std::size_t n = mechanism.samples.size();
  const char* job = mechanism.closures.empty() ? "forward" : "loops";
  on.tree.choose_rows(inputs.q[0]);
  const auto once = [&](std::size_t i) {
    on.tree.forward(inputs.q[i % n], inputs.v[i % n], on.none, on.answer);
    keep(on.answer.data());
  };
  Measurement found{job, name, "TreeDynamics"};
  for (std::size_t i = 0; i < n; ++i) {
    once(i);
    keep_larger(found.error, relative_error(on.layout.v(on.answer), mechanism.samples[i].acceleration));
  }
  found.seconds = seconds_per_call(budget, once);
  return {found};
}

std::vector<Measurement> inverse(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  Recursion on(mechanism);
  const Inputs inputs(mechanism, on.layout);
  const std::size_t n = mechanism.samples.size();
  const auto once = [&](std::size_t i) {
    on.tree.inverse(inputs.q[i % n], inputs.v[i % n], inputs.given[i % n], on.answer);
    keep(on.answer.data());
  };
  Measurement found{"inverse", name, "TreeDynamics"};
  for (std::size_t i = 0; i < n; ++i) {
    once(i);
    keep_larger(found.error, relative_error(on.layout.v(on.answer), mechanism.samples[i].effort));
  }
  found.seconds = seconds_per_call(budget, once);
  return {found};
}

// One triangle, as the peers.
std::vector<Measurement> mass(const std::string& name, double budget) {
  const Mechanism mechanism = with_answers(name);
  Recursion on(mechanism);
  const Inputs inputs(mechanism, on.layout);
  const std::size_t n = mechanism.samples.size();
  Eigen::MatrixXd H;
  const auto once = [&](std::size_t i) {
    on.tree.mass(inputs.q[i % n], H);
    keep(H.data());
  };
  Measurement found{"mass", name, "TreeDynamics"};
  for (std::size_t i = 0; i < n; ++i) {
    once(i);
    const double energy = 0.5 * inputs.v[i].dot(H.selfadjointView<Eigen::Lower>() * inputs.v[i]);
    keep_larger(found.error, relative_error({energy}, {mechanism.samples[i].energy}));
  }
  found.seconds = seconds_per_call(budget, once);
  return {found};
}

// In maximal coordinates, checked against `articulated`: accelerations of all bodies.
std::vector<Measurement> maximal(const std::string& job, const std::string& name, double budget) {
  const Mechanism mechanism = make_mechanism(name);
  Machine tree(mechanism, "articulated", "loops"), bodies(mechanism, "lagrange", "all");
  const Inputs inputs(mechanism, tree.layout);
  const std::size_t n = mechanism.samples.size();
  std::vector<Eigen::VectorXd> q, v;
  Measurement found{job, name, "lagrange"};
  Solution right;
  for (std::size_t i = 0; i < n; ++i) {
    tree.place(inputs.q[i], inputs.v[i]);
    tree.evaluate();
    tree.workspace.expand(tree.model, tree.state, tree.solution, right);
    State& state = bodies.state;
    for (std::size_t k = 0; k < bodies.model.bodies.size(); ++k) {
      const Body& body = bodies.model.bodies[k];
      const BodyMotion<double>& motion = tree.workspace.kinematics.body(static_cast<int>(k));
      state.q().segment(body.q_first, 7) << quaternion_of<double>(motion.X_WC.R), motion.X_WC.p;
      state.v().segment(body.v_first, 6) = motion.velocity();
    }
    q.emplace_back(state.q());
    v.emplace_back(state.v());
    bodies.evaluate();
    const double scale = right.y.cwiseAbs().maxCoeff();
    keep_larger(found.error, (bodies.solution.y - right.y).cwiseAbs().maxCoeff() / scale);
  }
  found.seconds = seconds_per_call(budget, [&](std::size_t i) {
    bodies.place(q[i % n], v[i % n]);
    bodies.evaluate();
    keep(bodies.solution.y.data());
  });
  if (job != "lagrange") return {found};
  Measurement beside{job, name, "articulated"};
  beside.seconds = seconds_per_call(budget, [&](std::size_t i) {
    tree.place(inputs.q[i % n], inputs.v[i % n]);
    tree.evaluate();
    keep(tree.solution.y.data());
  });
  return {found, beside};
}

std::vector<Measurement> loops(const std::string& name, double budget) {
  std::vector<Measurement> found = forward(name, budget);
  found.push_back(maximal("loops", name, budget).front());
  return found;
}

// The largest distance between the two points of a ball joint.
double largest_gap(Simulation& simulation, const Model& model) {
  double largest = 0.0;
  for (const ModelJoint& joint : model.joints) {
    const Vector3 apart = simulation.pose(joint.first).p - simulation.pose(joint.second).p;
    keep_larger(largest, apart.norm());
  }
  return largest;
}

// A rope falls from the horizontal: 2.5 s in steps of 1/240 s, ten sweeps each. Right means: it holds together.
Measurement fall(const Mechanism& mechanism, double budget, int substeps) {
  Model model = model_of(mechanism);
  model.setup.method = "impulses";
  model.setup.impulses.iterations = 10;
  model.setup.impulses.substeps = substeps;
  model.setup.impulses.position_iterations = 1;
  constexpr double h = 1.0 / 240.0;
  const int steps = mechanism.links.size() >= 1000 ? 300 : 600;
  Simulation simulation(model);
  const State start = simulation.state();
  Measurement found{"impulses", mechanism.name,
                    substeps == 1 ? "10 sweeps, 1 of positions" : "10 sweeps in 4 sub-steps, 1 of positions"};
  double gap = 0.0;
  for (int i = 0; i < steps; ++i) {
    simulation.step(h);
    keep_larger(gap, largest_gap(simulation, model));
  }
  found.error = gap;
  found.limit = 0.2;  // a link's length
  found.also = {{"gap_m", gap}};
  found.seconds = seconds_per_call(budget, [&](std::size_t i) {
    if (i % static_cast<std::size_t>(steps) == 0) simulation.set_state(start);
    simulation.step(h);
  });
  return found;
}

std::vector<Measurement> impulses(const std::string& name, double budget) {
  const Mechanism mechanism = make_mechanism(name);
  return {fall(mechanism, budget, 1), fall(mechanism, budget, 4)};
}

// Whether it fits: one evaluation of a very long chain, and the most memory the process has held.
std::vector<Measurement> memory(const std::string& name, double) {
  const Mechanism mechanism = make_mechanism(name);
  Recursion on(mechanism);
  const Inputs inputs(mechanism, on.layout);
  const double start = cpu_seconds();
  on.tree.forward(inputs.q[0], inputs.v[0], on.none, on.answer);
  Measurement found{"memory", name, "TreeDynamics", cpu_seconds() - start};
  found.error = on.answer.allFinite() ? 0.0 : 1.0;
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  found.also = {{"peak_bytes", 1024.0 * static_cast<double>(used.ru_maxrss)}};
  return {found};
}

const std::vector<std::string> trees{"chain-7", "chain-30", "chain-100", "chain-1000", "tree-63", "humanoid"};
const std::vector<std::string> looped{"a02-2", "a02-10", "a02-40", "a02-160", "stewart"};
const std::vector<std::string> loaded{"loaded-chain-7",  "loaded-chain-30", "loaded-chain-100", "loaded-tree-63",
                                      "loaded-humanoid", "loaded-a02-10",   "loaded-a02-40",    "loaded-squeezer",
                                      "loaded-stewart",  "driven-stewart",  "loaded-suspension"};
const std::vector<std::string> ropes{"rope-10", "rope-100", "rope-1000"};

}  // namespace

std::vector<std::string> shared_mechanisms() {
  std::vector<std::string> all = trees;
  all.insert(all.end(), looped.begin(), looped.end());
  all.insert(all.end(), loaded.begin(), loaded.end());
  all.insert(all.end(), ropes.begin(), ropes.end());
  all.emplace_back("a01");
  return all;
}

std::vector<Job> tandem_jobs() {
  std::vector<Job> jobs;
  const auto add = [&](const std::string& job, const std::string& mechanism, auto run) {
    jobs.push_back({job + " " + mechanism, [=](double budget) { return run(mechanism, budget); }});
  };
  for (const std::string& name : trees) {
    add("forward", name, forward);
    add("inverse", name, inverse);
    add("mass", name, mass);
  }
  for (const std::string& name : looped) add("loops", name, loops);
  for (Job& job : step_jobs(loaded)) jobs.push_back(std::move(job));
  for (const char* name : {"chain-10", "chain-100", "chain-1000", "chain-10000"}) {
    jobs.push_back(
        {std::string("lagrange ") + name, [name](double budget) { return maximal("lagrange", name, budget); }});
  }
  for (const std::string& name : ropes) add("impulses", name, impulses);
  for (Job& job : bicycle_jobs()) jobs.push_back(std::move(job));
  add("memory", "chain-100000", memory);
  add("memory", "chain-1000000", memory);
  return jobs;
}

}  // namespace bench
