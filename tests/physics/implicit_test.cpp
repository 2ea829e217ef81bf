// The integrator implicit: its order, its Jacobian, its stages, and what it is for: stiff springs and dampers.
#include "tandem/integrate/implicit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/end_state.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

// A four-bar whose coupler is two halves on a rail, held together by a stiff spring and a damper along it.
Model elastic_four_bar(double stiffness, double damping) {
  const Vector3 A(0.1, 0, 0.4), B(1.1, 0, 0.9), ground(1.0, 0, 0), middle = 0.5 * (A + B);
  const Vector3 along = (B - A).normalized();
  Builder build("elastic four-bar");
  const auto link = [&](const char* name, const Vector3& from, const Vector3& to, double mass) {
    build.body({.name = name,
                .mass = mass,
                .inertia = std::array{0.02 * mass, 0.05 * mass, 0.04 * mass, 0.0, 0.0, 0.0},
                .position = 0.5 * (from + to)});
  };
  link("crank", Vector3::Zero(), A, 0.5);
  link("first", A, middle, 0.6);
  link("second", middle, B, 0.6);
  link("rocker", B, ground, 0.8);
  const auto hinge = [&](const char* name, const char* first, const char* second, const Vector3& at) {
    build.joint({.name = name, .type = Revolute{}, .bodies = {first, second}, .point = at, .axis = Vector3(0, 1, 0)});
  };
  hinge("ground_crank", "world", "crank", Vector3::Zero());
  hinge("crank_coupler", "crank", "first", A);
  build.joint({.name = "rail", .type = Prismatic{}, .bodies = {"first", "second"}, .point = middle, .axis = along});
  hinge("coupler_rocker", "second", "rocker", B);
  hinge("ground_rocker", "world", "rocker", ground);
  build.force({.name = "spring",
               .type = SpringDamper{.stiffness = stiffness, .damping = damping},
               .bodies = {"first", "second"},
               .points = {A, B}});
  return build.finish();
}

