// One mechanism of n bodies, evaluated: what check_growth counts the instructions of.
//
//   growth METHOD SHAPE N      SHAPE: chain, tree (binary), loops (N four-bar linkages in a row), snake (wheels on a
//   chain)
//   growth sweep SHAPE N       the sweep of articulated alone, rows chosen and equations put together before
//   growth fast SHAPE N        the recursion of tree/ alone
//   growth check SHAPE N       what tandem check counts; SHAPE also: points (masses alone), rods (a chain of thin ones,
//   without inertia about themselves), doors (N of them, on two hinges each)
//   growth step SHAPE N        two steps of a Simulation with forces, SHAPE: dampers, balls, knife, wheel
//   (machines.hpp) growth memory SHAPE N      the same; prints the most memory that it had, in KB growth read SHAPE N
//   a file with a table of N rows, SHAPE: drive, curve (open), closed_curve
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "growth/machines.hpp"
#include "support/doors.hpp"
#include "tandem/tandem.hpp"
#include "tandem/tree/tree_dynamics.hpp"

namespace tandem::growth {

static void add_link(Builder& build, int i, int parent, const Vector3& from, const Vector3& to) {
  const auto name = [](int k) { return k < 0 ? std::string("world") : "link" + std::to_string(k); };
  const Vector3 along = to - from;
  build.body({.name = name(i),
              .mass = 1.0 + 0.1 * std::sin(i),
              .shapes = {Shape::box(Vector3(0.1, 0.1, 0.1) + along.cwiseAbs())},
              .position = 0.5 * (from + to),
              .angular_velocity = {0, 0.1 * std::cos(i), 0}});
  build.joint({.name = "joint" + std::to_string(i),
               .type = Revolute{},
               .bodies = {name(parent), name(i)},
               .point = from,
               .axis = Vector3(0, 1, 0)});
}

static Model chain(int n) {
  Builder build("chain");
  Vector3 at(0, 0, 0);
  for (int i = 0; i < n; ++i) {
    const Vector3 next = at + Vector3(std::cos(0.3 * std::sin(i)), 0, std::sin(0.3 * std::sin(i)));
    add_link(build, i, i - 1, at, next);
    at = next;
  }
  return build.finish();
}

static Model tree(int n) {
  Builder build("tree");
  std::vector<Vector3> end{Vector3(0, 0, 0)};
  for (int i = 0; i < n; ++i) {
    const int parent = i == 0 ? -1 : (i - 1) / 2;
    const Vector3 from = end[static_cast<std::size_t>(parent + 1)];
    const Vector3 to = from + Vector3(i % 2 == 0 ? 0.8 : -0.8, 0, 0.6);
    add_link(build, i, parent, from, to);
    end.push_back(to);
  }
  return build.finish();
}

static Model loops(int n) {
  Builder build("loops");
  const auto hinge = [&](const std::string& name, const std::string& a, const std::string& b, const Vector3& at) {
    build.joint({.name = name, .type = Revolute{}, .bodies = {a, b}, .point = at, .axis = Vector3(0, 1, 0)});
  };
  const auto rod = [&](const std::string& name, const Vector3& from, const Vector3& to) {
    build.body({.name = name,
                .mass = 1.0,
                .shapes = {Shape::box(Vector3(0.1, 0.1, 0.1) + (to - from).cwiseAbs())},
                .position = 0.5 * (from + to)});
  };
  const Vector3 up(0.3, 0, 0.95);
  for (int i = 0; i <= n; ++i) {
    const std::string number = std::to_string(i), next = std::to_string(i + 1);
    const Vector3 foot(i, 0, 0);
    rod("crank" + number, foot, foot + up);
    hinge("foot" + number, "world", "crank" + number, foot);
    if (i > 0) hinge("close" + number, "crank" + number, "coupler" + std::to_string(i - 1), foot + up);
    if (i == n) continue;
    rod("coupler" + number, foot + up, foot + up + Vector3(1, 0, 0));
    hinge("head" + number, "crank" + number, "coupler" + number, foot + up);
  }
  return build.finish();
}

static Model snake(int n) {
  Builder build("snake");
  build.gravity({1, 2, 0});
  for (int i = 0; i < n; ++i) {
    const std::string name = "link" + std::to_string(i);
    build.body({.name = name,
                .mass = 1.0,
                .shapes = {Shape::box({1.0, 0.1, 0.1})},
                .position = {static_cast<double>(i), 0, 0},
                .rotation = Matrix3::Identity()});
    if (i == 0)
      build.joint({.name = "floor",
                   .type = Planar{},
                   .bodies = {"world", name},
                   .point = Vector3(0, 0, 0),
                   .axis = Vector3(0, 0, 1)});
    else
      build.joint({.name = "joint" + std::to_string(i),
                   .type = Revolute{},
                   .bodies = {"link" + std::to_string(i - 1), name},
                   .point = Vector3(i - 0.5, 0, 0),
                   .axis = Vector3(0, 0, 1)});
    build.constraint({.name = "wheel" + std::to_string(i),
                      .type = KnifeEdge{},
                      .bodies = {"world", name},
                      .points = {Vector3(i, 0, 0)},
                      .blade = Vector3(std::cos(0.2 * std::sin(i)), std::sin(0.2 * std::sin(i)), 0)});
  }
  return build.finish();
}

static Model points(int n) {
  Builder build("points");
  for (int i = 0; i < n; ++i)
    build.body({.name = "p" + std::to_string(i), .mass = 1.0, .point_mass = true, .position = {1.0 * i, 0, 0}});
  return build.finish();
}

static Model rods(int n) {
  Builder build("rods");
  for (int i = 0; i < n; ++i) {
    const std::string name = "rod" + std::to_string(i);
    build.body({.name = name, .mass = 1.0, .shapes = {Shape::rod(1.0)}, .position = {i + 0.5, 0, 0}});
    build.joint({.name = "joint" + std::to_string(i),
                 .type = Revolute{},
                 .bodies = {i == 0 ? "world" : "rod" + std::to_string(i - 1), name},
                 .point = Vector3(i, 0, 0),
                 .axis = Vector3(0, 1, 0)});
  }
  return build.finish();
}

static Model mechanism(const std::string& shape, int n) {
  if (shape == "chain") return chain(n);
  if (shape == "tree") return tree(n);
  if (shape == "loops") return loops(n);
  if (shape == "points") return points(n);
  if (shape == "rods") return rods(n);
  if (shape == "doors") return test::doors(n);
  return snake(n);
}

// What is counted: what tandem check does with a model.
__attribute__((noinline)) Counts evaluate_check(const Model& model) {
  require_inertia(model);
  return count(model);
}

static int check(const std::string& shape, int n) {
  const Model model = mechanism(shape, n);
  const Counts counts = evaluate_check(model);
  const int dof = shape == "points" ? 3 * n : n;
  std::printf("check %s %d: %d degrees of freedom\n", shape.c_str(), n, counts.dof);
  return counts.dof == dof ? 0 : 1;
}

// What is counted: reading a file with a long table.
__attribute__((noinline)) Model evaluate_read(const std::string& text) { return read_model(text, "table.toml"); }

static int read(const std::string& shape, int n) {
  std::string text = "format = 1\n[[body]]\nname = \"bead\"\nmass = 1\n";
  std::string rows;
  for (int i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * i / n;
    rows += shape == "drive" ? fmt::format("[{}, {:f}],\n", i, std::sin(angle))
                             : fmt::format("[{:f}, {:f}, 0],\n", std::cos(angle), std::sin(angle));
  }
  if (shape == "drive")
    text +=
        "inertia = [1, 1, 1]\n[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbodies = [\"world\", \"bead\"]\n"
        "point = [0, 0, 0]\naxis = [0, 0, 1]\n"
        "[[drive]]\nname = \"motor\"\ntype = \"table\"\njoint = \"hinge\"\npoints = [" +
        rows + "]\n";
  else
    text +=
        "point_mass = true\nposition = [1, 0, 0]\n"
        "[[constraint]]\nname = \"wire\"\ntype = \"point_on_curve\"\nbodies = [\"world\", \"bead\"]\n"
        "points = [[0, 0, 0], [1, 0, 0]]\nclosed = " +
        std::string(shape == "closed_curve" ? "true" : "false") + "\ncurve = [" + rows + "]\n";
  const Model model = evaluate_read(text);
  std::printf("read %s %d: %d rows\n", shape.c_str(), n, model.rows);
  return model.rows > 0 ? 0 : 1;
}

// What is counted: rows chosen, equations put together and solved, once.
__attribute__((noinline)) void evaluate(const Model& model, const State& state, Workspace& workspace, Method& method,
                                        Solution& solution) {
  workspace.update(model, state);
  method.solve(model, workspace.problem, solution);
}

// What is counted: the equations solved, once.
__attribute__((noinline)) void evaluate_sweep(const Model& model, const Workspace& workspace, Method& method,
                                              Solution& solution) {
  method.solve(model, workspace.problem, solution);
}

// What is counted: one evaluation by the recursion of tree/.
__attribute__((noinline)) void evaluate_fast(TreeDynamics& tree, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                             const Eigen::VectorXd& none, Eigen::VectorXd& v_dot) {
  tree.forward(q, v, none, v_dot);
}

// What is counted: two steps as users make them.
__attribute__((noinline)) void evaluate_step(Simulation& simulation, double h) {
  for (int i = 0; i < 2; ++i) simulation.step(h);
}

static long most_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  return -1;
}

