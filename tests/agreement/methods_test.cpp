// Every example by every method, at the start and along a run: the same accelerations as the dense oracle, the same
// reactions where they are unique, and the laws of a solution.
#include <gtest/gtest.h>

#include <set>

#include "support/defect_model.hpp"
#include "support/method_case.hpp"
#include "support/on_bodies.hpp"
#include "tandem/methods/dense_lagrange.hpp"
#include "tandem/run/run.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

class Agreement : public ::testing::TestWithParam<MethodCase> {
 protected:
  double tolerance = GetParam().method == "impulses" ? 1e-8 : 1e-10;
};

// J y = b and M y − f = Jᵀ λ over all bodies and all rows, whatever the cut.
void expect_solution(const GaussProblem& problem, const Solution& solution, double tolerance) {
  const double size = 1.0 + solution.y.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd J = problem.dense_J();
  if (J.rows() > 0) {
    EXPECT_LE((J * solution.y - problem.b).cwiseAbs().maxCoeff(), tolerance * size * (1.0 + J.cwiseAbs().maxCoeff()));
  }
  const Eigen::VectorXd balance = problem.dense_M() * solution.y - problem.f - J.transpose() * solution.lambda;
  EXPECT_LE(balance.cwiseAbs().maxCoeff(), 10.0 * tolerance * (1.0 + problem.f.cwiseAbs().maxCoeff()) * size);
}

void expect_agreement(const Model& model, const Workspace& workspace, const Solution& oracle, const Solution& other,
                      double tolerance) {
  EXPECT_LE((other.y - oracle.y).cwiseAbs().maxCoeff(), tolerance * (1.0 + oracle.y.cwiseAbs().maxCoeff()));
  EXPECT_EQ(other.rank, oracle.rank);
  const Uniqueness unique = uniqueness(model, workspace);
  const auto compare = [&](const UniqueReaction& is, const Reaction& a, const Reaction& b, const std::string& name) {
    const double size = 1.0 + std::max(a.force.cwiseAbs().maxCoeff(), a.torque.cwiseAbs().maxCoeff());
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = static_cast<Eigen::Index>(k);
      if (is.force[k]) {
        EXPECT_LE(std::abs(a.force[at] - b.force[at]), 1e-8 * size) << name << ", force " << k;
      }
      if (is.torque[k]) {
        EXPECT_LE(std::abs(a.torque[at] - b.torque[at]), 1e-8 * size) << name << ", torque " << k;
      }
    }
  };
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    compare(unique.joints[i], joint_reaction(model, workspace, oracle, static_cast<int>(i)),
            joint_reaction(model, workspace, other, static_cast<int>(i)), model.joints[i].name);
  for (std::size_t i = 0; i < model.constraints.size(); ++i)
    compare(unique.constraints[i], constraint_reaction(model, workspace, oracle, static_cast<int>(i)),
            constraint_reaction(model, workspace, other, static_cast<int>(i)), model.constraints[i].name);
  for (std::size_t i = 0; i < model.drives.size(); ++i) {
    const double effort = drive_effort(model, oracle, static_cast<int>(i));
    if (unique.effort(model, static_cast<int>(i))) {
      EXPECT_NEAR(drive_effort(model, other, static_cast<int>(i)), effort, 1e-8 * (1.0 + std::abs(effort)));
    }
  }
}

TEST_P(Agreement, WithTheDenseOracleAlongARun) {
  const Model start = example_model(GetParam().example);
  const Model model = GetParam().model();
  Simulation along(start);       // the run that both are held against
  Simulation simulation(model);  // the coordinates in question, put where `along` is
  const double second = one_second(start);
  Workspace workspace(start);
  DenseLagrange oracle;
  Solution wanted;
  for (int i = 0; i <= 20; ++i) {
    workspace.update(start, along.bodies());
    oracle.solve(start, workspace.problem, wanted);
    simulation.set_state(
        simulation.workspace().coordinates->from_bodies(model, along.bodies(), along.workspace().kinematics));
    const Solution& got = simulation.solution();
    expect_solution(workspace.problem, got, tolerance);
    expect_agreement(model, workspace, wanted, got, tolerance);
    advance(along, along.state().t + 0.05 * second, 0.005 * second);
  }
}

TEST_P(Agreement, ScalingARowDoesNotMoveTheAcceleration) {
  const Model model = GetParam().model();
  StepMemory memory;
  const auto method = find_method(GetParam().method).make(memory);
  Simulation simulation(model);
  GaussProblem problem = simulation.workspace().problem;
  Solution before, after;
  method->solve(model, problem, before);
  for (std::size_t i = 0; i < problem.blocks.size(); ++i)
    for (int k = 0; k < problem.blocks[i].rows; ++k) {
      const int row = problem.blocks[i].first_row + k;
      const double scale = row % 2 == 0 ? 1e3 : 1e-3;
      for (GaussProblem::Part& part : problem.blocks[i].parts) part.J.row(k) *= scale;
      problem.b[row] *= scale;
      if (!problem.tree) continue;
      for (TreeProblem::Part& part : problem.tree->blocks[i].parts) part.K.row(k) *= scale;
      problem.tree->b[row] *= scale;
    }
  method->solve(model, problem, after);
  EXPECT_LE((after.y - before.y).cwiseAbs().maxCoeff(), 10.0 * tolerance * (1.0 + before.y.cwiseAbs().maxCoeff()));
}