// A bead on a rail with a damper or a spring to the world.
Model bead(double stiffness, double damping) {
  Builder build("bead");
  build.gravity({0, 0, 0});
  build.body(
      {.name = "bead", .mass = 1.0, .inertia = std::array{1.0, 1.0, 1.0, 0.0, 0.0, 0.0}, .velocity = Vector3(1, 0, 0)});
  build.joint({.name = "rail",
               .type = Prismatic{},
               .bodies = {"world", "bead"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(1, 0, 0)});
  build.force({.name = "spring",
               .type = JointEffort{.stiffness = stiffness, .damping = damping},
               .coordinates = {{"rail", ""}}});
  return build.finish();
}

// What a step multiplies x by on ẋ = μ x, z = h μ, from the table alone.
std::complex<double> amplification(std::complex<double> z) {
  std::array<std::complex<double>, Implicit::stages> x;
  for (std::size_t i = 0; i < Implicit::stages; ++i) {
    x[i] = 1.0;
    for (std::size_t j = 0; j < i; ++j) x[i] += Implicit::a()[i][j] * z * x[j];
    x[i] /= 1.0 - Implicit::a()[i][i] * z;
  }
  return x.back();
}

struct Choice {
  const char* method;
  const char* cut;
  const char* coordinates;
};
const std::vector<Choice> choices{{"lagrange", "all", "quasi"},      {"lagrange", "all", "quaternion"},
                                  {"lagrange", "all", "euler312"},   {"lagrange", "loops", "quasi"},
                                  {"articulated", "loops", "quasi"}, {"null_space", "loops", "quasi"},
                                  {"udwadia_kalaba", "all", "quasi"}};

Model chosen(Model model, const Choice& choice) {
  model.setup.method = choice.method;
  model.setup.cut = choice.cut;
  model.setup.coordinates = choice.coordinates;
  return model;
}

// Σ b_i(θ) Φ_i = θᵖ/γ(Φ) for the eight trees up to order four: the table at θ = 1, its dense output before.
TEST(ImplicitTable, MeetsTheConditionsOfOrderFour) {
  const auto& a = Implicit::a();
  const Implicit::Row& c = Implicit::c();
  const auto times = [&](const Implicit::Row& x) {
    Implicit::Row out{};
    for (std::size_t i = 0; i < Implicit::stages; ++i)
      for (std::size_t j = 0; j < Implicit::stages; ++j) out[i] += a[i][j] * x[j];
    return out;
  };
  const auto product = [](const Implicit::Row& x, const Implicit::Row& y) {
    Implicit::Row out{};
    for (std::size_t i = 0; i < Implicit::stages; ++i) out[i] = x[i] * y[i];
    return out;
  };
  const Implicit::Row one{1, 1, 1, 1, 1, 1}, cc = product(c, c);
  for (std::size_t i = 0; i < Implicit::stages; ++i) {
    EXPECT_NEAR(times(one)[i], c[i], 1e-15);
    EXPECT_NEAR(times(c)[i], 0.5 * cc[i], 1e-15);  // stage order two
    EXPECT_NEAR(Implicit::b(1.0)[i], a.back()[i], 1e-13);
  }
  for (const double x : {0.1, 0.37, 0.5, 0.8, 1.0}) {
    const Implicit::Row b = Implicit::b(x);
    const auto sum = [&](const Implicit::Row& y) {
      double total = 0.0;
      for (std::size_t i = 0; i < Implicit::stages; ++i) total += b[i] * y[i];
      return total;
    };
    const double x2 = x * x, x3 = x2 * x, x4 = x3 * x;
    EXPECT_NEAR(sum(one), x, 1e-13);
    EXPECT_NEAR(sum(c), x2 / 2, 1e-13);
    EXPECT_NEAR(sum(cc), x3 / 3, 1e-13);
    EXPECT_NEAR(sum(times(c)), x3 / 6, 1e-13);
    EXPECT_NEAR(sum(product(c, cc)), x4 / 4, 1e-13);
    EXPECT_NEAR(sum(product(c, times(c))), x4 / 8, 1e-13);
    EXPECT_NEAR(sum(times(cc)), x4 / 12, 1e-13);
    EXPECT_NEAR(sum(times(times(c))), x4 / 24, 1e-13);
  }
}

TEST(ImplicitTable, IsLStable) {
  for (double y = 1e-3; y < 1e6; y *= 1.1) EXPECT_LE(std::abs(amplification({0.0, y})), 1.0 + 1e-14) << y;
  EXPECT_LE(std::abs(amplification(-1e8)), 1e-6);
}

// A step multiplies by what the table says, from slow to stiff; at h μ = −10⁶ next to nothing is left. In between
// nothing is blown up.
TEST(ImplicitStiff, DampersDecayAtOnce) {
  for (const double z : {-0.01, -1.0, -30.0, -1e3, -1e6}) {
    const double h = 0.01;
    Model model = bead(0.0, -z / h);
    model.setup.integrator = "implicit";
    Simulation simulation(model);
    simulation.step(h);
    const double v = simulation.bodies().v()[3];
    EXPECT_NEAR(v, amplification(z).real(), 1e-12) << z;
    if (z < -1e5) {
      EXPECT_LE(std::abs(v), 1e-4);
    }
    for (const double x : {0.1, 0.4, 0.7, 0.9})
      EXPECT_LE(simulation.at(x * h).v().lpNorm<Eigen::Infinity>(), 4.0) << z << " " << x;
  }
}

TEST(ImplicitStiff, SpringsTurnAndShrinkAsTheTableSays) {
  for (const double y : {0.01, 1.0, 30.0, 1e3}) {
    const double h = 0.01, frequency = y / h;
    Model model = bead(frequency * frequency, 0.0);
    model.setup.integrator = "implicit";
    Simulation simulation(model);
    simulation.step(h);
    // v − i frequency x turns by R; it starts at 1.
    EXPECT_NEAR(simulation.bodies().v()[3], amplification({0.0, y}).real(), 1e-11) << y;
    EXPECT_NEAR(frequency * simulation.bodies().q()[4], amplification({0.0, y}).imag(), 1e-11) << y;
  }
}

class ImplicitOrder : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ImplicitOrder, IsFourOnEveryCut) {
  const Choice& choice = choices[GetParam()];
  for (const char* name : {"bicycle", "four-bar"}) {
    const Model model = chosen(example_model(name), choice);
    const State exact = end_of(model, "dop853", 0.25, 0.25);
    double before = 0.0, order = 0.0, h = 0.0125;
    for (int i = 0; i < 4; ++i, h /= 2.0) {
      const double error = apart(end_of(model, "implicit", h, 0.25), exact);
      if (!(error > 1e-11)) break;
      if (before > 0.0) order = std::log2(before / error);
      before = error;
    }
    EXPECT_NEAR(order, 4.0, 0.1) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Choices, ImplicitOrder, ::testing::Range<std::size_t>(0, choices.size()),
                         [](const auto& each) {
                           const Choice& c = choices[each.param];
                           return std::string(c.method) + "_" + c.cut + "_" + c.coordinates;
                         });

// The work of dampers has the order of the state.
TEST(ImplicitWork, HasOrderFourToo) {
  const Model model = elastic_four_bar(100.0, 20.0);
  const double exact = end_of(model, "dop853", 0.4, 0.4).work().dampers;
  ASSERT_LT(exact, -1e-3);
  const double coarse = std::abs(end_of(model, "implicit", 0.005, 0.4).work().dampers - exact);
  const double fine = std::abs(end_of(model, "implicit", 0.0025, 0.4).work().dampers - exact);
  EXPECT_NEAR(std::log2(coarse / fine), 4.0, 0.1) << coarse << " " << fine;
}

// A stage with its own method and workspace, `off` from its constraints.
struct Stage {
  Stage(const Model& model_, double off)
      : model(model_),
        method(find_method(model.setup.method).make(memory)),
        workspace(model, model.setup.cut, model.setup.coordinates),
        flow(model, model.setup, workspace, *method) {
    state = Simulation(model).state();
    workspace.update(model, state);
    for (Eigen::Index i = 0; i < state.v().size(); ++i)
      state.v()[i] += off * std::sin(1.0 + 2.0 * static_cast<double>(i));
    for (Eigen::Index i = 0; i < state.q().size(); ++i) state.q()[i] += off * std::cos(3.0 * static_cast<double>(i));
  }
  // v̇ at q = q₀ + w N(q) v.
  Eigen::VectorXd rate(const Eigen::VectorXd& q0, double w, const Eigen::VectorXd& v) {
    State at = state;
    at.v() = v;
    const VecX<Dual<double>> speeds = v.cast<Dual<double>>();
    VecX<Dual<double>> q;
    flow.coordinates().solve_positions(model, q0, w, speeds, q);
    for (Eigen::Index i = 0; i < q.size(); ++i) at.q()[i] = q[i].value;
    Eigen::VectorXd q_dot(at.parts.q.size);
    flow.coordinates().rate(model, at, q_dot);
    EXPECT_LE((at.q() - q0 - w * q_dot).cwiseAbs().maxCoeff(), 1e-15 * (1.0 + q0.cwiseAbs().maxCoeff()));
    Eigen::VectorXd x_dot;
    flow.rate(at, x_dot);
    return part(x_dot, at.parts.v);
  }
  const Model& model;
  StepMemory memory;
  std::unique_ptr<Method> method;
  Workspace workspace;
  Flow flow;
  State state;
};

void compare_with_differences(const Model& model, double off, double tolerance) {
  Stage stage(model, off);
  const Eigen::VectorXd base = stage.state.q(), v = stage.state.v();
  const double w = 0.003, e = 1e-5;
  Eigen::MatrixXd D;
  Implicit(stage.memory).find_jacobian(stage.flow, base, w, stage.state, D);
  const double scale = 1.0 + D.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < v.size(); ++k) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(v.size(), k);
    const Eigen::VectorXd slope = (stage.rate(base, w, v + e * unit) - stage.rate(base, w, v - e * unit)) / (2.0 * e);
    EXPECT_LE((slope - D.col(k)).cwiseAbs().maxCoeff(), tolerance * scale) << "speed " << k;
  }
}