static int step(const std::string& shape, int n, bool memory) {
  const Model model = read_model(machine(shape, n), shape + ".toml");
  Simulation simulation(model);
  constexpr double h = 1e-3;
  for (int i = 0; i < 3; ++i) simulation.step(h);
  evaluate_step(simulation, h);
  if (memory)
    std::printf("%ld\n", most_memory());
  else
    std::printf("step %s %d: by the recursion: %s\n", shape.c_str(), n, simulation.was_fast() ? "yes" : "no");
  return simulation.was_fast() ? 0 : 1;
}

// Whether J y = b.
static int judge(const char* name, const std::string& shape, int n, const GaussProblem& problem,
                 const Eigen::VectorXd& y) {
  Eigen::VectorXd rows;
  problem.multiply_J(y, rows);
  const double off = rows.size() == 0 ? 0.0 : (rows - problem.b).cwiseAbs().maxCoeff();
  std::printf("%s %s %d: largest row residual %.2e\n", name, shape.c_str(), n, off);
  return off <= 1e-8 * (1.0 + y.cwiseAbs().maxCoeff()) ? 0 : 1;
}

static int run(const std::string& what, const std::string& shape, int n) {
  const bool fast = what == "fast", alone = what == "sweep";
  const std::string name = fast || alone ? "articulated" : what;
  Model model = mechanism(shape, n);
  model.setup.method = name;
  const Setup setup = resolve(model, model.setup);
  StepMemory memory;
  const auto method = find_method(setup.method).make(memory);
  Workspace workspace(model, setup.cut);
  workspace.with_mass = method->needs_mass();
  Kinematics<double> kinematics(model);
  const State bodies = start_state(model);
  kinematics.update(model, bodies.t, bodies.q(), bodies.v(), bodies.angles());
  const State state = workspace.coordinates->from_bodies(model, bodies, kinematics);
  Solution solution;
  workspace.update(model, state);
  method->solve(model, workspace.problem, solution);  // buffers take their sizes
  if (fast) {
    TreeDynamics tree(model);
    tree.choose_rows(state.q());
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(tree.nv());
    evaluate_fast(tree, state.q(), state.v(), none, solution.y);
  } else if (alone) {
    evaluate_sweep(model, workspace, *method, solution);
  } else {
    evaluate(model, state, workspace, *method, solution);
  }
  return judge(what.c_str(), shape, n, workspace.problem, solution.y);
}

}  // namespace tandem::growth

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: growth METHOD|check|step|memory|read SHAPE N\n");
    return 2;
  }
  const std::string what = argv[1];
  if (what == "check") return tandem::growth::check(argv[2], std::atoi(argv[3]));
  if (what == "step" || what == "memory") return tandem::growth::step(argv[2], std::atoi(argv[3]), what == "memory");
  if (what == "read") return tandem::growth::read(argv[2], std::atoi(argv[3]));
  return tandem::growth::run(argv[1], argv[2], std::atoi(argv[3]));
}