TEST_P(Agreement, RunsToTheSamePlace) {
  if (GetParam().method == "impulses") GTEST_SKIP() << "of order one in h: see physics/impulses_test.cpp";
  const Model start = example_model(GetParam().example), model = GetParam().model();
  Simulation oracle(start, on_bodies(start)), other(model);
  const double second = one_second(start);
  const double step = std::min(0.0025 * second, 5.0 * start.setup.step);
  advance(oracle, 0.25 * second, step);
  advance(other, 0.25 * second, step);
  // Different coordinates have different errors of order h⁴ and different norms of projection.
  const bool same = GetParam().cut == "all" && GetParam().coordinates == "quasi";
  EXPECT_LE((other.bodies().q() - oracle.bodies().q()).cwiseAbs().maxCoeff(),
            (same ? 1e-9 : 1e-6) * (1.0 + oracle.bodies().q().cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Examples, Agreement, ::testing::ValuesIn(method_cases()),
                         [](const auto& each) { return method_case_name(each.param); });

TEST(Methods, OfTheShortFormHaveEveryExampleAndEveryWay) {
  const auto seen_in = [](const std::vector<MethodCase>& cases) {
    std::set<std::string> seen;
    for (const MethodCase& each : cases) {
      seen.insert(each.example);
      seen.insert(each.method + " " + each.cut + " " + each.coordinates);
    }
    return seen;
  };
  EXPECT_EQ(seen_in(few_method_cases()), seen_in(all_method_cases()));
}

TEST(Methods, NameTheMotionWithoutInertia) {
  Builder build;
  build.body({.name = "ghost", .mass = 0.0, .inertia = std::array<double, 6>{0, 0, 0, 0, 0, 0}});
  build.joint({.name = "hinge",
               .type = Revolute{},
               .bodies = {"world", "ghost"},
               .point = Vector3(0, 0, 0),
               .axis = Vector3(1, 0, 0)});
  Model model = build.finish();
  for (const std::string& name : method_names()) {
    model.setup.method = name;
    try {
      Simulation(model).solution();
      FAIL() << name;
    } catch (const NumericalError& error) {
      const std::string told = error.what();
      EXPECT_TRUE(told.find("\"ghost\" can turn about its x axis") != std::string::npos ||
                  told.find("joint \"hinge\" can move along \"angle\"") != std::string::npos)
          << told;
    }
  }
}

// One factorisation, by QR or of the null space, leaves round-off of the heavy bodies' forces in the light ones'
// equations. The reduced cut has no forces between bodies.
TEST(Methods, KeepTheirDigitsWhereMassesAreFarApart) {
  for (const char* name : {"chain-of-far-masses", "heavy-link-in-a-light-chain"}) {
    Model model = defect_model(name);
    const auto found = [&](const char* method, const char* cut) {
      model.setup.method = method;
      model.setup.cut = cut;
      return Simulation(model).solution();
    };
    const Solution wanted = found("articulated", "loops");
    for (const char* method : {"lagrange", "null_space", "udwadia_kalaba"})
      for (const char* cut : {"all", "loops"})
        EXPECT_LE((found(method, cut).y - wanted.y).cwiseAbs().maxCoeff(), 1e-12 * wanted.y.cwiseAbs().maxCoeff())
            << name << ", " << method << " " << cut;
  }
}

// A pass of the refinement that gains little is not the last one, and rows count as well as forces.
TEST(Methods, RefineBothEquationsToTheEnd) {
  for (const char* name : {"seven-links-of-far-masses", "four-links-of-far-masses"}) {
    Model model = defect_model(name);
    model.setup.method = "articulated";
    const Eigen::VectorXd wanted = Simulation(model).solution().y;
    model.setup.cut = "all";
    for (const char* method : {"lagrange", "null_space", "udwadia_kalaba"}) {
      model.setup.method = method;
      EXPECT_LE((Simulation(model).solution().y - wanted).cwiseAbs().maxCoeff(), 1e-11 * wanted.cwiseAbs().maxCoeff())
          << name << ", " << method;
    }
  }
}

// Round-off in the accelerations of one method looked like forces that are too large to go on.
TEST(Methods, FinishWhatRoundOffOnceStopped) {
  Model model = defect_model("three-links-on-a-rod");
  model.setup.integrator = "dop853";
  model.setup.tolerance = 1e-13;
  const auto end = [&](const char* method, const char* cut) {
    model.setup.method = method;
    model.setup.cut = cut;
    Simulation simulation(model);
    tandem::Run run(model, simulation, {.duration = 1.0});
    while (run.advance()) {
    }
    EXPECT_EQ(run.status(), RunStatus::finished) << method << " " << cut << ": " << run.reason();
    return Eigen::VectorXd(simulation.bodies().q());
  };
  const Eigen::VectorXd wanted = end("articulated", "loops");
  for (const char* method : {"lagrange", "null_space", "udwadia_kalaba"})
    for (const char* cut : {"all", "loops"})
      EXPECT_LE((end(method, cut) - wanted).cwiseAbs().maxCoeff(), 1e-11) << method << " " << cut;
}

TEST(Methods, UnknownNameIsSuggested) {
  try {
    find_method("udwadia_kalabe");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean \"udwadia_kalaba\""), std::string::npos);
  }
}

}  // namespace
}  // namespace tandem