// D against central differences of v̇, on the constraints and off them. Off them redundant rows contradict each other,
// and what a pseudo-inverse makes of that has a derivative of its own: not in D, and Newton does not need it.
TEST(ImplicitJacobian, AgreesWithDifferences) {
  for (const char* name : {"elastic", "bicycle", "rolling-disc", "slider-crank", "two-body"})
    for (const Choice& choice : choices)
      for (const double off : {0.0, 1e-3})
        for (const char* stabilisation : {"projection", "baumgarte"}) {
          const bool elastic = std::string(name) == "elastic";
          Model model = chosen(elastic ? elastic_four_bar(1e4, 50.0) : example_model(name), choice);
          model.setup.stabilisation = stabilisation;
          model.setup.alpha = 10.0;
          model.setup.beta = 25.0;
          model.setup.integrator = "implicit";
          if (!combination_obstacles(model.setup).empty()) continue;  // quaternion rates with baumgarte
          SCOPED_TRACE(std::string(name) + " " + choice.method + " " + choice.cut + " " + choice.coordinates + " " +
                       stabilisation + " " + std::to_string(off));
          const bool pseudo = std::string(choice.method) == "udwadia_kalaba" && off > 0.0;
          compare_with_differences(model, off, pseudo ? 1e-5 : 1e-7);
        }
}

TEST(ImplicitStages, MeetTheirEquations) {
  for (const Choice& choice : choices) {
    const Model model = chosen(elastic_four_bar(1e6, 1e3), choice);
    Stage at(model, 0.0);
    const double h = 0.01;
    State end = at.state;
    Implicit implicit(at.memory);
    implicit.step(at.flow, h, end);
    std::array<Eigen::VectorXd, Implicit::stages> k;
    const auto& stages = implicit.stage_states();
    for (std::size_t i = 0; i < Implicit::stages; ++i) at.flow.rate(stages[i], k[i]);
    for (std::size_t i = 0; i < Implicit::stages; ++i) {
      State sum = at.state;
      for (std::size_t j = 0; j <= i; ++j) sum.x += (h * Implicit::a()[i][j]) * k[j];
      EXPECT_LE((sum.q() - stages[i].q()).cwiseAbs().maxCoeff(), 1e-13) << i;
      // v̇ is known to the round-off of positions times the stiffness.
      EXPECT_LE((sum.v() - stages[i].v()).cwiseAbs().maxCoeff(), 1e-10) << i;
    }
    EXPECT_EQ(implicit.jacobians(), 1);
    EXPECT_LE(implicit.evaluations(), 40);
  }
}

// 10⁶ N/m against 0.3 kg is 1800 rad/s, where rk4 ends at h = 1.5 ms. The slow motion is that of short steps.
TEST(ImplicitStiff, RunsAtStepsWhereRk4Diverges) {
  const Model model = elastic_four_bar(1e6, 1e3);
  const State exact = end_of(model, "dop853", 0.5, 0.5);
  ASSERT_GT(exact.v().cwiseAbs().maxCoeff(), 5.0);
  for (const char* integrator : {"rk4", "herk"}) EXPECT_THROW(end_of(model, integrator, 0.01, 0.5), NumericalError);
  for (const char* cut : {"all", "loops"})
    for (const auto& [h, allowed] : {std::pair{0.01, 1e-3}, {0.005, 2e-4}, {0.0025, 2e-5}}) {
      Model here = model;
      here.setup.cut = cut;
      const double error = apart(end_of(here, "implicit", h, 0.5), exact);
      EXPECT_LE(error, allowed) << h;
    }
}

// Stiffer and stiffer, with and without dampers: the motion is that of a rigid coupler.
TEST(ImplicitStiff, GoesToTheRigidMachine) {
  const State rigid = end_of(elastic_four_bar(1e8, 1e6), "implicit", 0.0025, 0.5);
  for (const auto& [stiffness, damping] : {std::pair{1e7, 0.0}, {1e8, 1e4}, {1e8, 1e6}})
    for (const char* cut : {"all", "loops"}) {
      Model model = elastic_four_bar(stiffness, damping);
      model.setup.cut = cut;
      const double error = apart(end_of(model, "implicit", 0.01, 0.5), rigid);
      EXPECT_LE(error, 0.01) << stiffness << " " << damping << " " << cut;
    }
}

TEST(ImplicitStiff, AllCutsAndCoordinatesGiveTheSameMotion) {
  const Model model = elastic_four_bar(1e6, 1e3);
  const State reference = end_of(chosen(model, choices[0]), "implicit", 0.0005, 0.2);
  for (const Choice& choice : choices)
    EXPECT_LE(apart(end_of(chosen(model, choice), "implicit", 0.0005, 0.2), reference), 1e-9)
        << choice.method << " " << choice.cut << " " << choice.coordinates;
}

// What a step keeps for the next one does not outlive a state that is set.
TEST(ImplicitSteps, ForgetWhenTheStateIsSet) {
  Model model = example_model("bicycle");
  model.setup.integrator = "implicit";
  Simulation first(model), second(model);
  for (int i = 0; i < 5; ++i) first.step(0.01);
  first.set_state(first.state());
  second.set_state(first.state());
  first.step(0.01);
  second.step(0.01);
  EXPECT_TRUE((first.state().q().array() == second.state().q().array()).all());
  EXPECT_TRUE((first.state().v().array() == second.state().v().array()).all());
}

TEST(ImplicitSteps, ThatAreTooLongFailByName) {
  Model model = elastic_four_bar(1e10, 1e5);
  model.setup.integrator = "implicit";
  Simulation simulation(model);
  try {
    for (int i = 0; i < 20; ++i) simulation.step(0.05);
    FAIL() << "went through";
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("too long here"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(simulation.state().q().allFinite() && simulation.state().v().allFinite());
  EXPECT_LT(simulation.state().t, 1.0);
}

}  // namespace
}  // namespace tandem
